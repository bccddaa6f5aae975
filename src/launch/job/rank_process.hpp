#pragma once
/// One rank's process as its launcher sees it: what it delivers, what it prints, how it ends.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "launch/job/frames.hpp"
#include "launch/job/output.hpp"

namespace railyard::job {

/// How a rank's process ended.
struct Ending {
    /// The later in this list, the likelier the cause of whatever else went wrong.
    enum class Cause : std::uint8_t { exit, abort, signal };

    std::string failure;  ///< names rank, pid, and signal, code or exception; empty: it ended well
    int exit_code = 0;    ///< 128 + n after signal n
    Cause cause = Cause::exit;

    bool ok() const { return failure.empty(); }
};

/// From the rank to its launcher. What it prints by itself has none; errors may go with output.
struct RankPipes {
    Pipe frames;
    Pipe output;
    Pipe errors;
    bool joined = false;  ///< errors go the way of output
};

class RankProcess {
  public:
    /// Starts the process, which keeps the pipes' writing ends. Throws Error.
    using Start = std::function<pid_t(RankPipes& pipes)>;

    /// What it prints and has an Output for comes to this process by a pipe, and goes there. Where
    /// there are several hosts, messages name this one. Throws Error.
    RankProcess(int rank, const std::string& host, RankOutputs outputs, const Start& start);
    /// A process that still runs is killed.
    ~RankProcess();
    RankProcess(const RankProcess&) = delete;
    RankProcess& operator=(const RankProcess&) = delete;

    int rank() const { return rank_; }
    bool running() const { return pid_ > 0; }
    /// "rank 3 (pid 4711)" or "rank 3 (pid 4711 on host b)", while it runs.
    std::string describe() const;
    /// To its process; those of terminals, and those that end it, to all of its process group.
    void kill(int signal);

    /// What can be waited for. A stream that has ended is -1.
    enum class Stream { end, frames, output, errors };
    static constexpr Stream all_streams[] = {Stream::end, Stream::frames, Stream::output,
                                             Stream::errors};
    int descriptor(Stream stream) const;

    /// Hears the frames that are not about how the rank ends.
    using Hear = std::function<void(FrameKind kind, std::string payload)>;
    /// Takes one piece of what has come, of the room's size at most. False: nothing will come any
    /// more, forget the descriptor (which stays open until `end`).
    bool read(Stream stream, std::span<char> room, const Hear& hear);

    /// Set once it was found to have called Rank::abort: what is to be said of it.
    const std::optional<Ending>& called_abort() const { return abort_; }

    /// For a process forked later, which this one is no business of. Nothing may be called after
    /// it.
    void forget_in_child();

    /// After Stream::end became readable: takes what there is of all streams, and reaps. Others
    /// that it has started may still print.
    Ending end(const Hear& hear);
    /// What it prints is not wanted any more: its next attempt fails.
    void close(Stream stream);
    /// Takes what there is of what it has printed, and that was all of it.
    void finish_outputs();

  private:
    void drain(Stream stream, const Hear& hear);
    void take(Stream stream, std::string_view piece, const Hear& hear);
    void take_frame(FrameKind kind, std::string payload, const Hear& hear);
    Ending reap();
    void close_all();

    int rank_;
    std::string place_;  ///< " on host b", or nothing
    pid_t pid_ = -1;
    Descriptor process_;  ///< a pidfd: readable when the process has ended
    Descriptor frames_;
    Descriptor output_;
    Descriptor errors_;
    FrameReader frame_reader_;
    RankOutputs outputs_;
    std::string exception_;
    std::optional<Ending> abort_;
};

}  // namespace railyard::job
