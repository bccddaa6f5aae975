// What mpiexec does with the programs it starts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Texts = std::multiset<std::string>;

TEST(Mpiexec, RanksFindEachOther) {
    for (const int ranks : {1, 2, 3, 8}) {
        const Ended ended = mpiexec({"-n", std::to_string(ranks), rank_program(), "meet"});
        EXPECT_EQ(ended.exit_code, 0) << ended.err;
        EXPECT_EQ(ended.err, "");
        Texts expected;
        for (int rank = 0; rank < ranks; ++rank)
            expected.insert("rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                            ", next is " + std::to_string((rank + 1) % ranks));
        EXPECT_EQ(lines(ended.out), expected);
    }
}

TEST(Mpiexec, AProgramWithoutALauncherIsAlone) {
    const Ended ended = command(rank_program(), {"meet"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, "rank 0 of 1, next is 0\n");
}

TEST(Mpiexec, SixtyFourRanksStart) {
    const Ended ended = mpiexec({"-np", "64", rank_program(), "meet"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out).size(), 64u);
}

TEST(Mpiexec, RanksOpenTheFabricThatWasAskedFor) {
    const Ended ended = mpiexec({"-n", "2", "--on", "shm", rank_program(), "nic"});
    EXPECT_EQ(lines(ended.out), (Texts{"rank 0 is on shm", "rank 1 is on shm"}));
}

TEST(Mpiexec, ProgramsThatAreNoRanksRunToo) {
    const Ended ended = mpiexec({"-n", "3", "echo", "here", ":", "echo", "there"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out), (Texts{"here", "here", "here", "there"}));
}

TEST(Mpiexec, SeveralProgramsAreOneJob) {
    const Ended ended = mpiexec({"-n", "1", rank_program(), "meet", ":", "-n", "2", "sh", "-c",
                                 "echo wrapped; exec " + rank_program() + " meet"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out), (Texts{"rank 0 of 3, next is 1", "rank 1 of 3, next is 2",
                                       "rank 2 of 3, next is 0", "wrapped", "wrapped"}));
}

TEST(Mpiexec, ARankMayStandBehindAShell) {
    const Ended ended = mpiexec({"-n", "2", "sh", "-c", rank_program() + " meet; true"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out).size(), 2u);
}

TEST(Mpiexec, ASecondProgramOfTheSameRankIsRefused) {
    const Ended ended =
        mpiexec({"-n", "1", "sh", "-c", rank_program() + " meet; " + rank_program() + " meet"});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_THAT(ended.err, HasSubstr("rank 0 of this job was here before"));
}

TEST(Mpiexec, WhatARankStartsIsNoRank) {
    const std::string look = "echo job=$RAILYARD_JOB; ls /proc/self/fd | wc -l; ";
    const Ended ended =
        mpiexec({"-n", "2", rank_program(), "system", look + rank_program() + " meet"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    // As many descriptors as without us.
    EXPECT_THAT(ended.out, StartsWith(command("/bin/sh", {"-c", look}).out));
    EXPECT_THAT(ended.out, HasSubstr("rank 0 of 1"));
}

TEST(Mpiexec, AnInvitationOfAnotherVersionIsRefused) {
    const Ended ended = command("/usr/bin/env", {"RAILYARD_JOB=a:b", rank_program(), "meet"});
    EXPECT_EQ(ended.exit_code, 5);
    EXPECT_THAT(ended.err, HasSubstr("RAILYARD_JOB=a:b: not of this version"));
}

TEST(Mpiexec, LinesHaveLabels) {
    for (const char* option : {"-l", "--label", "-prepend-rank"}) {
        const Ended ended = mpiexec({option, "-n", "2", "sh", "-c", "echo out; printf half >&2"});
        EXPECT_EQ(lines(ended.out), (Texts{"[0] out", "[1] out"})) << option;
        EXPECT_EQ(lines(ended.err), (Texts{"[0] half", "[1] half"})) << option;
    }
}

TEST(Mpiexec, TheInputGoesToRankZero) {
    const Ended ended = mpiexec({"-l", "-n", "3", "cat"}, "first\nsecond\n");
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.out, "[0] first\n[0] second\n");
}

TEST(Mpiexec, VariablesReachThePrograms) {
    const std::string show = "echo $RAILYARD_RANK/$RAILYARD_SIZE a=$A b=$B c=$C d=$D";
    const Ended ended =
        mpiexec({"-genv", "A",    "1", "-env", "B",    "2", "-x",  "D=5", "sh", "-c", show,
                 ":",     "-env", "A", "own",  "-env", "C", "x=y", "sh",  "-c", show});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(lines(ended.out), (Texts{"0/2 a=1 b=2 c= d=5", "1/2 a=own b= c=x=y d=5"}));
}

TEST(Mpiexec, SettingsOfTheLibraryAreVariables) {
    const Ended ended =
        mpiexec({"--connections", "static-peer", "--stats", "--set", "eager-limit=4K", "sh", "-c",
                 "echo $RAILYARD_MPI_CONNECTIONS $RAILYARD_MPI_STATS $RAILYARD_MPI_EAGER_LIMIT"});
    EXPECT_EQ(ended.out, "static-peer 1 4K\n");
}

TEST(Mpiexec, ProgramsWorkWhereTheyAreTold) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path();
    const Ended ended = mpiexec({"-wdir", folder.string(), "pwd", "-P"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out, std::filesystem::canonical(folder).string() + "\n");
}

TEST(Mpiexec, EachRankHasACoreOfItsOwnOrNot) {
    const Words ask{"sh", "-c", "grep Cpus_allowed_list /proc/self/status"};
    const auto with = [&](Words words) {
        words.insert(words.end(), ask.begin(), ask.end());
        return mpiexec(words);
    };
    const std::string all = command("/bin/sh", {"-c", ask[2]}).out;
    EXPECT_EQ(with({"--bind-to", "none"}).out, all);
    const std::string one = with({"--bind-to", "core"}).out;
    EXPECT_EQ(one.find_first_of(",-", one.find(':')), std::string::npos) << one;
    EXPECT_EQ(with({}).out, one);
}

TEST(Mpiexec, HarmlessOptionsOfOthersAreAccepted) {
    const Ended quiet = mpiexec({"--oversubscribe", "--allow-run-as-root", "-n", "2", "echo", "x"});
    EXPECT_EQ(quiet.exit_code, 0);
    EXPECT_EQ(quiet.err, "");
    const Ended noted =
        mpiexec({"--mca", "btl", "self", "-map-by", "core", "-hosts", "localhost", "echo", "x"});
    EXPECT_EQ(noted.exit_code, 0);
    EXPECT_EQ(noted.out, "x\n");
    EXPECT_THAT(noted.err, HasSubstr("note: -mca: ignored"));
    EXPECT_THAT(noted.err, HasSubstr("note: -map-by: ignored: ranks go to hosts in their order"));
}

TEST(Mpiexec, HasTwoNames) {
    EXPECT_THAT(command("mpirun", {"--version"}).out, StartsWith("mpirun (Railyard) 0."));
    EXPECT_THAT(command("mpirun", {"--help"}).out, HasSubstr("mpirun -n 4 ./hello"));
}

}  // namespace
}  // namespace railyard::mpiexec
