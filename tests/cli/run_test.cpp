// `railyard run`: MPI programs in virtual time; and `railyard mpi-info`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "cli/program.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class EveryProgram : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Run, EveryProgram,
                         ::testing::Values("hello", "ping-pong", "ring", "barrier", "broadcast",
                                           "allreduce", "all-to-all", "stencil", "halo"),
                         [](const auto& each) {
                             std::string name = each.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST_P(EveryProgram, GivesTheSameOutputEachTime) {
    for (const char* fabric : {"ideal", "infiniband-pcie", "berkeley-via", "quadrics"}) {
        const Arguments call{"run", "-n", "6", "--on", fabric, GetParam()};
        const Ended first = railyard(call);
        EXPECT_EQ(first.exit_code, 0) << fabric << first.err;
        EXPECT_NE(first.out, "") << fabric;
        EXPECT_THAT(first.out, Not(HasSubstr("WRONG"))) << fabric;
        EXPECT_EQ(railyard(call).out, first.out) << fabric;
    }
}

/// What the program says behind these words.
double number_behind(const std::string& words, Arguments call) {
    call.insert(call.begin(), {"run", "--on", "quadrics"});
    const Ended ended = railyard(call);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::size_t at = ended.out.find(words);
    return at == std::string::npos ? 0 : std::stod(ended.out.substr(at + words.size()));
}

/// The time of one barrier.
double barrier_us(Arguments call) {
    call.push_back("barrier");
    return number_behind("ranks: ", call);
}

/// The time of one broadcast.
double broadcast_us(Arguments call, const char* size) {
    call.insert(call.end(), {"broadcast", "--size", size});
    return number_behind("bytes: ", call);
}

TEST(Run, BarriersOfARangeOfNodesAreTheNetworks) {
    const double few = barrier_us({"-n", "4"});
    const double many = barrier_us({"-n", "256"});
    EXPECT_LT(many, 1.5 * few) << "a packet to all, and one back";
    EXPECT_GT(barrier_us({"-n", "256", "--set", "network-barrier=off"}), 5 * many);
    EXPECT_GT(barrier_us({"-n", "8", "--ranks-per-node", "2"}), 3 * few) << "two on a node";
}

TEST(Run, BroadcastsToARangeOfNodesAreTheNetworks) {
    const double few = broadcast_us({"-n", "4"}, "4K");
    const double many = broadcast_us({"-n", "256"}, "4K");
    EXPECT_LT(many, 1.1 * few) << "one packet for all";
    EXPECT_GT(broadcast_us({"-n", "256", "--set", "network-broadcast=off"}, "4K"), 5 * many);
    EXPECT_GT(broadcast_us({"-n", "8", "--ranks-per-node", "2"}, "4K"), 1.5 * few)
        << "two on a node";
    for (const char* size : {"8", "4K", "64K", "1M"})
        EXPECT_LT(broadcast_us({"-n", "4"}, size),
                  broadcast_us({"-n", "4", "--set", "network-broadcast=off"}, size))
            << size << ": better than by messages, however few there are";
}

TEST_P(EveryProgram, RunsAlone) {
    const Ended ended = railyard({"run", "-n", "1", GetParam()});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out, "");
}

TEST_P(EveryProgram, HasHelpAndRefusesWhatItDoesNotKnow) {
    const Ended help = railyard({"run", "-n", "3", GetParam(), "--help"});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_NE(help.out, "");
    const std::string name = GetParam();
    const Ended refused = railyard({"run", name, "--colour", "red"});
    EXPECT_EQ(refused.err, name + ": '--colour' is not understood; see `railyard run " + name +
                               " --help`; options of `railyard run` itself stand before " + name +
                               "\n");
    EXPECT_EQ(refused.exit_code, 2);
}

TEST(Run, OptionsOfAProgramAreItsOwn) {
    EXPECT_THAT(railyard({"run", "-n", "4", "ring", "--size=4K", "--iterations", "2"}).out,
                StartsWith("ring of 4 ranks, 4096 bytes: "));
    EXPECT_THAT(railyard({"run", "ring", "--iterations", "none"}).err,
                HasSubstr("--iterations: expected a number from 1 on, found 'none'"));
}

