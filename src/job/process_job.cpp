#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "job/anonymous_memory.hpp"
#include "job/board.hpp"
#include "job/file_limit.hpp"
#include "job/interrupts.hpp"
#include "job/plan.hpp"
#include "job/rank_process.hpp"
#include "job/real_rank.hpp"

namespace railyard::job {

namespace {

using Clock = std::chrono::steady_clock;
using Stream = RankProcess::Stream;
using namespace std::chrono_literals;

/// Between being asked to end and being made to.
constexpr auto grace = 1s;

Descriptor make_epoll() {
    Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) throw system_error("cannot make an epoll descriptor");
    return epoll;
}

void flush_all_output() {
    std::cout.flush();
    std::cerr.flush();
    std::clog.flush();
    ::fflush(nullptr);
}

class ProcessJob {
  public:
    ProcessJob(const Plan& plan, const Body& body)
        : plan_(plan),
          body_(body),
          memory_(Board::size_for(plan.ranks)),
          board_(Board::format(memory_.span(), plan.ranks)),
          // Of each rank: its process and its pipes; a few for the launcher itself.
          file_limit_(static_cast<std::size_t>(plan.ranks) * (plan.label_output ? 4 : 2) + 16),
          epoll_(make_epoll()) {}

    Result run();

  private:
    // The launcher.
    void start(int id);
    void watch(int fd, std::uint64_t id);
    void unwatch(const RankProcess& rank, Stream stream);
    void wait_and_handle();
    void on_interrupt(int signal);
    void on_end(RankProcess& rank);
    void fail(std::string what, int exit_code, int signal_for_others);
    void signal_all(int signal);
    int patience_left() const;

    // The forked child.
    [[noreturn]] void be_rank(int id, int frames_fd, SignalsBlocked& signals);
    int run_body(int id, int frames_fd);

    const Plan& plan_;
    const Body& body_;
    const pid_t launcher_ = ::getpid();
    AnonymousMemory memory_;
    Board board_;
    FileLimit file_limit_;
    Interrupts interrupts_;
    Descriptor epoll_;
    std::vector<std::unique_ptr<RankProcess>> ranks_;
    std::size_t running_ = 0;
    /// Set once the ranks were asked to end: when patience with them ends.
    std::optional<Clock::time_point> kill_at_;
    /// The most telling failure of one look around.
    std::optional<Ending> worst_;
    Result result_;
};

// An epoll event says which stream of which rank, or that an interrupt came.
constexpr std::uint64_t interrupt_id = ~std::uint64_t{0};
constexpr std::uint64_t event_id(int rank, Stream stream) {
    return static_cast<std::uint64_t>(rank) << 2 | static_cast<std::uint64_t>(stream);
}

Result ProcessJob::run() {
    flush_all_output();  // What is still buffered would be printed by every child again.
    watch(interrupts_.descriptor(), interrupt_id);
    ranks_.reserve(static_cast<std::size_t>(plan_.ranks));
    for (int id = 0; id < plan_.ranks; ++id)
        start(id);
    while (running_ > 0)
        wait_and_handle();
    if (const int signal = interrupts_.take()) on_interrupt(signal);
    return std::move(result_);
}

void ProcessJob::start(int id) {
    SignalsBlocked signals;
    ranks_.push_back(std::make_unique<RankProcess>(
        id, plan_.label_output, [&](int frames_fd) { be_rank(id, frames_fd, signals); }));
    ++running_;
    for (const Stream stream : RankProcess::all_streams)
        if (const int fd = ranks_.back()->descriptor(stream); fd >= 0)
            watch(fd, event_id(id, stream));
}

void ProcessJob::watch(int fd, std::uint64_t id) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = id;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        throw system_error("cannot watch a rank");
}

