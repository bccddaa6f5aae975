// What the README shows of runs in virtual time is what they print.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "cli/program.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

constexpr std::string_view indent = "    ";
constexpr std::string_view prompt = "    $ build/release/bin/railyard ";

struct Shown {
    std::string command;
    std::vector<std::string> lines;  ///< of what it printed; some may have been left out
};

/// Commands of ours with what follows them, up to the next command or paragraph.
std::vector<Shown> shown_in(const std::string& document) {
    std::vector<Shown> all;
    bool is_output = false;
    bool goes_on = false;
    std::istringstream text(document);
    for (std::string line; std::getline(text, line);) {
        if (goes_on) {
            all.back().command += " " + line;
        } else if (line.starts_with(prompt)) {
            all.push_back({line.substr(prompt.size()), {}});
            is_output = true;
        } else if (!line.empty() && (!line.starts_with(indent) || line.starts_with("    $"))) {
            is_output = false;
        } else if (is_output && !line.empty() && line != "    ...") {
            all.back().lines.push_back(line.substr(indent.size()));
        }
        goes_on = line.ends_with("\\");
        if (goes_on) all.back().command.erase(all.back().command.rfind('\\'));
    }
    return all;
}

TEST(Readme, ShowsWhatRunsInVirtualTimePrint) {
    int checked = 0;
    for (const Shown& shown :
         shown_in(results::read_file(std::filesystem::path(RAILYARD_SOURCE_DIR) / "README.md"))) {
        const bool is_virtual = shown.command.starts_with("run ") ||
                                (shown.command.starts_with("measure ") &&
                                 shown.command.find("--on shm") == std::string::npos);
        if (!is_virtual || shown.lines.empty()) continue;
        ++checked;
        std::istringstream words(shown.command);
        const Arguments call(std::istream_iterator<std::string>(words), {});
        const Ended ended = railyard(call);
        const std::string printed = ended.out + ended.err;
        for (const std::string& line : shown.lines)
            EXPECT_THAT(printed, ::testing::HasSubstr(line + "\n")) << shown.command;
    }
    EXPECT_GE(checked, 3);
}

/// In the order in which they stand there, without the words behind '#'.
std::vector<Arguments> commands_with(const std::string& document, const std::string& word) {
    std::vector<Arguments> all;
    std::istringstream text(document);
    for (std::string line; std::getline(text, line);) {
        const auto begin = line.find("railyard ");
        if (!line.starts_with(indent) || begin == std::string::npos ||
            line.find(word) == std::string::npos)
            continue;
        std::istringstream words(line.substr(begin + 9, line.find(" #") - begin - 9));
        all.emplace_back(std::istream_iterator<std::string>(words),
                         std::istream_iterator<std::string>());
    }
    return all;
}

TEST(Readme, NamesFilesThatAreThere) {
    const std::filesystem::path root = RAILYARD_SOURCE_DIR;
    for (const char* page : {"README.md", "docs/faults.md"}) {
        const auto calls = commands_with(results::read_file(root / page), "examples/");
        EXPECT_FALSE(calls.empty()) << page;
        for (Arguments call : calls) {
            for (std::string& word : call)
                if (word.starts_with("examples/")) word = (root / word).string();
            const Ended ended = railyard(call);
            EXPECT_EQ(ended.exit_code, 0) << ended.err;
            if (call.front() != "run") continue;
            // A demonstration that shows nothing is none.
            EXPECT_THAT(ended.err, ::testing::HasSubstr("faults: 5 of 5 struck"));
            EXPECT_THAT(ended.err, ::testing::ContainsRegex("1\\.[3-9][0-9]+ times as long"));
        }
    }
}

}  // namespace
}  // namespace railyard::cli
