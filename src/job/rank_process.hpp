#pragma once
/// One rank's process as its launcher sees it: what it delivers, what it prints, how it ends.

#include <sys/types.h>

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
    std::string failure;  ///< names rank, pid, and signal, code or exception; empty: it ended well
    int exit_code = 0;    ///< 128 + n after signal n
    bool by_signal = false;

    bool ok() const { return failure.empty(); }
};

class RankProcess {
  public:
    /// What the process itself runs; the argument is where its frames go. Must not return.
    using Main = std::function<void(int frames_fd)>;

    /// Forks. With labels, stdout and stderr of the process come to this one by pipes, to be passed
    /// on by line. Throws Error.
    RankProcess(int rank, bool labels, const Main& main);
    /// A process that still runs is killed.
    ~RankProcess();
    RankProcess(const RankProcess&) = delete;
    RankProcess& operator=(const RankProcess&) = delete;

    int rank() const { return rank_; }
    bool running() const { return pid_ > 0; }
    void kill(int signal);

    /// What can be waited for. A stream that has ended is -1.
    enum class Stream { end, frames, output, errors };
    static constexpr Stream all_streams[] = {Stream::end, Stream::frames, Stream::output,
                                             Stream::errors};
    int descriptor(Stream stream) const;

    /// Takes one piece of what has come. False: nothing will come any more, forget the descriptor
    /// (which stays open until `end`).
    bool read(Stream stream, std::vector<std::string>& delivered);

    /// For a process forked later, which this one is no business of. Nothing may be called after
    /// it.
    void forget_in_child();

    /// After Stream::end became readable: takes the rest of all streams, closes them and reaps.
    Ending end(std::vector<std::string>& delivered);

  private:
    [[noreturn]] void become_rank(Pipe& frames, Pipe& output, Pipe& errors, const Main& main);
    void drain(Stream stream, std::vector<std::string>& delivered);
    void take(Stream stream, std::string_view piece, std::vector<std::string>& delivered);
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
};

}  // namespace railyard::job
