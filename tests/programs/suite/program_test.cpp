// railyard-mpi-suite as users call it, on our library and, where it is installed, on MPICH.

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "railyard/results/results.hpp"

namespace railyard::suite {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace fs = std::filesystem;

struct Ended {
    int exit_code = -1;
    std::string said;  ///< on both streams
};

Ended call(const std::string& command) {
    Ended ended;
    FILE* const pipe = ::popen(("exec 2>&1; " + command).c_str(), "r");
    if (pipe == nullptr) return ended;
    std::array<char, 1000> text{};
    while (const auto n = std::fread(text.data(), 1, text.size(), pipe))
        ended.said.append(text.data(), n);
    const int status = ::pclose(pipe);
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ended;
}

class SuiteProgram : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "railyard-suite-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path output() const { return folder_ / "out.json"; }

    void expect_latencies(const std::string& start, const std::string& label) {
        const Ended ended = call(start + " --only mpi-latency --sizes 0,1K --iterations 20 " +
                                 "--output " + output().string());
        ASSERT_EQ(ended.exit_code, 0) << ended.said;
        const results::Results results = results::read(output());
        ASSERT_THAT(results.rows, SizeIs(2));
        EXPECT_THAT(results.rows, Each(Field(&results::Row::fabric, label)));
        EXPECT_THAT(results.rows, Each(Field(&results::Row::experiment, "mpi-latency")));
        EXPECT_EQ(results.rows[1].parameters,
                  (results::Parameters{{"message_bytes", std::int64_t{1024}}}));
        EXPECT_GT(results.rows[0].value, 0);
        EXPECT_EQ(results.rows[0].statistics.iterations, 20u);
        EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "nothing else is left";
    }

    fs::path folder_;
};

const std::string ours = RAILYARD_MPIEXEC " -n 2 " RAILYARD_SUITE;

TEST_F(SuiteProgram, MeasuresOurLibrary) {
    expect_latencies(ours, "railyard");
}

TEST_F(SuiteProgram, MeasuresMpichWhenBuiltWithItsCompiler) {
    if (std::string(RAILYARD_MPIEXEC_MPICH).empty()) GTEST_SKIP() << "MPICH is not installed";
    expect_latencies(RAILYARD_MPIEXEC_MPICH " -n 2 " RAILYARD_SUITE_OF_MPICH, "mpich");
}

TEST_F(SuiteProgram, TakesALabel) {
    const Ended ended =
        call(ours + " --only=mpi-init-time --label='a \"b\"' --output " + output().string());
    ASSERT_EQ(ended.exit_code, 0) << ended.said;
    const results::Results results = results::read(output());
    ASSERT_THAT(results.rows, SizeIs(1));
    EXPECT_EQ(results.rows[0].fabric, "a \"b\"");
}

TEST_F(SuiteProgram, LetsFurtherRanksLookOn) {
    const Ended ended =
        call(RAILYARD_MPIEXEC " -n 3 " RAILYARD_SUITE
                              " --only mpi-latency,barrier-latency --sizes 8 --iterations 5");
    ASSERT_EQ(ended.exit_code, 0) << ended.said;
    EXPECT_THAT(results::from_json(ended.said, "standard output").rows, SizeIs(2));
}

TEST_F(SuiteProgram, SaysWhatItLeavesOut) {
    const Ended ended = call(RAILYARD_SUITE " --only mpi-latency --output " + output().string());
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.said, "mpi-latency: left out, for it needs 2 ranks and there are 1\n");
    EXPECT_THAT(results::read(output()).rows, SizeIs(0));
}

TEST_F(SuiteProgram, ListsAndHelps) {
    const Ended list = call(ours + " --list");
    EXPECT_EQ(list.exit_code, 0);
    EXPECT_THAT(list.said, HasSubstr("\nmpi-logp "));
    const Ended help = call(ours + " --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.said, HasSubstr("--sizes"));
}

void expect_refused(const std::string& options, const std::string& complaint) {
    // Once, though there are two ranks; the launcher may add its own words.
    const Ended ended = call(ours + " " + options);
    EXPECT_EQ(ended.exit_code, 2) << options;
    const auto first = ended.said.find("railyard-mpi-suite: " + complaint + "\n");
    EXPECT_NE(first, std::string::npos) << ended.said;
    EXPECT_EQ(ended.said.find("railyard-mpi-suite: " + complaint, first + 1), std::string::npos);
}

TEST_F(SuiteProgram, RefusesWhatItDoesNotUnderstand) {
    expect_refused("--fast", "'--fast' is not understood; see --help");
    expect_refused("--only mpi-latency,x",
                   "--only: there is no procedure 'x'; --list shows those that there are");
    expect_refused("--sizes 4Q", "--sizes: expected sizes below 2G such as 0,8,4K,1M, found '4Q'");
    expect_refused("--sizes 2048M",
                   "--sizes: expected sizes below 2G such as 0,8,4K,1M, found '2048M'");
    expect_refused("--iterations 0", "--iterations: expected a number from 1 on, found '0'");
    expect_refused("--label", "--label: a value is missing behind it; see --help");
}

TEST_F(SuiteProgram, SaysAtOnceThatItCannotWrite) {
    const Ended ended = call(ours + " --output " + (folder_ / "no" / "out.json").string());
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.said, HasSubstr("no/out.json': No such file or directory"));
    const Ended onto_folder = call(ours + " --output " + folder_.string());
    EXPECT_EQ(onto_folder.exit_code, 1);
    EXPECT_THAT(onto_folder.said, HasSubstr("': Is a directory"));
}

}  // namespace
}  // namespace railyard::suite
