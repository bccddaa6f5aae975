#pragma once
/// What the ranks of all hosts print, on its way to this process's own output. Whoever reads that
/// may take a break: nobody waits for it here, what cannot be written yet is kept.

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/reactor.hpp"
#include "launch/agents/host_messages.hpp"
#include "launch/job/output.hpp"

namespace railyard::cluster {

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

}  // namespace railyard::cluster
