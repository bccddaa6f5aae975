#include "driver/run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::soak {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{1} << 16;

/// A child in a process group of its own; reads what it writes until it and all of its are gone.
class Child {
  public:
    explicit Child(const Case& one) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("no pipe: " + last_error());
        // What fork must not do is done before it.
        std::vector<std::string> words = command(one);
        std::vector<char*> pointers;
        for (std::string& word : words)
            pointers.push_back(word.data());
        pointers.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ < 0) throw Error("no process: " + last_error());
        if (pid_ == 0) {
            ::setpgid(0, 0);
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // who stops the driver stops its run
            ::dup2(ends[1], STDOUT_FILENO);
            ::dup2(ends[1], STDERR_FILENO);
            for (const auto& [name, value] : one.variables)
                ::setenv(name.c_str(), value.c_str(), 1);
            ::execv(pointers[0], pointers.data());
            std::perror(pointers[0]);
            ::_exit(127);
        }
        ::close(ends[1]);
        output_ = ends[0];
    }
    ~Child() { ::close(output_); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// False if it had to be killed.
    bool read_until(Clock::time_point end, std::string& output) {
        std::array<char, 4096> some;
        for (;;) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
            if (left <= 0) {
                ::kill(-pid_, SIGKILL);
                return false;
            }
            pollfd wait{output_, POLLIN, 0};
            if (::poll(&wait, 1, static_cast<int>(std::min<long long>(left, 1000))) <= 0) continue;
            const ssize_t n = ::read(output_, some.data(), some.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return true;
            output.append(some.data(), static_cast<std::size_t>(n));
            if (output.size() > 2 * most_output) output.erase(0, output.size() - most_output);
        }
    }
    int wait() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        return status;
    }

  private:
    static std::string last_error() { return std::system_category().message(errno); }

    pid_t pid_ = -1;
    int output_ = -1;
};

int round_in(const std::string& output) {
    const std::size_t at = output.find(", round ");
    return at == output.npos ? -1 : std::atoi(output.c_str() + at + 8);
}

/// Tries smaller cases, as many as it may.
class Shrinker {
  public:
    Shrinker(Case failing, std::string verdict, int most_runs,
             const std::function<void(const std::string&)>& tell)
        : best_(std::move(failing)),
          verdict_(std::move(verdict)),
          runs_left_(most_runs),
          tell_(tell) {
        best_.watchdog_seconds = std::min(best_.watchdog_seconds, 20);
    }

    /// Whether `smaller` fails in the same way, in any of a few runs; then it is the best.
    bool take(const std::string& what, Case smaller) {
        constexpr int tries = 3;
        for (int i = 0; i < tries && runs_left_ > 0; ++i) {
            --runs_left_;
            const Outcome outcome = run(smaller, 120);
            if (outcome.verdict != verdict_) continue;
            best_ = std::move(smaller);
            round_ = outcome.round;
            tell_(fmt::format("{}: {}", what, outcome.verdict));
            return true;
        }
        return false;
    }

    Case shrink(int round) {
        round_ = round;
        drop_settings();
        if (!best_.faults.empty()) change("no faults", [](Case& one) { one.faults.clear(); });
        if (best_.nodes > 0 && !best_.is_pair())
            change("plain nodes", [](Case& one) { one.nodes = 0; });
        for (int threads = 1; threads < best_.threads; ++threads)
            if (change("fewer threads", [&](Case& one) { one.threads = threads; })) break;
        for (int ranks = 2; ranks < best_.ranks; ++ranks)
            if (change("fewer ranks", [&](Case& one) { one.ranks = ranks; })) break;
        if (best_.burst > 1) change("no bursts", [](Case& one) { one.burst = 1; });
        if (best_.communicators)
            change("no communicators", [](Case& one) { one.communicators = false; });
        if (best_.windows) change("no windows", [](Case& one) { one.windows = false; });
        if (best_.collectives) change("no collectives", [](Case& one) { one.collectives = false; });
        if (best_.cancel_sends)
            change("no cancelled sends", [](Case& one) { one.cancel_sends = false; });
        drop_rounds();
        return best_;
    }

  private:
    template <class Change>
    bool change(const std::string& what, const Change& change) {
        Case smaller = best_;
        change(smaller);
        return take(what, std::move(smaller));
    }

    /// Halves at a time, then one by one.
    void drop_settings() {
        for (std::size_t n = best_.variables.size(); n > 0; n /= 2) {
            for (std::size_t at = 0; at < best_.variables.size();) {
                Case smaller = best_;
                const auto from = smaller.variables.begin() + static_cast<std::ptrdiff_t>(at);
                const std::size_t some = std::min(n, smaller.variables.size() - at);
                smaller.variables.erase(from, from + static_cast<std::ptrdiff_t>(some));
                if (!take(fmt::format("{} settings fewer", some), std::move(smaller))) at += n;
            }
        }
    }

    /// The round that failed alone, or with some before it.
    void drop_rounds() {
        if (round_ < 0) return;
        const int last = round_;
        for (int before = 0; before < last; before = before == 0 ? 1 : before * 4)
            if (change(fmt::format("{} rounds", before + 1), [&](Case& one) {
                    one.first_round = last - before;
                    one.last_round = last;
                }))
                return;
    }

    Case best_;
    std::string verdict_;
    int runs_left_;
    int round_ = -1;
    const std::function<void(const std::string&)>& tell_;
};

}  // namespace

Outcome run(const Case& one, int most_seconds) {
    Outcome outcome;
    const Clock::time_point start = Clock::now();
    Child child(one);
    const bool in_time =
        child.read_until(start + std::chrono::seconds(most_seconds), outcome.output);
    const int status = child.wait();
    outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    outcome.round = round_in(outcome.output);
    unsigned long long messages = 0;
    unsigned long long bytes = 0;
    const std::size_t counts = outcome.output.rfind("soak: ");
    const bool has_counts = counts != std::string::npos &&
                            std::sscanf(outcome.output.c_str() + counts,
                                        "soak: %llu messages, %llu bytes", &messages, &bytes) == 2;
    const auto says = [&](const char* word) {
        return outcome.output.find(word) != std::string::npos;
    };
    outcome.ok = in_time && status == 0 && has_counts;
    outcome.verdict = outcome.ok            ? "ok"
                      : says("soak: WRONG") ? "wrong"
                      : says("soak: LEAKS") ? "leaks"
                      : says("soak: HANGS") ? "hangs"
                      : !in_time            ? (one.is_virtual() ? "hangs" : "slow")
                                            : "fails";
    if (outcome.ok) {
        outcome.messages = messages;
        outcome.bytes = bytes;
    }
    return outcome;
}

Case shrink(Case failing, const Outcome& outcome, int most_runs,
            const std::function<void(const std::string&)>& tell) {
    return Shrinker(std::move(failing), outcome.verdict, most_runs, tell).shrink(outcome.round);
}

}  // namespace railyard::soak