TEST(Run, NothingAtAllHasARateOfNothing) {
    const Ended ended = railyard({"run", "-n", "4", "--on", "ideal", "all-to-all", "--size", "0"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, HasSubstr("0 bytes a block: 0.000 us, 0.0 MB/s a rank\n"));
}

TEST(Run, HasTheNasKernels) {
    const Arguments call{"run", "-n", "4", "--on", "clan-via", "cg", "--class", "S"};
    const Ended first = railyard(call);
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr(" Verification    =               SUCCESSFUL\n"));
    EXPECT_EQ(railyard(call).out, first.out);
    const Ended refused = railyard({"run", "-n", "3", "mg"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("MG: class S runs on a power of two of ranks"));
}

TEST(Run, RanksShareNodesAsTheyAreTold) {
    EXPECT_EQ(railyard({"run", "-n", "4", "--ranks-per-node", "2", "hello"}).out,
              "rank 0 of 4 on node0\nrank 1 of 4 on node0\n"
              "rank 2 of 4 on node1\nrank 3 of 4 on node1\n");
    EXPECT_EQ(railyard({"run", "-n", "3", "--nodes", "2", "hello"}).out,
              "rank 0 of 3 on node0\nrank 1 of 3 on node0\nrank 2 of 3 on node1\n");
    EXPECT_THAT(complaint({"run", "--nodes", "1", "--ranks-per-node", "2", "hello"}),
                HasSubstr("give one of them"));
}

TEST(Run, SettingsReachTheLibrary) {
    const auto time_with = [](const Arguments& options) {
        Arguments call{"run", "-n", "2", "--on", "infiniband-pcie"};
        call.insert(call.end(), options.begin(), options.end());
        call.insert(call.end(), {"ring", "--size", "3K"});
        const Ended ended = railyard(call);
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    };
    EXPECT_NE(time_with({"--set", "eager-limit=1K"}), time_with({"--set", "eager-limit=4K"}));
    EXPECT_THAT(complaint({"run", "--mpi", "other", "ring"}),
                HasSubstr("--mpi: 'other' is none of native, paper"));
    // Whatever comes first: they go together.
    time_with(
        {"--set", "eager-limit=32K", "--set", "segment-size=32K", "--set", "ring-bytes=256K"});
    EXPECT_THAT(complaint({"run", "--set", "eager-limit=1M", "ring"}),
                HasSubstr("below a quarter of ring-bytes"));
    EXPECT_THAT(complaint({"run", "--set", "matching=luck", "ring"}),
                HasSubstr("--set matching: 'luck' is none of "));
    EXPECT_THAT(complaint({"run", "--set", "eager-limt=1K", "ring"}),
                HasSubstr("did you mean 'eager-limit'?"));
    EXPECT_THAT(complaint({"run", "--set", "eager", "ring"}), HasSubstr("--set: expected"));
    EXPECT_THAT(complaint({"run", "--connections", "never", "ring"}), HasSubstr("'never'"));
}

// OD-11: in virtual time, too, there is a progress thread to be had. Where everybody waits inside
// calls it changes nothing.
TEST(Run, TakesAProgressThread) {
    const auto with = [](const std::string& word) {
        const Ended ended = railyard(
            {"run", "-n", "4", "--on", "clan-via", "--set", "progress-thread=" + word, "ring"});
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        return ended.out;
    };
    EXPECT_EQ(with("on"), with("off"));
    EXPECT_EQ(with("on"), with("on"));
}

TEST(Run, ATraceIsWritten) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("trace.json");
    EXPECT_EQ(railyard({"run", "--on", "quadrics", "--trace", file, "ring"}).exit_code, 0);
    EXPECT_THAT(results::read_file(file), HasSubstr("traceEvents"));
}