void ProcessJob::unwatch(const RankProcess& rank, Stream stream) {
    // By hand before each close: a child forked later may still hold the same open file, and epoll
    // would go on reporting it. Not being watched any more is fine.
    if (const int fd = rank.descriptor(stream); fd >= 0)
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void ProcessJob::wait_and_handle() {
    std::array<epoll_event, 64> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), events.size(), patience_left());
    if (n < 0 && errno != EINTR) throw system_error("cannot wait for ranks");
    // First of all: ranks that Ctrl-C ended are no failures of their own.
    while (const int signal = interrupts_.take())
        on_interrupt(signal);
    for (int i = 0; i < n; ++i) {
        const std::uint64_t id = events[static_cast<std::size_t>(i)].data.u64;
        if (id == interrupt_id) continue;
        RankProcess& rank = *ranks_[id >> 2];
        const auto stream = static_cast<Stream>(id & 3);
        if (!rank.running()) continue;
        if (stream == Stream::end)
            on_end(rank);
        else if (!rank.read(stream, result_.delivered))
            unwatch(rank, stream);
    }
    if (worst_) fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    worst_.reset();
    if (kill_at_ && Clock::now() >= *kill_at_) signal_all(SIGKILL);
}

void ProcessJob::on_end(RankProcess& rank) {
    for (const Stream stream : RankProcess::all_streams)
        unwatch(rank, stream);
    Ending ending = rank.end(result_.delivered);
    --running_;
    if (ending.ok()) {
        board_.leave(rank.rank());
    } else if (!worst_ || (ending.by_signal && !worst_->by_signal)) {
        // Of several that we find dead at once, one killed by a signal is likely the cause, and one
        // that gave up by itself the consequence.
        worst_ = std::move(ending);
    }
}

void ProcessJob::on_interrupt(int signal) {
    if (kill_at_) return signal_all(SIGKILL);  // Asked twice: no more patience.
    fail("interrupted", 128 + signal, signal);
}

void ProcessJob::fail(std::string what, int exit_code, int signal_for_others) {
    if (!result_.ok) return;  // How the others end once they were asked to is no news.
    result_.ok = false;
    result_.failure = std::move(what);
    result_.exit_code = exit_code;
    signal_all(signal_for_others);
    kill_at_ = Clock::now() + grace;
}

void ProcessJob::signal_all(int signal) {
    for (const auto& rank : ranks_)
        rank->kill(signal);
}

int ProcessJob::patience_left() const {
    if (!kill_at_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*kill_at_ - Clock::now());
    // Once it is over all are killed, and a look now and then makes sure of it.
    return static_cast<int>(std::max(left, std::chrono::milliseconds(100)).count());
}

void ProcessJob::be_rank(int id, int frames_fd, SignalsBlocked& signals) {
    // Whatever happens to the launcher, kill -9 included, no rank stays behind.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher_) ::_exit(128 + SIGKILL);
    interrupts_.undo_in_child();
    file_limit_.undo_in_child();
    epoll_.reset();
    for (const auto& other : ranks_)
        other->forget_in_child();
    signals.release();

    const int exit_code = run_body(id, frames_fd);
    flush_all_output();
    ::_exit(exit_code);  // Not exit(): what the launcher has to do at its end is not ours to do.
}

int ProcessJob::run_body(int id, int frames_fd) {
    const auto report = [&](const std::string& what, int exit_code) {
        flush_all_output();
        ::fputs(fmt::format("rank {}: {}\n", id, what).c_str(), stderr);
        write_frame(frames_fd, FrameKind::exception, what);
        return exit_code;
    };
    try {
        RealRank rank(plan_, id, board_, [&](const std::string& bytes) {
            write_frame(frames_fd, FrameKind::delivery, bytes);
        });
        body_(rank);
        return 0;
    } catch (const std::exception& error) {
        return report(error.what(), exit_code_for(error));
    } catch (...) {
        return report("an exception of unknown type", 1);
    }
}

}  // namespace

Result run_processes(const Plan& plan, const Body& body) {
    return ProcessJob(plan, body).run();
}

}  // namespace railyard::job
