#pragma once
/// One rank's process as its launcher sees it: what it delivers, what it prints, how it ends.

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job/descriptor.hpp"
#include "job/frames.hpp"
#include "job/line_labels.hpp"

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

/// From the rank to its launcher. Without labels, only the first exists.
struct RankPipes {
    Pipe frames;
    Pipe output;
    Pipe errors;
};

class RankProcess {
  public:
    /// Starts the process, which keeps the pipes' writing ends. Throws Error.
    using Start = std::function<pid_t(RankPipes& pipes)>;

    /// With labels, stdout and stderr of the process come to this one by pipes, to be passed on by
    /// line. Throws Error.
    RankProcess(int rank, bool labels, const Start& start);
    /// A process that still runs is killed.
    ~RankProcess();
    RankProcess(const RankProcess&) = delete;
    RankProcess& operator=(const RankProcess&) = delete;

    int rank() const { return rank_; }
    bool running() const { return pid_ > 0; }
    /// "rank 3 (pid 4711)", while it runs.
    std::string describe() const;
    void kill(int signal);

    /// What can be waited for. A stream that has ended is -1.
    enum class Stream { end, frames, output, errors };
    static constexpr Stream all_streams[] = {Stream::end, Stream::frames, Stream::output,
                                             Stream::errors};
    int descriptor(Stream stream) const;

    /// Takes one piece of what has come. False: nothing will come any more, forget the descriptor
    /// (which stays open until `end`).
    bool read(Stream stream, std::vector<std::string>& delivered);

    /// Set once it was found to have called Rank::abort: what is to be said of it.
    const std::optional<Ending>& called_abort() const { return abort_; }

    /// For a process forked later, which this one is no business of. Nothing may be called after
    /// it.
    void forget_in_child();

    /// After Stream::end became readable: takes the rest of all streams, closes them and reaps.
    Ending end(std::vector<std::string>& delivered);

  private:
    void drain(Stream stream, std::vector<std::string>& delivered);
    void take(Stream stream, std::string_view piece, std::vector<std::string>& delivered);
    void take_frame(FrameKind kind, std::string payload, std::vector<std::string>& delivered);
    Ending reap();
    void close_all();

    int rank_;
    pid_t pid_ = -1;
    Descriptor process_;  ///< a pidfd: readable when the process has ended
    Descriptor frames_;
    Descriptor output_;
    Descriptor errors_;
    FrameReader frame_reader_;
    std::optional<LineLabels> output_labels_;
    std::optional<LineLabels> error_labels_;
    std::string exception_;
    std::optional<Ending> abort_;
};

}  // namespace railyard::job