TEST(Run, ATraceHasRanksAboveTheNetwork) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("trace.json");
    const auto processes = [&](const Arguments& more) {
        Arguments call{"run", "-n", "3", "--on", "quadrics", "--trace", file};
        call.insert(call.end(), more.begin(), more.end());
        call.insert(call.end(), {"ring", "--iterations", "2"});
        EXPECT_EQ(railyard(call).exit_code, 0);
        std::map<std::string, std::set<std::string>> slices;  // by the process' name
        std::map<int, std::string> names;
        int arrows = 0;
        const auto trace = results::Json::parse(results::read_file(file));
        for (const auto& event : trace["traceEvents"]) {
            if (event["name"] == "process_name") names[event["pid"]] = event["args"]["name"];
            if (event["ph"] == "X") slices[names[event["pid"]]].insert(event["name"]);
            if (event["ph"] == "f") ++arrows;
        }
        EXPECT_EQ(names[1], "ranks") << "at the top";
        return std::pair(slices, arrows);
    };
    const auto [all, arrows] = processes({});
    EXPECT_TRUE(all.at("ranks").contains("MPI_Send"));
    EXPECT_TRUE(all.contains("node 0"));
    EXPECT_GT(arrows, 0);
    // Nothing goes on a second later.
    const auto [later, no_arrows] = processes({"--trace-from", "1s"});
    EXPECT_TRUE(later.empty());
    EXPECT_EQ(no_arrows, 0);
    const auto [first, few] = processes({"--trace-to", "1ps"});
    EXPECT_TRUE(first.at("ranks").contains("MPI_Init"));
    EXPECT_FALSE(first.at("ranks").contains("MPI_Finalize"));
    EXPECT_THAT(complaint({"run", "--trace", file, "--trace-to", "soon", "ring"}),
                HasSubstr("--trace-to: "));
    EXPECT_THAT(complaint({"run", "--trace-to", "1ms", "ring"}), HasSubstr("with --trace"));
    EXPECT_THAT(
        complaint({"run", "--trace", file, "--trace-from", "2ms", "--trace-to", "1ms", "ring"}),
        HasSubstr("is not after --trace-from"));
}

TEST(Run, ReplaysARecordingWithoutTheProgram) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("is.gz");
    ASSERT_EQ(
        railyard({"run", "-n", "4", "--compute", "record:" + file, "is", "--quiet"}).exit_code, 0);
    const Arguments replay{"run", "--on", "clan-via", "--compute", "replay×3:" + file};
    Arguments program = replay;
    program.insert(program.end(), {"-n", "4", "is", "--quiet"});
    const Ended without = railyard(replay);
    EXPECT_EQ(without.exit_code, 0);
    EXPECT_THAT(without.err, StartsWith("is on clan-via: "));
    EXPECT_EQ(without.err, railyard(program).err) << "as long as with it";

    Arguments more = replay;
    more.insert(more.end(), {"-n", "8"});
    EXPECT_THAT(complaint(more), HasSubstr("recorded by `railyard run -n 4 is --quiet`"));
    results::write_file(file, results::read_file(file).substr(0, 100));
    const Ended damaged = railyard(replay);
    EXPECT_EQ(damaged.exit_code, 1);
    EXPECT_THAT(damaged.err, AllOf(HasSubstr(file), HasSubstr("damaged or cut off")));
}

TEST(Run, WrongCallsAreExplained) {
    EXPECT_EQ(complaint({"run"}),
              "railyard: run what? Name a program; `railyard run --help` lists them\n");
    EXPECT_EQ(complaint({"run", "rign"}),
              "railyard: unknown program 'rign'; did you mean 'ring'? `railyard run --help` lists "
              "all; an executable is named by its path (./rign), or found on the PATH\n");
    EXPECT_EQ(complaint({"run", "--onn", "ideal", "ring"}),
              "railyard: unknown option '--onn'; `railyard run --help` lists all\n");
    EXPECT_EQ(complaint({"run", "-n", "0", "ring"}),
              "railyard: -n: expected a whole number from 1 to 65536, found '0'\n");
    EXPECT_EQ(complaint({"run", "./ring"}), "railyard: cannot run ./ring: there is no such file\n");
    EXPECT_EQ(complaint({"run", "--on", "shm", "ring"}),
              "railyard: --on: shm moves bytes, and `railyard run` runs in virtual time; programs "
              "on shm are started with `mpiexec --on shm`\n");
}

TEST(Run, HelpListsThePrograms) {
    const Ended help = railyard({"run", "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("ping-pong"), HasSubstr("stencil"),
                                HasSubstr("Examples:\n  railyard run")));
}

TEST(MpiInfo, ShowsSettingsAndWhereTheyComeFrom) {
    const Ended ended = railyard({"mpi-info"}, {"RAILYARD_MPI_EAGER_LIMIT=2K"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, ::testing::ContainsRegex(
                               "eager-limit +2 KiB +.*environment.*RAILYARD_MPI_EAGER_LIMIT"));
    EXPECT_THAT(ended.out, HasSubstr("queued sends"));
    EXPECT_NE(railyard({"mpi-info", "--on", "berkeley-via"}).out, railyard({"mpi-info"}).out);
    EXPECT_EQ(railyard({"mpi-info"}, {"RAILYARD_MPI_EAGER_LIMIT=much"}).exit_code, 2);
}

}  // namespace
}  // namespace railyard::cli
