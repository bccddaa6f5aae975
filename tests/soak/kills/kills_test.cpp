// Any signal to any process of any job at any time: the job ends soon, with the right code, and
// nothing of it stays behind. RAILYARD_KILLS says how many (20), RAILYARD_KILLS_SEED where to
// begin.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "launch/within.hpp"
#include "soak/kills/watched_job.hpp"

namespace railyard::soak {
namespace {

using Words = std::vector<std::string>;

unsigned long number_from(const char* variable, unsigned long otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::strtoul(text, nullptr, 10) : otherwise;
}

/// What is to happen, as its seed says.
struct Kill {
    enum class Whom { rank, launcher, guardian, other };

    Words words;
    int ranks = 0;            ///< that say "done"; 0: none does
    bool is_mpiexec = true;   ///< and has a guardian
    bool is_wrapped = false;  ///< shells stand before the ranks
    Whom whom = Whom::rank;
    int signal = 0;
    double stopped_for = -1;  ///< seconds before the signal; below 0: not at all
    double after = 0;         ///< seconds
};

class Dice {
  public:
    explicit Dice(unsigned long seed) : random_(seed) {}
    /// The same on every machine.
    unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
    template <class T>
    T one_of(const std::vector<T>& all) {
        return all[below(static_cast<unsigned>(all.size()))];
    }

