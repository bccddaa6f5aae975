// Shells that complete our command, by what it says of itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <iterator>
#include <sstream>

#include "cli/program.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

using Offers = std::vector<std::string>;

/// The words that a command of a shell prints.
Offers printed_by(const std::string& command) {
    Offers words;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> line;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
        std::istringstream text(line.data());
        words.insert(words.end(), std::istream_iterator<std::string>(text), {});
    }
    ::pclose(pipe);
    return words;
}

bool is_there(const std::string& shell) {
    return !printed_by("command -v " + shell).empty();
}

class Completion : public ::testing::Test {
  protected:
    std::string script(const char* shell) {
        const Ended ended = railyard({"completion", shell});
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        const std::string file = scratch_.file(shell);
        results::write_file(file, ended.out);
        return file;
    }

    /// What bash offers when the last of these words is being typed.
    Offers bash(const Arguments& words) {
        std::string list;
        for (const std::string& word : words)
            list += " '" + word + "'";
        return printed_by("cd " + scratch_.path().string() + " && bash -c '. " + script("bash") +
                          "; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _railyard; printf "
                          "\"%s\\n\" \"${COMPREPLY[@]}\"' railyard railyard" +
                          list);
    }

    Offers fish(const std::string& line) {
        return printed_by("fish --no-config -c 'source " + script("fish") + "; complete -C \"" +
                          line + "\"' 2>&1");
    }

    ScratchDirectory scratch_;
};

TEST_F(Completion, InBashOffersCommandsOptionsAndNames) {
    EXPECT_THAT(bash({""}), IsSupersetOf({"fabrics", "measure", "run", "help", "completion"}));
    EXPECT_EQ(bash({"mea"}), Offers{"measure"});
    EXPECT_THAT(bash({"measure", "--s"}), IsSupersetOf({"--sizes", "--statistics"}));
    EXPECT_EQ(bash({"measure", "latency-u"}), Offers{"latency-uni"});
    EXPECT_EQ(bash({"measure", "--on", "qua"}), (Offers{"quadrics-liu04", "quadrics"}));
    EXPECT_EQ(bash({"measure", "--on", "shm,idea"}), Offers{"shm,ideal"});
    EXPECT_EQ(bash({"measure", "--memory", ""}), (Offers{"nic", "user"}));
    EXPECT_EQ(bash({"--log-level", "info", "measure", "latency-uni", "--mpi", "p"}),
              Offers{"paper"});
    EXPECT_EQ(bash({"help", "rep"}), (Offers{"reproduce", "report"}));
    EXPECT_EQ(bash({"measure", "--sizes", "8"}), Offers{});
}

TEST_F(Completion, InBashLeavesAProgramItsWords) {
    results::write_file(scratch_.file("quadrics.toml"), "");
    EXPECT_THAT(bash({"run", "-n", "4", "rin"}), Contains("ring"));
    EXPECT_EQ(bash({"run", "-n", "4", "ring", "--on"}), Offers{});
    EXPECT_EQ(bash({"run", "-n", "4", "./program", "qua"}), Offers{"quadrics.toml"});
    EXPECT_EQ(bash({"run", "--faults", "qua"}), Offers{"quadrics.toml"});
}

TEST_F(Completion, InFishOffersCommandsOptionsAndNames) {
    if (!is_there("fish")) GTEST_SKIP() << "no fish here";
    EXPECT_THAT(fish("railyard "), IsSupersetOf({"fabrics", "measure", "run", "completion"}));
    EXPECT_THAT(fish("railyard measure --stat"), Contains("--statistics"));
    EXPECT_THAT(fish("railyard measure latency-u"), Contains("latency-uni"));
    EXPECT_THAT(fish("railyard measure --on shm,idea"), Contains("shm,ideal"));
    EXPECT_THAT(fish("railyard fabrics myri"), Contains("myrinet2000-gm"));
}

TEST_F(Completion, InZshIsUnderstoodAndHasEveryOption) {
    const std::string file = script("zsh");
    const std::string text = results::read_file(file);
    EXPECT_THAT(text, AllOf(HasSubstr("#compdef railyard"), HasSubstr("--time-budget["),
                            HasSubstr("latency-uni"), HasSubstr("myrinet2000-gm")));
    if (!is_there("zsh")) GTEST_SKIP() << "no zsh here";
    EXPECT_EQ(printed_by("zsh -f -n " + file + " 2>&1"), Offers{});
    // In a terminal of its own, as a user has it.
    const std::string folder = (scratch_.path() / "functions").string();
    std::filesystem::create_directory(folder);
    std::filesystem::copy(file, folder + "/_railyard");
    const std::string session = scratch_.file("session");
    results::write_file(session,
                        "zmodload zsh/zpty; zpty z zsh -f -i\n"
                        "zpty -w z 'PS1=; fpath=(" +
                            folder +
                            " $fpath); autoload -U compinit; compinit -u -D'\n"
                            "zpty -w z 'echo rea\"\"dy'; zpty -r -m z line '*ready*'\n"
                            "zpty -w -n z $'railyard measure latency-un\\t--on myrin\\t'\n"
                            "zpty -r -m z line '*myrinet2000-gm*' && print ${line}\n"
                            "zpty -d z\n");
    const Offers shown = printed_by("timeout 20 zsh -f " + session + " 2>&1");
    EXPECT_THAT(shown, Contains(HasSubstr("latency-uni")));
    EXPECT_THAT(shown, Contains(HasSubstr("myrinet2000-gm")));
}

TEST_F(Completion, KnowsItsShells) {
    EXPECT_EQ(complaint({"completion"}),
              "railyard: completion for which shell? There are bash, zsh and fish\n");
    EXPECT_THAT(complaint({"completion", "fis"}), HasSubstr("did you mean 'fish'?"));
}

TEST(Help, IsACommandToo) {
    EXPECT_EQ(railyard({"help"}).out, railyard({"--help"}).out);
    for (const char* command : {"run", "measure", "fabrics", "completion"}) {
        const Ended ended = railyard({"help", command});
        EXPECT_EQ(ended.exit_code, 0);
        EXPECT_EQ(ended.out, railyard({command, "--help"}).out);
    }
    EXPECT_THAT(complaint({"help", "mesure"}), HasSubstr("did you mean 'measure'?"));
}

}  // namespace
}  // namespace railyard::cli
