// What only a job of processes has: pids, signals, exit codes, descriptors, output.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "helpers.hpp"
#include "launch/job/job.hpp"
#include "process_fixture.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ProcessJob, RanksAreProcesses) {
    const Result result =
        run(options(3), [](Rank& rank) { rank.deliver(std::to_string(::getpid())); });
    EXPECT_TRUE(result.ok);
    const auto pids = sorted(result.delivered);
    EXPECT_EQ(std::set(pids.begin(), pids.end()).size(), 3u);
    EXPECT_FALSE(pids.contains(std::to_string(::getpid())));
}

TEST_F(ProcessJob, ARankKilledEndsTheOthers) {
    const Stopwatch watch;
    const Result result = run(options(8), [](Rank& rank) {
        if (rank.id() == 3) rank.deliver(std::to_string(::getpid()));
        rank.bootstrap().fence();
        if (rank.id() == 3) ::kill(::getpid(), SIGKILL);
        wait_for_ever(rank);
    });
    EXPECT_LT(watch.seconds(), within(2));
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, 128 + SIGKILL);
    ASSERT_EQ(result.delivered.size(), 1u);
    EXPECT_EQ(result.failure, fmt::format("rank 3 (pid {}) was killed by signal 9 (Killed)",
                                          result.delivered.front()));
}

TEST_F(ProcessJob, ThoseWhoDoNotListenAreKilled) {
    const Stopwatch watch;
    const Result result = run(options(4), [](Rank& rank) {
        ::signal(SIGTERM, SIG_IGN);
        rank.bootstrap().fence();
        if (rank.id() == 0) ::_exit(7);
        wait_for_ever(rank);
    });
    EXPECT_GE(watch.seconds(), 0.9);  // They were asked first.
    EXPECT_LT(watch.seconds(), within(2));
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_THAT(result.failure, ::testing::ContainsRegex("rank 0 .pid [0-9]+. exited with code 7"));
}

TEST_F(ProcessJob, ThoseWhoListenMayTidyUp) {
    const Result result = run(options(2), [](Rank& rank) {
        static Rank* self = nullptr;
        self = &rank;
        ::signal(SIGTERM, [](int) {
            self->deliver("tidied up");
            ::_exit(0);
        });
        rank.bootstrap().fence();
        if (rank.id() == 0) ::_exit(3);
        wait_for_ever(rank);
    });
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.delivered, ElementsAre("tidied up"));
}

TEST_F(ProcessJob, AbortIsASignal) {
    const Result result = run(options(2), [](Rank& rank) {
        if (rank.id() == 1) std::abort();
        wait_for_ever(rank);
    });
    EXPECT_EQ(result.exit_code, 128 + SIGABRT);
    EXPECT_THAT(result.failure,
                AllOf(HasSubstr("rank 1"), HasSubstr("was killed by signal 6 (Aborted)")));
}

TEST_F(ProcessJob, ACleanExitInsideTheBodyIsFine) {
    const Result result = run(options(2), [](Rank& rank) {
        rank.deliver("here");
        if (rank.id() == 0) ::exit(0);
        ::_exit(0);
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_EQ(result.delivered.size(), 2u);
}

TEST_F(ProcessJob, AnExceptionIsPrinted) {
    ::testing::internal::CaptureStderr();
    const Result result = run(options(4), [](Rank& rank) {
        if (rank.id() == 3) throw Error("nothing works");
        wait_for_ever(rank);
    });
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "rank 3: nothing works\n");
    EXPECT_THAT(result.failure,
                ::testing::ContainsRegex("rank 3 .pid [0-9]+. failed: nothing works"));
    EXPECT_EQ(result.exit_code, 1);
}

TEST_F(ProcessJob, WhatIsBufferedIsPrintedOnce) {
    ::testing::internal::CaptureStdout();
    ::printf("launcher ");
    const Result result = run(options(2), [](Rank& rank) {
        if (rank.id() == 1) rank.bootstrap().get(0, "printed");
        ::printf("rank%d ", rank.id());
        ::fflush(stdout);
        rank.bootstrap().put("printed", {});
        if (rank.id() == 1) ::printf("end");  // Left in the buffer.
    });
    ::fflush(stdout);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "launcher rank0 rank1 end");
    EXPECT_TRUE(result.ok);
}

TEST_F(ProcessJob, LabelsWholeLines) {
    Options labelled = options(3);
    labelled.label_output = true;
    const std::string long_line(1'000'000, 'l');
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const Result result = run(labelled, [&](Rank& rank) {
        rank.bootstrap().fence();
        ::printf("first of %d\n%s\nno newline", rank.id(), long_line.c_str());
        ::fprintf(stderr, "error of %d", rank.id());
    });
    std::istringstream output(::testing::internal::GetCapturedStdout());
    std::istringstream errors(::testing::internal::GetCapturedStderr());
    EXPECT_TRUE(result.ok) << result.failure;

    const auto lines_of = [](std::istringstream& stream) {
        std::vector<std::string> lines;
        for (std::string line; std::getline(stream, line);)
            lines.push_back(line);
        return lines;
    };
    const auto lines = lines_of(output);
    ASSERT_EQ(lines.size(), 9u);
    for (int rank = 0; rank < 3; ++rank) {
        const std::string label = fmt::format("[{}] ", rank);
        std::vector<std::string> mine;
        for (const std::string& line : lines)
            if (line.starts_with(label)) mine.push_back(line.substr(label.size()));
        EXPECT_THAT(mine, ElementsAre(fmt::format("first of {}", rank), long_line, "no newline"));
    }
    const auto error_lines = lines_of(errors);
    EXPECT_EQ(sorted(error_lines),
              (std::multiset<std::string>{"[0] error of 0", "[1] error of 1", "[2] error of 2"}));
}

