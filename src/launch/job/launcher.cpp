#include "launch/job/launcher.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <span>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

/// Of each rank: its process and its pipes; a few for the launcher itself.
std::size_t descriptors_for(const Launcher::Options& options) {
    return options.ranks.size() * (options.outputs ? 4 : 2) + 16;
}

/// Kills every child that this process still has, and theirs, and waits for them: once all ranks
/// have ended, in a process that adopts orphans (PR_SET_CHILD_SUBREAPER) and has no children of its
/// own.
void end_leftovers() {
    // Killing one may make its children ours, so it is done until there are none. A child that we
    // cannot see there (a kernel without that file) is not waited for.
    for (;;) {
        std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
        bool any = false;
        for (pid_t child = 0; children >> child; any = true) {
            ::kill(child, SIGKILL);
            while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
        if (!any) return;
    }
}

}  // namespace

Launcher::Launcher(const Options& options, Board board, Reactor& reactor)
    : options_(options),
      board_(board),
      file_limit_(descriptors_for(options)),
      interrupts_(options.whole_process ? std::span<const int>(signals_passed_on)
                                        : std::span<const int>()),
      reactor_(reactor),
      signals_(reactor.watch(interrupts_.descriptor(), Reactor::For::reading, [] {})) {
    // First of all: ranks that Ctrl-C ended are no failures of their own.
    reactor_.look_first([this] { take_signals(); });
    // What a rank leaves behind becomes our child then, and can be found.
    if (options.whole_process) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Launcher::~Launcher() {
    reactor_.look_first({});
}

Result Launcher::run(const Start& start) {
    is_run_ = true;
    ranks_.reserve(options_.ranks.size());
    if (options_.time_limit && result_.ok)
        time_limit_ = reactor_.after(*options_.time_limit, [this] {
            fail(fmt::format("not done within the time limit of {} s",
                             options_.time_limit->seconds()),
                 time_limit_exit_code, SIGTERM);
        });
    // Whoever watches us may have been told that it is over before anything began.
    for (std::size_t i = 0; result_.ok && i < options_.ranks.size(); ++i)
        start_rank(i, start);
    reactor_.run_until([this] {
        settle();
        return running_ == 0;
    });
    take_signals();
    is_run_ = false;
    kill_.reset();
    time_limit_.reset();
    if (!result_.ok && options_.whole_process) end_leftovers();
    return std::move(result_);
}

void Launcher::start_rank(std::size_t index, const Start& start) {
    const int id = options_.ranks[index];
    ranks_.push_back({std::make_unique<RankProcess>(
        id, options_.host, options_.outputs ? options_.outputs(id) : RankOutputs{},
        [&](RankPipes& pipes) { return start(id, pipes); })});
    ++running_;
    for (const Stream stream : RankProcess::all_streams)
        watch(index, stream);
}

void Launcher::watch(std::size_t index, Stream stream) {
    const int fd = ranks_[index].process->descriptor(stream);
    if (fd < 0) return;
    ranks_[index].streams[static_cast<std::size_t>(stream)] =
        reactor_.watch(fd, Reactor::For::reading, [this, index, stream] { handle(index, stream); });
}

void Launcher::read_outputs(bool yes) {
    if (std::exchange(reads_outputs_, yes) == yes) return;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
        for (const Stream stream : {Stream::output, Stream::errors})
            if (yes)
                watch(i, stream);
            else
                ranks_[i].streams[static_cast<std::size_t>(stream)].reset();
}

void Launcher::handle(std::size_t index, Stream stream) {
    if (stream == Stream::end) return on_end(index);
    RankProcess& rank = *ranks_[index].process;
    const bool more = rank.read(stream, [&](FrameKind kind, std::string payload) {
        hear(rank.rank(), kind, std::move(payload));
    });
    if (!more) ranks_[index].streams[static_cast<std::size_t>(stream)].reset();
    // Acted on before it has ended: flushing its output may take a rank for ever.
    if (const auto abort = rank.called_abort()) consider(*abort);
}

void Launcher::settle() {
    if (!worst_) return;
    if (result_.ok && options_.overseer != nullptr) options_.overseer->on_failure(*worst_);
    fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    worst_.reset();
}

void Launcher::on_end(std::size_t index) {
    RankProcess& rank = *ranks_[index].process;
    for (Reactor::Watch& stream : ranks_[index].streams)
        stream.reset();
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

int Launcher::turn() {
    reactor_.turn();
    return std::exchange(asked_, 0);
}

void Launcher::take_signals() {
    while (const int signal = interrupts_.take())
        if (is_run_)
            on_signal(signal);
        else if (asks_to_end(signal))
            asked_ = signal;
}

void Launcher::on_signal(int signal) {
    if (!asks_to_end(signal)) return signal_all(signal);
    if (kill_) return signal_all(SIGKILL);  // Asked twice: no more patience.
    fail("interrupted", 128 + signal, signal);
}

void Launcher::fail(std::string what, int exit_code, int signal_for_others) {
    if (!result_.ok) return;  // How the others end once they were asked to is no news.
    result_.ok = false;
    result_.failure = std::move(what);
    result_.exit_code = exit_code;
    signal_all(signal_for_others);
    kill_ = reactor_.after(grace, [this] { kill_again(); });
    time_limit_.reset();
}

void Launcher::kill_again() {
    signal_all(SIGKILL);
    // A look now and then makes sure of it.
    kill_ = reactor_.after(Duration::ms(100), [this] { kill_again(); });
}

void Launcher::signal_all(int signal) {
    for (const Watched& rank : ranks_)
        rank.process->kill(signal);
}

void Launcher::forget_in_child() {
    reactor_.forget_in_child();
    interrupts_.undo_in_child();
    file_limit_.undo_in_child();
    for (const Watched& other : ranks_)
        other.process->forget_in_child();
}

void Launcher::restore_for_exec() const {
    interrupts_.restore_for_exec();
    file_limit_.undo_in_child();
}

}  // namespace railyard::job
