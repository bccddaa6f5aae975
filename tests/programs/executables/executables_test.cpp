// `railyard run ./program`: ordinary MPI executables in virtual time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/program.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard {
namespace {

namespace fs = std::filesystem;
using cli::Arguments;
using cli::Ended;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
}

/// A program by one of the wrappers.
std::string program(const std::string& by, const std::string& name) {
    return std::string(RAILYARD_EXECUTABLES "/") + by + "/" + name;
}

Ended run(Arguments arguments, const cli::Environment& environment = {}) {
    arguments.insert(arguments.begin(), {"run", "--summary", "none"});
    return cli::railyard(arguments, environment);
}

/// What a shell's command prints.
std::string printed(const std::string& command) {
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;)
        text += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return text;
}

class By : public ::testing::TestWithParam<const char*> {
  protected:
    std::string path(const std::string& name) const {
        const std::string path = program(GetParam(), name);
        return fs::exists(path) ? path : "";
    }
};
INSTANTIATE_TEST_SUITE_P(Executables, By, ::testing::Values("ours", "mpich"),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(By, RanksHaveWhatAProcessHas) {
    if (path("own").empty()) GTEST_SKIP() << "mpich is not installed";
    const Ended ended =
        run({"-n", "3", "--on", "quadrics", path("own"), "-v", "word", "--size=4", "-n", "x"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::vector<std::string> expected;
    for (int rank = 0; rank < 3; ++rank) {
        const std::string r = std::to_string(rank);
        expected.push_back("rank " + r + ": size 4, verbose 1, name x, then word; errno " + r +
                           "; " + std::to_string(5 + rank) + " " + r + " " +
                           std::to_string(7 + rank) + " " + r + "; a" + r + " b" + r + " c" + r +
                           "; rand its own; OWN=" + r + ", locale " +
                           (rank == 1 ? "C.UTF-8" : "C"));
    }
    EXPECT_THAT(sorted_lines(ended.out), ElementsAreArray(expected));
}

TEST_P(By, FortranHasItsOwnDataAndConstants) {
    if (path("fortran").empty()) GTEST_SKIP() << "mpich or gfortran is not installed";
    const Ended ended = run({"-n", "4", "--on", "infiniband-pcie", path("fortran")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    std::vector<std::string> expected;
    for (int rank = 0; rank < 4; ++rank) {
        const std::string left = std::to_string((rank + 3) % 4);
        expected.push_back("rank " + std::to_string(rank) + ": table " + std::to_string(3 + rank) +
                           ", sum 6.0, largest 3.0, got " + left + " from " + left + ", common " +
                           std::to_string(rank));
    }
    EXPECT_THAT(sorted_lines(ended.out), ElementsAreArray(expected));
}

TEST_P(By, CxxHasConstructorsExceptionsAndStreams) {
    if (path("cxx").empty()) GTEST_SKIP() << "mpich is not installed";
    const Ended ended = run({"-n", "3", path("cxx")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(sorted_lines(ended.out),
                ElementsAreArray({"global 11 ends", "global 12 ends", "global 13 ends",
                                  "rank 0: 3.14159, 0, even 0, slept an hour",
                                  "rank 1: 3.142, 1, odd 1, slept an hour",
                                  "rank 2: 3.14159, 2, even 2, slept an hour"}));
}

TEST_P(By, AnswersAreThoseOfARealRun) {
    if (path("own").empty()) GTEST_SKIP() << "mpich is not installed";
    for (const char* const name : {"own", "fortran", "openmp", "input"}) {
        if (path(name).empty()) continue;
        const std::string behind = " -n 3 " + path(name) + " </dev/null 2>/dev/null";
        EXPECT_EQ(
            sorted_lines(printed(RAILYARD_PROGRAM " run --summary none --on clan-via" + behind)),
            sorted_lines(printed(RAILYARD_MPIEXEC + behind)))
            << name;
    }
}

TEST_P(By, RankZeroHasTheInput) {
    if (path("input").empty()) GTEST_SKIP() << "mpich is not installed";
    EXPECT_THAT(
        sorted_lines(printed("printf '4\\n38\\n' | " RAILYARD_PROGRAM " run --summary none -n 2 " +
                             path("input"))),
        ElementsAreArray({"rank 0: read 38, sum 42", "rank 1: read -1, sum 42"}));
}

TEST_P(By, StreamsAreMovedByTheirRankAlone) {
    if (path("files").empty()) GTEST_SKIP() << "mpich is not installed";
    const cli::ScratchDirectory folder;
    const Ended ended = run({"-n", "2", path("files"), folder.file("out")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(sorted_lines(ended.out), ElementsAreArray({"before 0", "before 1"}));
    EXPECT_THAT(sorted_lines(ended.err), ElementsAreArray({"errors of 0", "errors of 1"}));
    EXPECT_EQ(results::read_file(folder.file("out.0")), "in the file of 0\n");
    EXPECT_EQ(results::read_file(folder.file("out.1")), "in the file of 1\n");
}

TEST_P(By, ThreadsThatComputeWork) {
    if (path("openmp").empty()) GTEST_SKIP() << "mpich is not installed";
    const Ended ended = run({"-n", "2", path("openmp")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(sorted_lines(ended.out), ElementsAreArray({"rank 0: sum 36, threads 0 1 2",
                                                           "rank 1: sum 36, threads 10 11 12"}));
}

std::string own_call(const std::string& by) {
    return program(by, "endings");
}

TEST(Executables, EndAsTheyWant) {
    const Ended code = run({"-n", "3", own_call("ours"), "code"});
    EXPECT_EQ(code.exit_code, 5) << code.err;
    EXPECT_EQ(code.out, "leaving\n");

    const Ended abort = run({"-n", "3", own_call("ours"), "abort"});
    EXPECT_EQ(abort.exit_code, 42);
    EXPECT_THAT(abort.err, HasSubstr("rank 1"));

    const Ended error = run({"-n", "3", own_call("ours"), "error"});
    EXPECT_NE(error.exit_code, 0);
    EXPECT_THAT(error.err, AllOf(HasSubstr("rank 1"), HasSubstr("MPI_Send"), HasSubstr("99")));

    const Ended replaced = run({"-n", "3", own_call("ours"), "exec"});
    EXPECT_NE(replaced.exit_code, 0);
    EXPECT_THAT(replaced.err, AllOf(HasSubstr("rank 1"), HasSubstr("exec() was called")));
}

TEST(Executables, ACrashNamesRankSignalAndPlace) {
    const Ended crash = run({"-n", "3", own_call("ours"), "crash"});
    EXPECT_EQ(crash.exit_code, -SIGSEGV);
    EXPECT_THAT(crash.err, AllOf(HasSubstr("rank 1"), HasSubstr("signal 11"),
                                 HasSubstr("address 0x8"), HasSubstr("endings")));
    const Ended assertion = run({"-n", "3", own_call("ours"), "assert"});
    EXPECT_EQ(assertion.exit_code, -SIGABRT);
    EXPECT_THAT(assertion.err, AllOf(HasSubstr("rank 1"), HasSubstr("rank == 0")));
}

TEST(Executables, ADeadlockSaysWhoWaitsForWhom) {
    const Ended ended = run({"-n", "3", own_call("ours"), "deadlock"});
    EXPECT_EQ(ended.exit_code, 35);
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("deadlock"), HasSubstr("MPI_Recv"), HasSubstr("rank 2")));
}

TEST(Executables, AnEndSaysWhatTheOthersWaitFor) {
    for (const char* const how : {"abort", "error", "crash"})
        EXPECT_THAT(run({"-n", "3", own_call("ours"), how, "while others wait"}).err,
                    AllOf(HasSubstr("rank 0 waits for rank 1 in MPI_Recv("),
                          HasSubstr("rank 2 waits for rank 1 in MPI_Recv("), HasSubstr("tag 7"),
                          Not(HasSubstr("rank 1 waits"))))
            << how;
}

TEST_P(By, ProgramsMayDiffer) {
    if (path("where").empty()) GTEST_SKIP() << "mpich is not installed";
    const cli::ScratchDirectory folder;
    fs::create_directory(folder.file("there"));
    const Ended ended = run({"-np",
                             "1",
                             "--on",
                             "clan-via",
                             "--compute",
                             "none",
                             path("where"),
                             folder.file("there"),
                             ":",
                             "-np",
                             "2",
                             "--env",
                             "ROLE=worker",
                             "--rank-directories",
                             folder.file("ranks"),
                             path("where"),
                             ":",
                             "-x",
                             "ROLE=a=b",
                             "--wdir",
                             folder.file("there"),
                             path("where")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(sorted_lines(ended.out),
                ElementsAreArray({"rank 0 of 4: where, role none, in there, day 0, Thu Jan  1",
                                  "rank 1 of 4: where, role worker, in 1, day 1, Fri Jan  2",
                                  "rank 2 of 4: where, role worker, in 2, day 2, Sat Jan  3",
                                  "rank 3 of 4: where, role a=b, in there, day 3, Sun Jan  4"}));
    EXPECT_EQ(results::read_file(folder.file("ranks/1/written")), "1\n");
    EXPECT_EQ(results::read_file(folder.file("ranks/2/written")), "2\n");
}

TEST_P(By, SessionsAloneAreEnough) {
    if (path("sessions").empty()) GTEST_SKIP() << "mpich is not installed";
    const Ended ended = cli::railyard({"run", "-n", "3", "--on", "clan-via", path("sessions")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(sorted_lines(ended.out),
                ElementsAreArray({"rank 0: sum 3", "rank 1: sum 3", "rank 2: sum 3"}));
    EXPECT_THAT(ended.err, Not(HasSubstr(" 0 messages")));  // what MPI counted is told
}

TEST(Executables, WhatIsComputedBeforeMpiIsNotCharged) {
    const cli::ScratchDirectory folder;
    const Ended ended = cli::railyard({"run", "-n", "2", "--summary", "json", "--wdir",
                                       folder.file("."), program("ours", "where")});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const std::string key = "\"virtual_seconds\": ";
    const std::size_t at = ended.out.find(key);
    ASSERT_NE(at, std::string::npos) << ended.out;
    EXPECT_LT(std::stod(ended.out.substr(at + key.size())), 0.02);  // of about 0.2
}

TEST(Executables, AreFoundOnThePath) {
    const cli::ScratchDirectory folder;
    const Ended ended = run({"-n", "1", "--rank-directories", folder.file("ranks"), "where"},
                            {"PATH=" RAILYARD_EXECUTABLES "/ours:/usr/bin:/bin"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "rank 0 of 1: where, role none, in 0, day 0, Thu Jan  1\n");
}

TEST(Executables, OptionsInTheWrongPlaceAreNamed) {
    const std::string where = program("ours", "where");
    EXPECT_THAT(run({where, "-n", "4"}).err, HasSubstr("railyard run -n 4"));
    EXPECT_THAT(run({where, "-np", "4"}).err, HasSubstr("behind the program's name"));
    EXPECT_THAT(run({"--wdir", "/tmp", "ring"}).err, HasSubstr("--wdir: is for executables"));
    EXPECT_THAT(run({"-l", "ring"}).err, HasSubstr("--label: is for executables"));
    EXPECT_THAT(run({"--env", "=x", where}).err, HasSubstr("NAME=VALUE"));
    EXPECT_THAT(run({"--wdir", "/no/such", where}).err, HasSubstr("/no/such"));
    EXPECT_THAT(run({where, ":"}).err, HasSubstr("missing behind ':'"));
    EXPECT_THAT(run({where, ":", "--on", "quadrics", where}).err,
                HasSubstr("--on: no option of a program behind ':'"));
    EXPECT_THAT(run({"--sweep", "ranks=2,4", where, ":", where}).err, HasSubstr("one program"));
    EXPECT_THAT(run({"--wdir", "/tmp", "--rank-directories", "/tmp/x", where}).err,
                HasSubstr("say the same"));
}

TEST(Executables, SpinningMovesTimeOn) {
    const Ended ended = run({"-n", "3", "--compute", "none", own_call("ours"), "spin"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(sorted_lines(ended.out),
                ElementsAreArray({"rank 0 has 2", "rank 1 has 0", "rank 2 has 1"}));
}

TEST(Executables, MayBeStripped) {
    const Ended ended = run({"-n", "2", program("ours", "stripped")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(sorted_lines(ended.out).size(), 2U);
}

TEST(Executables, MayHaveAThousandRanks) {
    const Ended ended = run({"-n", "1024", "--on", "quadrics", own_call("ours")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
}

TEST(Executables, LabelsAreOnRequest) {
    const Ended ended = run({"-n", "2", "-l", program("ours", "input")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("[0] rank 0"), HasSubstr("[1] rank 1")));
}

TEST(Executables, WhatCannotRunIsRefusedWithAdvice) {
    EXPECT_THAT(run({program("ours", "fixed")}).err,
                AllOf(HasSubstr("not position-independent"), HasSubstr("-pie")));
    EXPECT_THAT(run({"./no-such-program"}).err, HasSubstr("no such file"));
    EXPECT_THAT(run({RAILYARD_SOURCE_DIR "/scripts/soak"}).err, HasSubstr("a script"));
    EXPECT_THAT(run({RAILYARD_SOURCE_DIR "/README.md"}).err, HasSubstr("chmod +x"));
    const cli::ScratchDirectory folder;
    results::write_file(folder.file("text"), "no program at all");
    fs::permissions(folder.file("text"), fs::perms::owner_all);
    EXPECT_THAT(run({folder.file("text")}).err, HasSubstr("no executable"));
    EXPECT_THAT(run({"/bin/sh"}).err, HasSubstr("fork"));
    EXPECT_THAT(run({"--share", "libnone", program("ours", "own")}).err,
                HasSubstr("no such library"));
    EXPECT_THAT(run({"cg-of-mine"}).err, HasSubstr("./cg-of-mine"));
}

TEST(Executables, GdbKnowsTheCopies) {
    if (std::system("command -v gdb > /dev/null") != 0) GTEST_SKIP() << "there is no gdb";
    const std::string said =
        printed("printf 'bt\\nkill\\nquit\\n' | " RAILYARD_PROGRAM " run --gdb -n 2 " +
                program("ours", "endings") + " 2>&1");
    if (said.find("ptrace") != std::string::npos) GTEST_SKIP() << "nothing may be traced here";
    EXPECT_THAT(said, AllOf(HasSubstr("PMPI_Init"), HasSubstr("endings.c")));
}

/// Where Debian has ScaLAPACK's own tests, built for MPICH; empty: nowhere.
std::string scalapack() {
    for (const fs::path& folder : fs::directory_iterator("/usr/lib"))
        if (const fs::path tests = folder / "scalapack/mpich-tests"; fs::exists(tests / "xzqr"))
            return tests.string();
    return {};
}

TEST(Executables, ProgramsOfAPackageComputeWhatTheyShould) {
    const std::string folder = scalapack();
    if (folder.empty()) GTEST_SKIP() << "scalapack-mpi-test is not installed";
    const auto passed = AllOf(HasSubstr("352 tests completed and passed residual checks"),
                              HasSubstr("    0 tests completed and failed residual checks"));
    EXPECT_THAT(run({"-n", "4", "--on", "quadrics", "--wdir", folder, "./xzqr"}).out, passed);
    EXPECT_THAT(printed("cd " + folder + " && " RAILYARD_MPIEXEC " -n 4 ./xzqr 2>/dev/null"),
                passed);
}

/// Also with another environment, and from elsewhere without random addresses.
TEST(Executables, GiveTheSameBytesEachTime) {
    for (const char* const fabric : {"infiniband-pcie", "quadrics"}) {
        const Arguments call{
            "run",       "-n",   "8",         "--on", fabric,
            "--compute", "none", "--summary", "json", RAILYARD_EXECUTABLES "/../../bin/cg",
            "--class",   "S"};
        const Ended first = cli::railyard(call);
        ASSERT_EQ(first.exit_code, 0) << first.err;
        const Ended again = cli::railyard(call, {"ANOTHER=" + std::string(5000, 'x')});
        EXPECT_EQ(again.out, first.out);
        std::string words;
        for (const std::string& word : call)
            words += " " + word;
        if (std::system("setarch -R true 2>/dev/null") == 0) {
            EXPECT_EQ(printed("cd / && setarch -R " RAILYARD_PROGRAM + words), first.out);
        }
    }
}

/// The kernels as executables, and built in. (Not mg on quadrics: there it matters which buffers
/// lie where others lay before, and built-in programs share one heap.)
TEST(Executables, TakeTheTimeOfTheSameProgramBuiltIn) {
    for (const auto& [kernel, fabric] :
         {std::pair("cg", "quadrics"), std::pair("is", "quadrics"),
          std::pair("mg", "infiniband-pcie"), std::pair("lu", "clan-via")}) {
        const Arguments options{"run",       "-n",   "4",         "--on", fabric,
                                "--compute", "none", "--summary", "json"};
        const auto time_of = [&](const std::string& name) {
            Arguments call = options;
            call.insert(call.end(), {name, "--class", "S"});
            const Ended ended = cli::railyard(call);
            EXPECT_EQ(ended.exit_code, 0) << ended.err;
            const std::string key = "\"virtual_seconds\": ";
            const std::size_t at = ended.out.find(key);
            return at == std::string::npos ? ""
                                           : ended.out.substr(at, ended.out.find('\n', at) - at);
        };
        EXPECT_EQ(time_of(std::string(RAILYARD_EXECUTABLES "/../../bin/") + kernel),
                  time_of(kernel))
            << kernel;
    }
}

/// What decides how a program goes on always comes; and time is as ever.
TEST_P(By, WithoutPayloadTakesTheSameTime) {
    if (path("payload").empty()) GTEST_SKIP() << "mpich is not installed";
    for (const char* fabric : {"infiniband-pcie", "berkeley-via", "clan-via"}) {
        const auto told = [&](const char* payload) {
            Ended ended =
                cli::railyard({"run", "-n", "5", "--on", fabric, "--compute", "none", "--summary",
                               "json", "--payload", payload, path("payload")});
            EXPECT_EQ(ended.exit_code, 0) << ended.err;
            results::Json run = results::Json::parse(ended.out).front();
            run.erase("without_content");
            return std::pair(run.dump(), std::move(ended.err));
        };
        const auto [with, all_came] = told("on");
        const auto [without, some_came] = told("off");
        EXPECT_EQ(without, with) << fabric;
        EXPECT_THAT(all_came, Not(HasSubstr("stayed")));
        EXPECT_THAT(
            some_came,
            AllOf(HasSubstr("message of 64: came\n"), HasSubstr("message of 40000: stayed\n"),
                  HasSubstr("message of 1000: stayed\n"), HasSubstr("message of 1048576: stayed\n"),
                  HasSubstr("few with gaps: came\n"), HasSubstr("many with gaps: stayed\n"),
                  HasSubstr("broadcast: came\n"), HasSubstr("broadcast: stayed\n"),
                  HasSubstr("all to all: came\n"), HasSubstr("all to all: stayed\n"),
                  HasSubstr("put: came\n")))
            << fabric;
        EXPECT_THAT(some_came,
                    AllOf(Not(HasSubstr("reduction: stayed")), Not(HasSubstr("by counts: stayed"))))
            << fabric;
    }
}

}  // namespace
}  // namespace railyard
