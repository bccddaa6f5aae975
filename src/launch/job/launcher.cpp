#include "launch/job/launcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "launch/job/leftovers.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

using Stream = RankProcess::Stream;

// An epoll event says which stream of which rank, which other descriptor, or that a signal came.
constexpr std::uint64_t signal_event = ~std::uint64_t{0};
constexpr std::uint64_t other_event = std::uint64_t{1} << 63;
constexpr std::uint64_t event_of(std::size_t index, Stream stream) {
    return static_cast<std::uint64_t>(index) << 2 | static_cast<std::uint64_t>(stream);
}

Descriptor make_epoll() {
    Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) throw system_error("cannot make an epoll descriptor");
    return epoll;
}

/// Of each rank: its process and its pipes; a few for the launcher itself.
std::size_t descriptors_for(const Launcher::Options& options) {
    return options.ranks.size() * (options.outputs ? 4 : 2) + 16;
}

}  // namespace

Launcher::Launcher(const Options& options, Board board)
    : options_(options),
      board_(board),
      file_limit_(descriptors_for(options)),
      interrupts_(options.whole_process ? std::span<const int>(signals_passed_on)
                                        : std::span<const int>()),
      epoll_(make_epoll()) {
    // What a rank leaves behind becomes our child then, and can be found.
    if (options.whole_process) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Result Launcher::run(const Start& start) {
    watch(interrupts_.descriptor(), signal_event);
    ranks_.reserve(options_.ranks.size());
    if (options_.time_limit) time_limit_ = Deadline(*options_.time_limit);
    // Whoever watches us may have been told that it is over before anything began.
    for (std::size_t i = 0; result_.ok && i < options_.ranks.size(); ++i)
        start_rank(i, start);
    while (running_ > 0)
        wait_and_handle();
    if (const int signal = interrupts_.take(); asks_to_end(signal)) on_signal(signal);
    if (!result_.ok && options_.whole_process) end_leftovers();
    return std::move(result_);
}

void Launcher::start_rank(std::size_t index, const Start& start) {
    const int id = options_.ranks[index];
    ranks_.push_back(std::make_unique<RankProcess>(
        id, options_.host, options_.outputs ? options_.outputs(id) : RankOutputs{},
        [&](RankPipes& pipes) { return start(id, pipes); }));
    ++running_;
    for (const Stream stream : RankProcess::all_streams)
        if (const int fd = ranks_.back()->descriptor(stream); fd >= 0)
            watch(fd, event_of(index, stream));
}

void Launcher::watch(int fd, std::uint64_t event) {
    epoll_event watched{};
    watched.events = EPOLLIN;
    watched.data.u64 = event;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &watched) != 0)
        throw system_error("cannot watch a rank");
}

void Launcher::watch(int fd, std::function<void()> ready) {
    watch(fd, other_event | others_.size());
    others_.push_back(std::move(ready));
}

void Launcher::read_outputs(bool yes) {
    if (std::exchange(reads_outputs_, yes) == yes) return;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
        for (const Stream stream : {Stream::output, Stream::errors})
            if (!yes)
                unwatch(*ranks_[i], stream);
            else if (const int fd = ranks_[i]->descriptor(stream); fd >= 0)
                watch(fd, event_of(i, stream));
}

void Launcher::unwatch(const RankProcess& rank, Stream stream) {
    // By hand before each close: a child forked later may still hold the same open file, and epoll
    // would go on reporting it. Not being watched any more is fine.
    if (const int fd = rank.descriptor(stream); fd >= 0)
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void Launcher::wait_and_handle() {
    std::array<epoll_event, 64> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), events.size(), patience_left());
    if (n < 0 && errno != EINTR) throw system_error("cannot wait for ranks");
    // First of all: ranks that Ctrl-C ended are no failures of their own.
    while (const int signal = interrupts_.take())
        on_signal(signal);
    for (int i = 0; i < n; ++i)
        handle(events[static_cast<std::size_t>(i)].data.u64);
    if (worst_) {
        if (result_.ok && options_.overseer != nullptr) options_.overseer->on_failure(*worst_);
        fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    }
    worst_.reset();
    if (time_limit_.passed())
        fail(fmt::format("not done within the time limit of {} s", options_.time_limit->seconds()),
             time_limit_exit_code, SIGTERM);
    if (kill_at_.passed()) signal_all(SIGKILL);
}

