// docs/exit-codes.md: each code that it tells of is given by the example beside it.

#include <gtest/gtest.h>

#include "manual/page.hpp"
#include "manual/shell.hpp"

namespace railyard::manual {
namespace {

struct Example {
    int code = -1;
    std::string command;
};

/// "| 7 | when | `command` |", where a bar in a command is "\|".
std::vector<Example> examples_in(const std::string& text) {
    std::vector<Example> all;
    for (const std::string& line : split_lines(text)) {
        if (!line.starts_with("| ") || line[2] < '0' || line[2] > '9') continue;
        const auto begin = line.rfind(" | `");
        if (begin == line.npos || !line.ends_with("` |")) {
            ADD_FAILURE() << "no example: " << line;
            continue;
        }
        std::string command = line.substr(begin + 4, line.size() - begin - 7);
        for (auto bar = command.find("\\|"); bar != command.npos; bar = command.find("\\|"))
            command.erase(bar, 1);
        all.push_back({std::stoi(line.substr(2)), command});
    }
    return all;
}

TEST(ManualExitCodes, AreGivenByTheirExamples) {
    const std::string text = read_source("docs/exit-codes.md");
    const std::vector<Example> examples = examples_in(text);
    EXPECT_GE(examples.size(), 25U);
    const Shell shell;
    shell.add_programs(text);
    for (const Example& example : examples) {
        const Ended ended = shell.run("set -o pipefail\n" + example.command + "\n");
        std::string printed;
        for (const std::string& line : ended.output)
            printed += line + "\n";
        EXPECT_EQ(ended.exit_code, example.code) << example.command << "\n" << printed;
    }
}

}  // namespace
}  // namespace railyard::manual