  private:
    std::mt19937_64 random_;
};

Words wrapped(Dice& dice, const std::string& program, bool& is_wrapped) {
    const std::string child = "sleep 4321 & ";
    const std::string far_child = "(setsid sleep 4322 &); ";
    switch (dice.below(5)) {
        case 0:
            is_wrapped = true;
            return {"sh", "-c", program + "; exit $?"};
        case 1:
            is_wrapped = true;
            return {"sh", "-c", child + far_child + "sh -c '" + program + "; exit $?'; exit $?"};
        case 2:
            is_wrapped = true;
            return {"sh", "-c", child + far_child + program + "; true"};
        default:
            return {"sh", "-c", "exec " + program};
    }
}

Kill kill_of(unsigned long seed) {
    Dice dice(seed);
    Kill kill;
    const std::string milliseconds = std::to_string(dice.below(300));
    const std::string bin = RAILYARD_BIN "/";
    const unsigned kind = dice.below(10);
    if (kind < 8) {
        kill.ranks = static_cast<int>(1 + dice.below(5));
        kill.words = {bin + "mpiexec"};
        kill.words.insert(kill.words.end(), {"-n", std::to_string(kill.ranks)});
        if (kind > 3) kill.words.insert(kill.words.end(), {"--on", "iwarp"});
        const Words program =
            wrapped(dice, RAILYARD_BUSY_PROGRAM " " + milliseconds, kill.is_wrapped);
        kill.words.insert(kill.words.end(), program.begin(), program.end());
    } else {
        kill.is_mpiexec = false;
        kill.words = kind == 8
                         ? Words{bin + "railyard", "run", "-n", "16", "--on", "quadrics", "stencil"}
                         : Words{bin + "railyard",
                                 "measure",
                                 "latency-uni",
                                 "--on",
                                 dice.one_of<std::string>({"shm", "iwarp"}),
                                 "--quick"};
    }
    kill.whom = dice.one_of<Kill::Whom>({Kill::Whom::rank, Kill::Whom::rank, Kill::Whom::launcher,
                                         Kill::Whom::guardian, Kill::Whom::other});
    kill.signal = dice.one_of<int>(
        {SIGKILL, SIGSEGV, SIGBUS, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGKILL});
    if (kill.signal == SIGKILL && dice.below(2) == 0) kill.stopped_for = dice.below(50) / 1e3;
    kill.after = dice.below(500) / 1e3;
    return kill;
}

/// Who is what: the job's first process, its child, and the children of that.
std::map<Kill::Whom, std::vector<pid_t>> sorted(const WatchedJob& job, const Kill& kill) {
    std::map<Kill::Whom, std::vector<pid_t>> all;
    const auto processes = job.processes();
    const auto are_children_of = [&](pid_t parent) {
        std::vector<pid_t> children;
        for (const Process& process : processes)
            if (process.parent == parent && process.state != 'Z') children.push_back(process.pid);
        return children;
    };
    all[Kill::Whom::guardian] = {job.pid()};
    std::vector<pid_t> launchers = are_children_of(job.pid());
    if (!kill.is_mpiexec) launchers = {job.pid()};
    all[Kill::Whom::launcher] = launchers;
    std::set<pid_t> known{job.pid()};
    for (const pid_t launcher : launchers) {
        known.insert(launcher);
        for (const pid_t rank : are_children_of(launcher)) {
            all[Kill::Whom::rank].push_back(rank);
            known.insert(rank);
        }
    }
    for (const Process& process : processes)
        if (!known.contains(process.pid) && process.state != 'Z')
            all[Kill::Whom::other].push_back(process.pid);
    return all;
}

std::set<std::string> shared_memory_files() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
        names.insert(entry.path().filename());
    return names;
}

/// Those that were not there before; others may come and go meanwhile.
std::set<std::string> new_shared_memory_files(const std::set<std::string>& before) {
    std::set<std::string> left;
    for (int i = 0; i < 1000; ++i, ::usleep(10'000)) {
        left = shared_memory_files();
        std::erase_if(left, [&](const std::string& name) { return before.contains(name); });
        if (left.empty()) break;
    }
    return left;
}

std::string unix_sockets_of_the_dead() {
    std::ifstream all("/proc/net/unix");
    std::string found;
    const std::string prefix = "@railyard-";
    for (std::string line; std::getline(all, line);) {
        const auto at = line.find(prefix);
        // Those of other tests are in the hands of processes that live.
        if (at != std::string::npos && ::kill(std::stoi(line.substr(at + prefix.size())), 0) != 0)
            found += line + "\n";
    }
    return found;
}

bool ends_the_job(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// Whether a job may end with that code, given who got the signal.
bool is_right(int code, const Kill& kill, Kill::Whom whom, const WatchedJob& job) {
    const std::string output = job.output();
    if (code == 0) {  // It was too late to matter, or did not matter.
        std::size_t done = 0;
        for (auto at = output.find("done"); at != std::string::npos;
             at = output.find("done", at + 1))
            ++done;
        // A shell may hide how its program ended, and the only rank is missed by nobody.
        if (kill.is_wrapped && kill.ranks == 1) return true;
        return kill.ranks == 0 || done == static_cast<std::size_t>(kill.ranks);
    }
    if (code == 128 + kill.signal) return true;
    const bool is_first =
        whom == Kill::Whom::guardian || (whom == Kill::Whom::launcher && !kill.is_mpiexec);
    if (is_first)
        return code == -kill.signal &&
               (!kill.is_mpiexec || !ends_the_job(kill.signal) || job.errors().empty());
    // Shells may have an answer of their own, and `railyard` has one for all that goes wrong.
    return code > 0 && (kill.is_wrapped || !kill.is_mpiexec);
}

void carry_out(unsigned long seed) {
    const Kill kill = kill_of(seed);
    const auto files = shared_memory_files();
    WatchedJob job(kill.words);
    const auto pause = [](double seconds) { ::usleep(static_cast<useconds_t>(seconds * 1e6)); };
    pause(kill.after);
    auto targets = sorted(job, kill);
    Kill::Whom whom = kill.whom;
    if (targets[whom].empty()) whom = Kill::Whom::guardian;
    pid_t target = 0;
    if (!targets[whom].empty()) {
        target = Dice(seed + 1).one_of(targets[whom]);
        if (kill.stopped_for >= 0) {
            ::kill(target, SIGSTOP);
            pause(kill.stopped_for);
        }
        ::kill(target, kill.signal);
    }
    const double before = job.seconds();
    const std::string what =
        fmt::format("{} to {} (pid {}) after {:.3f} s of: {}", ::sigabbrev_np(kill.signal),
                    static_cast<int>(whom), target, kill.after, fmt::join(kill.words, " "));
    const double promised = within(2 + 1.5);
    if (!job.ends_within(promised)) {
        const std::string where = job.where_they_are();
        // A job that the signal does not end takes the time that it takes.
        ASSERT_TRUE(job.ends_within(20)) << what << "\n" << job.errors() << job.where_they_are();
        ADD_FAILURE() << what << "\nended after " << job.seconds() - before << " s, with "
                      << job.exit_code() << "; meanwhile:\n"
                      << where << job.errors();
    }
    const double took = job.seconds() - before;
    const auto left = job.left_after(within(2));
    EXPECT_TRUE(left.empty()) << what << "\nleft: " << (left.empty() ? "" : left.front().command);
    EXPECT_TRUE(is_right(job.exit_code(), kill, whom, job))
        << "code " << job.exit_code() << ": " << what << "\n"
        << job.output() << job.errors();
    EXPECT_THAT(job.files_left(), ::testing::IsEmpty()) << what;
    EXPECT_THAT(new_shared_memory_files(files), ::testing::IsEmpty()) << what;
    EXPECT_EQ(unix_sockets_of_the_dead(), "") << what;
    static double slowest = 0;
    if (took > slowest) {
        slowest = took;
        fmt::print("slowest end so far: {:.2f} s, seed {}\n", took, seed);
        std::fflush(stdout);
    }
}

TEST(SoakKills, LeaveNothingBehind) {
    const unsigned long first = number_from("RAILYARD_KILLS_SEED", 1);
    const unsigned long count = number_from("RAILYARD_KILLS", 20);
    for (unsigned long seed = first; seed < first + count; ++seed) {
        carry_out(seed);
        if (::testing::Test::HasFailure())
            FAIL() << "once more: RAILYARD_KILLS=1 RAILYARD_KILLS_SEED=" << seed
                   << " build/release/tests/soak_kills_test";
    }
    fmt::print("{} kills, seeds {} to {}\n", count, first, first + count - 1);
}

}  // namespace
}  // namespace railyard::soak
