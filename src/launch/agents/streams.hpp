#pragma once
/// What ranks on other hosts print and read, on its way: the launcher's own output and input, and
/// the input of a rank beside its agent.

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/reactor.hpp"
#include "launch/agents/host_messages.hpp"
#include "launch/job/output.hpp"

namespace railyard::agents {

/// What the ranks of all hosts print, on its way to this process's own output. Whoever reads that
/// may take a break: nobody waits for it here, what cannot be written yet is kept.
class Printer {
  public:
    /// With labels, each line begins with its rank. The reactor outlives it.
    Printer(Reactor& reactor, int ranks, bool with_labels);
    Printer(const Printer&) = delete;
    Printer& operator=(const Printer&) = delete;

    /// Of a rank that there is.
    void print(const Printed& printed);
    /// The rank has ended: a last line without its newline goes out, with one.
    void finish(int rank);

    /// Whether all is written.
    bool is_idle() const;

  private:
    struct Stream {
        Reactor& reactor;
        int fd;
        std::deque<std::string> waiting{};
        Reactor::Watch watch{};

        void add(std::string_view text);
        void advance();
    };

    std::array<Stream, 2> streams_;         ///< for output and for errors
    std::vector<job::RankOutputs> labels_;  ///< by rank; empty: none are wanted
};

/// This process's standard input, read for a rank on another host: as much as it takes, and only
/// while the terminal is ours to read.
class OwnInput {
  public:
    OwnInput();

    /// So many bytes more may be read.
    void allow(std::size_t bytes) { allowed_ += bytes; }
    /// What is to be watched now; -1: nothing.
    int descriptor() const;
    /// Nothing is watched because the terminal is somebody else's for now: look again later.
    bool waits_for_terminal() const;
    /// What came, once the descriptor is readable; empty: the end. None: nothing after all.
    std::optional<std::string> read();

  private:
    bool is_terminal_;
    std::size_t allowed_ = 0;
    bool ended_ = false;
};

/// The standard input of a rank whose launcher's is on another host: a pipe that takes what came,
/// as fast as the rank reads it.
class InputFeed {
  public:
    /// Calls `ready` when advance() can do something. The reactor outlives it. Throws Error.
    InputFeed(Reactor& reactor, Reactor::Call ready);

    /// What the rank reads from. It stays open here as well: nobody is hurt by writing to a rank
    /// that does not read.
    int reading_end() const { return read_.get(); }

    void add(std::string_view bytes) { waiting_ += bytes; }
    void end() { ended_ = true; }
    /// Gives the rank what it takes now, and says how much that was.
    std::size_t advance();

  private:
    Reactor& reactor_;
    Reactor::Call ready_;
    Descriptor read_;
    Descriptor write_;
    Reactor::Watch watch_;
    std::string waiting_;
    bool ended_ = false;
};

}  // namespace railyard::agents
