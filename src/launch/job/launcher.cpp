#include "launch/job/launcher.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <utility>

#include "launch/job/guardian.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

/// Of each rank: its process and its pipes; a few for the launcher itself.
std::size_t descriptors_for(const Launcher::Options& options) {
    return options.ranks.size() * (options.outputs ? 4 : 2) + 16;
}

/// One read empties a pipe.
constexpr std::size_t largest_pipe = 256 << 10;

/// What else than SIGINT and SIGTERM is for the ranks.
std::vector<int> signals_for(const Launcher::Options& options) {
    if (!options.whole_process) return {SIGTSTP, SIGCONT};
    std::vector<int> all(signals_passed_on.begin(), signals_passed_on.end());
    all.insert(all.end(), signals_of_terminals.begin(), signals_of_terminals.end());
    return all;
}

}  // namespace

Launcher::Launcher(const Options& options, Board board, Reactor& reactor)
    : options_(options),
      board_(board),
      file_limit_(descriptors_for(options)),
      interrupts_(signals_for(options)),
      reactor_(reactor),
      signals_(reactor.watch(interrupts_.descriptor(), Reactor::For::reading, [] {})),
      room_(largest_pipe),
      standstill_(board.ranks()) {
    // First of all: ranks that Ctrl-C ended are no failures of their own.
    reactor_.look_first([this] { take_signals(); });
    // What a rank leaves behind becomes our child then, and can be found.
    if (options.whole_process) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (options.guardian >= 0)
        guardian_ =
            reactor.watch(options.guardian, Reactor::For::reading, [this] { on_guardian_gone(); });
}

Launcher::~Launcher() {
    reactor_.look_first({});
    if (!is_run_) return;
    // A rank could not be started: those that were, and what they have started, go.
    ranks_.clear();
    if (options_.whole_process) end_descendants();
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
    forbearance_.reset();
    deadlock_.reset();
    if (options_.whole_process) end_descendants();
    finish_outputs();
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
    const auto at = static_cast<std::size_t>(stream);
    if (reading_[at] == Reading::closed) ranks_[index].process->close(stream);
    const int fd = ranks_[index].process->descriptor(stream);
    if (fd < 0 || reading_[at] != Reading::yes) return;
    ranks_[index].streams[at] =
        reactor_.watch(fd, Reactor::For::reading, [this, index, stream] { handle(index, stream); });
}

void Launcher::read_outputs(Stream stream, bool yes) {
    const auto at = static_cast<std::size_t>(stream);
    const Reading wanted = yes ? Reading::yes : Reading::no;
    if (reading_[at] == Reading::closed || std::exchange(reading_[at], wanted) == wanted) return;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (yes)
            watch(i, stream);
        else
            ranks_[i].streams[at].reset();
}

void Launcher::read_outputs(bool yes) {
    read_outputs(Stream::output, yes);
    read_outputs(Stream::errors, yes);
}

void Launcher::close_outputs(Stream stream) {
    const auto at = static_cast<std::size_t>(stream);
    reading_[at] = Reading::closed;
    for (Watched& rank : ranks_) {
        rank.streams[at].reset();
        rank.process->close(stream);
    }
}

void Launcher::finish_outputs() {
    for (Watched& rank : ranks_) {
        for (Reactor::Watch& stream : rank.streams)
            stream.reset();
        rank.process->finish_outputs();
    }
}

void Launcher::handle(std::size_t index, Stream stream) {
    if (stream == Stream::end) return on_end(index);
    RankProcess& rank = *ranks_[index].process;
    const bool more = rank.read(stream, room_, [&](FrameKind kind, std::string payload) {
        hear(rank.rank(), kind, std::move(payload));
    });
    if (!more) ranks_[index].streams[static_cast<std::size_t>(stream)].reset();
    // Acted on before it has ended: flushing its output may take a rank for ever.
    if (const auto abort = rank.called_abort()) consider(*abort);
}

