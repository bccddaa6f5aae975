// The rank's own getopt against the C library's, on words by chance.

#include "programs/executables/options_parser.hpp"

#include <getopt.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace railyard::executables {
namespace {

constexpr option longs[] = {{"size", required_argument, nullptr, 's'},
                            {"silent", no_argument, nullptr, 1000},
                            {"verbose", no_argument, nullptr, 'v'},
                            {"level", optional_argument, nullptr, 1001},
                            {nullptr, 0, nullptr, 0}};

/// All that a call says, and the order that it leaves the words in.
std::string told(int found, const char* argument, int index, int unknown, int which) {
    return std::to_string(found) + " " + (argument != nullptr ? argument : "-") + " " +
           std::to_string(index) + " " +
           (found == '?' || found == ':' ? std::to_string(unknown) : "") + " " +
           std::to_string(which) + "\n";
}

using Words = std::vector<std::string>;

std::vector<char*> pointers(Words& words) {
    std::vector<char*> all;
    for (std::string& word : words)
        all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

std::string order(const std::vector<char*>& words) {
    std::string text;
    for (const char* const word : words)
        if (word != nullptr) text += std::string(word) + " ";
    return text;
}

std::string by_library(Words words, const char* shorts, OptionsParser::Long how) {
    auto argv = pointers(words);
    const int argc = static_cast<int>(words.size());
    std::string text;
    ::optind = 0;
    ::opterr = 0;
    for (int i = 0; i < 30; ++i) {
        int which = -1;
        const int found = how == OptionsParser::Long::no ? ::getopt(argc, argv.data(), shorts)
                          : how == OptionsParser::Long::yes
                              ? ::getopt_long(argc, argv.data(), shorts, longs, &which)
                              : ::getopt_long_only(argc, argv.data(), shorts, longs, &which);
        text += told(found, ::optarg, ::optind, ::optopt, which);
        if (found == -1) break;
    }
    return text + order(argv);
}

std::string by_ours(Words words, const char* shorts, OptionsParser::Long how) {
    auto argv = pointers(words);
    std::string text;
    char* argument = nullptr;
    int index = 1;
    const int reports = 0;
    int unknown = 0;
    OptionsParser parser;
    for (int i = 0; i < 30; ++i) {
        int which = -1;
        const int found = parser.next(
            {argument, index, reports, unknown}, static_cast<int>(words.size()), argv.data(),
            {shorts, how == OptionsParser::Long::no ? nullptr : longs, how}, &which);
        text += told(found, argument, index, unknown, which);
        if (found == -1) break;
    }
    return text + order(argv);
}

TEST(OptionsParser, FindsWhatTheLibraryFinds) {
    const char* const words[] = {
        "-v",     "-s",     "-s5",      "-vs",  "-x",    "word",       "other",     "--",
        "-",      "--size", "--size=3", "--si", "--sil", "--level",    "--level=2", "--verb",
        "--none", "-size",  "-verbose", "-ob",  "-o",    "--silent=1", "-W"};
    const char* const all_shorts[] = {"vs:o::", ":vs:o::", "+vs:o::", "-vs:o::", "v"};
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        Words call{"program"};
        for (std::size_t n = random() % 7; n > 0; --n)
            call.emplace_back(words[random() % std::size(words)]);
        const char* const shorts = all_shorts[random() % std::size(all_shorts)];
        const auto how = static_cast<OptionsParser::Long>(random() % 3);
        std::string shown;
        for (const std::string& word : call)
            shown += word + " ";
        ASSERT_EQ(by_ours(call, shorts, how), by_library(call, shorts, how))
            << shown << "with '" << shorts << "', kind " << static_cast<int>(how);
    }
}

}  // namespace
}  // namespace railyard::executables