TEST_F(ProcessJob, LabelsSurviveAKill) {
    Options labelled = options(2);
    labelled.label_output = true;
    ::testing::internal::CaptureStdout();
    const Result result = run(labelled, [&](Rank& rank) {
        if (rank.id() == 1) wait_for_ever(rank);
        ::printf("a whole line\n");
        ::raise(SIGKILL);
    });
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "[0] a whole line\n");
    EXPECT_EQ(result.exit_code, 128 + SIGKILL);
}

TEST_F(ProcessJob, AProcessThatARankLeavesBehindHoldsNobodyUp) {
    // It keeps the rank's pipes open; the job must not wait for them.
    Options labelled = options(1);
    labelled.label_output = true;
    ::testing::internal::CaptureStdout();
    const Stopwatch watch;
    const Result result = run(labelled, [](Rank& rank) {
        const pid_t left_behind = ::fork();
        if (left_behind == 0) {
            ::sleep(3);
            ::_exit(0);
        }
        ::printf("bye\n");
        rank.deliver("done");
    });
    EXPECT_LT(watch.seconds(), within(2));
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "[0] bye\n");
    EXPECT_THAT(result.delivered, ElementsAre("done"));
}

TEST_F(ProcessJob, ARankMayRunAJobItself) {
    const Result result = run(options(2), [](Rank& rank) {
        const Result inner =
            run(options(2), [](Rank& deeper) { deeper.deliver(std::to_string(deeper.id())); });
        if (!inner.ok || inner.delivered.size() != 2) throw Error(inner.failure);
        rank.deliver("both");
    });
    EXPECT_TRUE(result.ok) << result.failure;
    EXPECT_THAT(result.delivered, ElementsAre("both", "both"));
}

TEST_F(ProcessJob, ALauncherThatIgnoresItsChildrenStillHearsOfThem) {
    ::signal(SIGCHLD, SIG_IGN);
    const Result result = run(options(2), [](Rank& rank) {
        if (rank.id() == 1) ::_exit(9);
        wait_for_ever(rank);
    });
    struct sigaction now {};
    ::sigaction(SIGCHLD, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);
    EXPECT_EQ(result.exit_code, 9);
}

TEST_F(ProcessJob, RaisesTheFileLimitForManyRanks) {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit low{40, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    const Result result = run(options(40), [](Rank& rank) {
        rlimit mine{};
        ::getrlimit(RLIMIT_NOFILE, &mine);
        if (mine.rlim_cur != 40) throw Error("the rank has another limit than its launcher");
        if (open_descriptors() > 20) throw Error("the rank holds the launcher's descriptors");
        rank.bootstrap().fence();
    });
    rlimit after{};
    ::getrlimit(RLIMIT_NOFILE, &after);
    EXPECT_EQ(after.rlim_cur, 40u);
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_F(ProcessJob, PinsEachRankToACoreOfItsOwn) {
    const Result result = run(options(2), [](Rank& rank) {
        cpu_set_t cores;
        ::sched_getaffinity(0, sizeof cores, &cores);
        if (CPU_COUNT(&cores) == 1)
            rank.deliver(std::to_string(::sched_getcpu()));
        else
            rank.deliver("unpinned");
    });
    ASSERT_EQ(result.delivered.size(), 2u);
    if (std::thread::hardware_concurrency() >= 2) {
        EXPECT_NE(result.delivered[0], "unpinned");
        EXPECT_NE(result.delivered[0], result.delivered[1]);
    }
}

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST_F(ProcessJob, WaitingCostsNoProcessorTime) {
    const double launcher_before = cpu_seconds();
    const Result result = run(options(16), [](Rank& rank) {
        rank.bootstrap().fence();
        if (rank.id() == 0) {
            ::sleep(1);
            rank.bootstrap().put("go", {});
            return;
        }
        const double before = cpu_seconds();
        rank.bootstrap().get(0, "go");
        rank.deliver(std::to_string(cpu_seconds() - before));
    });
    const double launcher = cpu_seconds() - launcher_before;
    ASSERT_EQ(result.delivered.size(), 15u) << result.failure;
    double all = 0;
    for (const std::string& each : result.delivered)
        all += std::stod(each);
    EXPECT_LT(all, 0.02);       // 2 % of a core over one second
    EXPECT_LT(launcher, 0.25);  // Mostly for forking.
}

TEST_F(ProcessJob, StartsQuickly) {
    run(options(1), [](Rank&) {});  // The first look at the machine is not what is measured.
    const Stopwatch watch;
    const Result result = run(options(64), [](Rank& rank) { rank.bootstrap().fence(); });
    const double seconds = watch.seconds();
    EXPECT_TRUE(result.ok) << result.failure;
    fmt::print("64 ranks started, met and ended in {:.1f} ms\n", seconds * 1e3);
    EXPECT_LT(seconds, sanitized ? 10 : within(1));
}

TEST_F(ProcessJob, OnlyOneAtATimeInAProcess) {
    SharedCounter running;
    std::thread first([&] {
        run(options(1), [&](Rank&) {
            running->store(1);
            while (running->load() == 1)
                ::usleep(1000);
        });
    });
    while (running->load() == 0)
        ::usleep(1000);
    EXPECT_THROW(run(options(1), [](Rank&) {}), Error);
    running->store(2);
    first.join();
}

}  // namespace
}  // namespace railyard::job
