// Every command of the README and of docs/ is run as it stands, page by page, in a folder of the
// page's own. What it prints must be what the page shows.
//
// RAILYARD_MANUAL=accept writes what they print into the pages, where nothing is left out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>

#include "manual/page.hpp"
#include "manual/shell.hpp"
#include "results/file.hpp"

namespace railyard::manual {
namespace {

using ::testing::IsEmpty;

bool accepts() {
    const char* wish = std::getenv("RAILYARD_MANUAL");
    return wish != nullptr && std::string(wish) == "accept";
}

/// From the root of the tree.
std::vector<std::string> pages() {
    namespace fs = std::filesystem;
    std::vector<std::string> all{"README.md", "CONTRIBUTING.md"};
    for (const auto& entry : fs::recursive_directory_iterator(source() / "docs"))
        if (entry.path().extension() == ".md")
            all.push_back(fs::relative(entry.path(), source()).string());
    std::sort(all.begin() + 2, all.end());
    return all;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += "  " + line + "\n";
    return text;
}

std::vector<std::string> without_end(std::vector<std::string> lines) {
    while (!lines.empty() && lines.back().empty())
        lines.pop_back();
    return lines;
}

/// What to write in place of lines of a page.
struct Correction {
    std::size_t from = 0;  ///< counted from 0
    std::size_t to = 0;
    std::vector<std::string> lines;
};

void write_corrections(const std::string& page, const std::vector<Correction>& corrections) {
    std::vector<std::string> lines = split_lines(read_source(page));
    for (auto one = corrections.rbegin(); one != corrections.rend(); ++one) {
        const auto at = [&](std::size_t i) {
            return lines.begin() + static_cast<std::ptrdiff_t>(i);
        };
        lines.insert(lines.erase(at(one->from), at(one->to)), one->lines.begin(), one->lines.end());
    }
    std::string text;
    for (const std::string& line : lines)
        text += line + "\n";
    results::write_file(source() / page, text);
}

class OnPage : public ::testing::TestWithParam<std::string> {
  protected:
    void run(const Fence& fence) {
        if (const auto file = fence.file())
            shell_.write(*file, fence.lines);
        else if (fence.has_commands() && fence.not_run().empty())
            fence.language == "sh" ? run_script(fence) : run_steps(fence);
    }

    const std::string& page() const { return GetParam(); }
    const Shell& shell() const { return shell_; }
    const std::vector<Correction>& corrections() const { return corrections_; }

  private:
    std::string place(std::size_t line) const { return page() + ":" + std::to_string(line) + ": "; }

    void run_script(const Fence& fence) {
        std::string script = "set -e -x\n";
        for (const std::string& line : fence.lines)
            script += line + "\n";
        const Ended ended = shell_.run(script);
        EXPECT_EQ(ended.exit_code, 0) << place(fence.line) << "\n" << joined(ended.output);
    }

    void run_steps(const Fence& fence) {
        const std::vector<Step> steps = steps_of(fence);
        const std::vector<Ended> ended = shell_.run(commands_of(fence));
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const bool is_told = i + 1 < steps.size() && steps[i + 1].command == "echo $?";
            if (!is_told) {
                EXPECT_EQ(ended[i].exit_code, 0) << place(fence.line) << steps[i].command << "\n"
                                                 << joined(ended[i].output);
            }
            check(fence, steps[i], without_end(ended[i].output));
        }
    }

    void check(const Fence& fence, const Step& step, const std::vector<std::string>& output) {
        const std::vector<std::string> shown = without_end(step.output);
        if (is_as_shown(shown, output, fence.varies())) return;
        if (accepts() && !leaves_out(shown)) {
            const std::size_t from = fence.line - 1 + step.first;
            corrections_.push_back({from, from + shown.size(), output});
            return;
        }
        ADD_FAILURE() << place(fence.line - 1 + step.first) << "`" << step.command << "` prints\n"
                      << joined(output) << "and the page shows\n"
                      << joined(shown);
    }

    Shell shell_;
    std::vector<Correction> corrections_;
};

TEST_P(OnPage, CommandsDoWhatItShows) {
    const std::string text = read_source(page());
    shell().add_programs(text);
    for (const Fence& fence : fences_of(text))
        run(fence);
    if (!corrections().empty()) write_corrections(page(), corrections());
}

INSTANTIATE_TEST_SUITE_P(Manual, OnPage, ::testing::ValuesIn(pages()), [](const auto& info) {
    std::string name = info.param.substr(0, info.param.rfind('.'));
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
});

TEST(ManualCommands, StandInFences) {
    for (const std::string& page : pages())
        EXPECT_THAT(loose_commands(read_source(page)), IsEmpty())
            << page << ": put them between ```sh and ```";
}

TEST(ManualCommands, AreFewThatCannotRunHere) {
    std::size_t all = 0;
    std::map<std::string, std::vector<std::string>> not_run;
    std::size_t count = 0;
    for (const std::string& page : pages())
        for (const Fence& fence : fences_of(read_source(page))) {
            if (!fence.has_commands()) continue;
            all += commands_of(fence).size();
            for (const std::string& word : fence.words)
                EXPECT_TRUE(word == "varies" || word == fence.not_run())
                    << page << ":" << fence.line << ": what is " << word << "?";
            if (fence.not_run().empty()) continue;
            count += commands_of(fence).size();
            for (const std::string& command : commands_of(fence))
                not_run[fence.not_run()].push_back(page + ": " + command);
        }
    std::cout << all - count << " commands are run, and " << count << " are not:\n";
    for (const Reason& reason : reasons()) {
        const std::vector<std::string>& commands = not_run[std::string(reason.word)];
        std::cout << reason.word << " (" << reason.text << "), " << commands.size() << ":\n"
                  << joined(commands);
        EXPECT_THAT(commands, ::testing::Not(IsEmpty())) << "no fence is " << reason.word;
    }
    EXPECT_LT(count * 3, all);
}

}  // namespace
}  // namespace railyard::manual