void Launcher::settle() {
    if (!worst_) return;
    // That a rank was missed is told by those who miss it, but what they say is a consequence.
    if (without_leave_ && worst_->cause == Ending::Cause::abort) worst_ = without_leave_;
    if (result_.ok && options_.overseer != nullptr) options_.overseer->on_failure(*worst_);
    fail(std::move(worst_->failure), worst_->exit_code, SIGTERM);
    worst_.reset();
}

void Launcher::on_end(std::size_t index) {
    RankProcess& rank = *ranks_[index].process;
    for (const Stream stream : {Stream::end, Stream::frames})
        ranks_[index].streams[static_cast<std::size_t>(stream)].reset();
    const std::string who = rank.describe();
    Ending ending = rank.end(
        [&](FrameKind kind, std::string payload) { hear(rank.rank(), kind, std::move(payload)); });
    --running_;
    if (!ending.ok()) return consider(std::move(ending));
    if (board_.present(rank.rank()))
        return on_missing_leave({fmt::format("{} ended without taking leave of the others (is "
                                             "MPI_Finalize missing?)",
                                             who),
                                 1, Ending::Cause::exit});
    board_.leave(rank.rank());
    on_waiting(rank.rank(), {});
    if (options_.overseer != nullptr) options_.overseer->on_leave(rank.rank());
}

void Launcher::hear(int rank, FrameKind kind, std::string payload) {
    if (kind == FrameKind::delivery)
        result_.delivered.push_back(std::move(payload));
    else if (options_.overseer != nullptr)
        options_.overseer->on_exchange(rank, kind, std::move(payload));
    else if (kind == FrameKind::waiting)
        on_waiting(rank, payload);
}

/// Whoever starts others' ranks as well is not asked: of those, the overseer hears.
void Launcher::on_waiting(int rank, std::string_view what) {
    if (options_.overseer != nullptr) return;
    standstill_.hear(rank, what);
    // What one says may be older than what another says that it has done meanwhile.
    deadlock_ = reactor_.after(standstill_settling, [this] { find_deadlock(); });
}

void Launcher::find_deadlock() {
    for (const Watched& rank : ranks_) {
        const int id = rank.process->rank();
        // MPI_Finalize has been called, or the process has ended well.
        if (!board_.present(id) && (!rank.process->running() || board_.has_left(id)))
            standstill_.leave(id);
    }
    if (standstill_.is_complete()) fail(standstill_.report(), deadlock_exit_code, SIGTERM);
}

void Launcher::consider(Ending ending) {
    // Of several that we find dead at once, one killed by a signal is likely the cause, and one
    // that gave up by itself the consequence.
    if (!worst_ || ending.cause > worst_->cause) worst_ = std::move(ending);
}

/// A program all of whose ranks end so has needed no leave. But a rank that goes on may wait for
/// this one for ever. Where others start ranks, too, nobody here knows of theirs.
void Launcher::on_missing_leave(Ending ending) {
    if (options_.overseer != nullptr) return consider(std::move(ending));
    if (without_leave_) return;
    without_leave_ = std::move(ending);
    forbearance_ = reactor_.after(grace, [this] { consider(*without_leave_); });
}

int Launcher::turn() {
    if (asked_ == 0) reactor_.turn();
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
    if (signal == SIGTSTP) {
        // Not as it came: who is in a session of its own would not stop.
        signal_all(SIGSTOP);
        if (options_.whole_process) return;
        interrupts_.stop_here();
        return signal_all(SIGCONT);
    }
    if (!asks_to_end(signal)) return signal_all(signal);
    if (kill_) {
        // Asked twice: no more patience, neither with ranks nor with who reads what they printed.
        asked_ = signal;
        return signal_all(SIGKILL);
    }
    fail("interrupted", 128 + signal, signal);
}

void Launcher::on_guardian_gone() {
    guardian_.reset();
    asked_ = SIGKILL;
    if (!is_run_) return;
    // Nobody is left to whom anything could matter.
    fail({}, 128 + SIGKILL, SIGKILL);
    signal_all(SIGKILL);
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