void Launcher::handle(std::uint64_t event) {
    if (event == signal_event) return;
    if ((event & other_event) != 0) return others_[event & ~other_event]();
    RankProcess& rank = *ranks_[event >> 2];
    const auto stream = static_cast<Stream>(event & 3);
    if (!rank.running()) return;
    if (stream == Stream::end) return on_end(rank);
    const bool more = rank.read(stream, [&](FrameKind kind, std::string payload) {
        hear(rank.rank(), kind, std::move(payload));
    });
    if (!more) unwatch(rank, stream);
    // Acted on before it has ended: flushing its output may take a rank for ever.
    if (const auto abort = rank.called_abort()) consider(*abort);
}

void Launcher::on_end(RankProcess& rank) {
    for (const Stream stream : RankProcess::all_streams)
        unwatch(rank, stream);
    const std::string who = rank.describe();
    Ending ending = rank.end(
        [&](FrameKind kind, std::string payload) { hear(rank.rank(), kind, std::move(payload)); });
    --running_;
    if (!ending.ok()) return consider(std::move(ending));
    if (board_.present(rank.rank()))
        return consider({fmt::format("{} ended without taking leave of the others (is MPI_Finalize "
                                     "missing?)",
                                     who),
                         1, Ending::Cause::exit});
    board_.leave(rank.rank());
    if (options_.overseer != nullptr) options_.overseer->on_leave(rank.rank());
}

void Launcher::hear(int rank, FrameKind kind, std::string payload) {
    if (kind == FrameKind::delivery)
        result_.delivered.push_back(std::move(payload));
    else if (options_.overseer != nullptr)
        options_.overseer->on_exchange(rank, kind, std::move(payload));
}

void Launcher::consider(Ending ending) {
    // Of several that we find dead at once, one killed by a signal is likely the cause, and one
    // that gave up by itself the consequence.
    if (!worst_ || ending.cause > worst_->cause) worst_ = std::move(ending);
}

void Launcher::on_signal(int signal) {
    if (!asks_to_end(signal)) return signal_all(signal);
    if (kill_at_.is_set()) return signal_all(SIGKILL);  // Asked twice: no more patience.
    fail("interrupted", 128 + signal, signal);
}

void Launcher::fail(std::string what, int exit_code, int signal_for_others) {
    if (!result_.ok) return;  // How the others end once they were asked to is no news.
    result_.ok = false;
    result_.failure = std::move(what);
    result_.exit_code = exit_code;
    signal_all(signal_for_others);
    kill_at_ = Deadline(grace);
    time_limit_ = Deadline();
}

void Launcher::signal_all(int signal) {
    for (const auto& rank : ranks_)
        rank->kill(signal);
}

int Launcher::patience_left() const {
    if (!kill_at_.is_set()) return time_limit_.milliseconds_left();
    // Once it is over all are killed, and a look now and then makes sure of it.
    return std::max(kill_at_.milliseconds_left(), 100);
}

int Launcher::await(int fd) {
    std::array<pollfd, 2> watched{{{interrupts_.descriptor(), POLLIN, 0}, {fd, POLLIN, 0}}};
    for (;;) {
        ::poll(watched.data(), watched.size(), -1);
        while (const int signal = interrupts_.take())
            if (asks_to_end(signal)) return signal;
        if (watched[1].revents != 0) return 0;
    }
}

void Launcher::forget_in_child() {
    interrupts_.undo_in_child();
    file_limit_.undo_in_child();
    epoll_.reset();
    for (const auto& other : ranks_)
        other->forget_in_child();
}

void Launcher::restore_for_exec() const {
    interrupts_.restore_for_exec();
    file_limit_.undo_in_child();
}

}  // namespace railyard::job
