// Jobs that do nothing but start, meet and end, on a machine that is busy: none stalls.
// RAILYARD_STARTS says how many of 2 ranks (20), RAILYARD_LARGE_STARTS how many of 64 (1).

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "soak/kills/watched_job.hpp"

namespace railyard::soak {
namespace {

/// Longer than any start takes by being slow: it hangs.
constexpr double stall = 60;

int count_from(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : otherwise;
}

/// Keeps every core busy for as long as it lives.
class BusyMachine {
  public:
    BusyMachine() {
        for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
            const pid_t pid = ::fork();
            if (pid == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                for (volatile unsigned long spin = 0;;)
                    spin = spin + 1;
            }
            pids_.push_back(pid);
        }
    }
    ~BusyMachine() {
        for (const pid_t pid : pids_) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }
    BusyMachine(const BusyMachine&) = delete;
    BusyMachine& operator=(const BusyMachine&) = delete;

  private:
    std::vector<pid_t> pids_;
};

void start_often(int times, int ranks) {
    const BusyMachine busy;
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i) {
        WatchedJob job(
            {RAILYARD_BIN "/mpiexec", "-n", std::to_string(ranks), RAILYARD_BUSY_PROGRAM, "0"});
        ASSERT_TRUE(job.ends_within(stall)) << "start " << i << " stalls\n"
                                            << job.where_they_are() << job.errors();
        seconds.push_back(job.seconds());
        ASSERT_EQ(job.exit_code(), 0) << "start " << i << "\n" << job.errors();
    }
    if (seconds.empty()) return;
    std::ranges::sort(seconds);
    fmt::print("{} starts of {} ranks: median {:.3f} s, slowest {:.3f} s\n", times, ranks,
               seconds[seconds.size() / 2], seconds.back());
}

TEST(SoakStarts, OfTwoRanksDoNotStall) {
    start_often(count_from("RAILYARD_STARTS", 20), 2);
}

TEST(SoakStarts, OfManyRanksDoNotStall) {
    start_often(count_from("RAILYARD_LARGE_STARTS", 1), 64);
}

}  // namespace
}  // namespace railyard::soak
