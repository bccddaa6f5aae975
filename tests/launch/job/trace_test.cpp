// A job in virtual time leaves a trace of its run, if asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "helpers.hpp"
#include "hosts/virtual_host.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "sim/trace.hpp"

namespace railyard::job {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class JobTrace : public ::testing::Test {
  protected:
    JobTrace() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(::testing::TempDir()) /
                  ("railyard-trace-" + std::to_string(::getpid()) + test->name());
        std::filesystem::create_directory(folder_);
    }
    ~JobTrace() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path file() const { return folder_ / "out.json"; }
    std::string content() const {
        std::ostringstream text;
        text << std::ifstream(file()).rdbuf();
        return text.str();
    }
    Options traced(int ranks) const {
        Options options = testing::options(Kind::fibers, ranks);
        options.trace = file();
        return options;
    }

    std::filesystem::path folder_;
};

/// As a part of a model does it.
void work(Rank& rank, Duration duration) {
    sim::Engine& engine = dynamic_cast<hosts::VirtualHost&>(rank.host()).engine();
    const Time begin = rank.host().now();
    rank.host().compute(duration);
    if (sim::Trace* trace = engine.trace())
        trace->slice(trace->lane("rank " + std::to_string(rank.id()), "processor"), "work", begin,
                     rank.host().now(), 7);
}

TEST_F(JobTrace, ShowsWhatPartsDid) {
    const auto body = [](Rank& rank) { work(rank, Duration::ns(1500)); };
    ASSERT_TRUE(run(traced(2), body).ok);
    const std::string once = content();
    EXPECT_THAT(once, HasSubstr(R"("thread_name","args":{"name":"processor"})"));
    EXPECT_THAT(once, HasSubstr(R"("ts":0.000000,"dur":1.500000,"name":"work","args":{"id":7})"));
    ASSERT_TRUE(run(traced(2), body).ok);
    EXPECT_EQ(content(), once);
}

TEST_F(JobTrace, IsWrittenAlsoIfTheJobFails) {
    const Result failed = run(traced(2), [](Rank& rank) {
        work(rank, Duration::us(2));
        throw Error("out of luck");
    });
    EXPECT_EQ(failed.failure, "rank 0 failed: out of luck");
    EXPECT_THAT(content(), HasSubstr(R"("dur":2.000000)"));

    const Result stuck = run(traced(2), [](Rank& rank) {
        work(rank, Duration::us(3));
        if (rank.id() == 0) rank.bootstrap().fence();
        if (rank.id() == 1) rank.bootstrap().get(0, "hen");
    });
    EXPECT_THAT(stuck.failure,
                HasSubstr("rank 0 waits for all ranks to enter the fence; 1 of 2 have not, "
                          "rank 1 first (since 3 us)"));
    EXPECT_THAT(content(), HasSubstr(R"("dur":3.000000)"));
}

TEST_F(JobTrace, AFileThatCannotBeWrittenIsToldBeforeTheRun) {
    Options options = traced(1);
    options.trace = folder_ / "no" / "such" / "out.json";
    bool ran = false;
    EXPECT_THAT([&] { run(options, [&](Rank&) { ran = true; }); },
                ThrowsMessage<Error>(HasSubstr("no/such/out.json': No such file or directory")));
    EXPECT_FALSE(ran);
}

TEST_F(JobTrace, AFileThatCannotBeWrittenInTheEndIsAFailure) {
    Options options = traced(1);
    options.trace = "/dev/full";
    const Result result = run(options, [](Rank&) {});
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.failure, "cannot write '/dev/full': No space left on device");
    EXPECT_EQ(run(options, [](Rank&) { throw Error("the cause"); }).failure,
              "rank 0 failed: the cause");
}

TEST_F(JobTrace, IsRefusedInRealTime) {
    Options options = testing::options(Kind::threads, 1);
    options.trace = file();
    EXPECT_THAT([&] { run(options, [](Rank&) {}); },
                ThrowsMessage<UsageError>(HasSubstr("fabric 'shm' runs in real time")));
    EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace railyard::job
