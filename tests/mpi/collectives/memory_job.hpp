#pragma once
/// Ranks that exchange messages in memory, each a fiber: Teams without an engine. A rank that waits
/// for ever is reported; messages left over, or of another length than expected, are failures.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "mpi/collectives/nodes.hpp"
#include "mpi/collectives/team.hpp"
#include "mpi/types/datatype.hpp"
#include "sim/engine.hpp"

namespace railyard::mpi {

class MemoryTeam;

class MemoryJob {
  public:
    struct Options {
        int ranks = 1;
        Algorithms algorithms{};
        Circumstances circumstances{};
        std::vector<std::uint32_t> nodes{};  ///< number of each rank's; none: nobody shares one
        bool buffered = false;  ///< sends need no receiver to be done; else all wait for theirs
        bool recorded = false;  ///< ranks only record what the body does, and do it after its end
        std::uint64_t seed = 1;
    };
    /// What all ranks together did, for those who count.
    struct Totals {
        std::vector<std::set<int>> partners;  ///< of each rank
        std::vector<std::size_t> waits;       ///< of each rank, that is, times it did
        std::size_t messages = 0;
        std::size_t between_nodes = 0;  ///< messages of those
        std::size_t bytes = 0;
        std::size_t charged = 0;  ///< bytes copied or combined
    };

    explicit MemoryJob(const Options& options);
    ~MemoryJob();

    /// Every rank runs it; once a job.
    void run(const std::function<void(Team&)>& body);
    const Totals& totals() const { return totals_; }
    double average_partners() const;

  private:
    friend class MemoryTeam;

    struct Sent {
        ConstBuffer data;
        std::vector<std::byte> packed;  ///< of a buffered one
        MemoryTeam* sender;
    };
    struct Awaited {
        Buffer into;
        MemoryTeam* receiver;
    };
    struct Pipe {
        std::deque<Sent> sent;
        std::deque<Awaited> awaited;
    };

    void deliver(int from, int to);

    Options options_;
    std::optional<Nodes> nodes_;
    sim::Engine engine_;
    std::map<std::pair<int, int>, Pipe> pipes_;
    std::vector<std::unique_ptr<MemoryTeam>> members_;
    Totals totals_;
};

}  // namespace railyard::mpi
