#pragma once
/// Ranks that meet in memory, each a fiber: a Team without an engine. Who waits for ever is
/// reported; messages left over, or of another length than expected, are failures.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "sim/engine.hpp"

namespace railyard::mpi {

class Member;

class Meeting {
  public:
    struct Options {
        int ranks = 1;
        Algorithms algorithms{};
        Circumstances circumstances{};
        bool buffered = false;  ///< sends need no receiver to be done; else all wait for theirs
        std::uint64_t seed = 1;
    };
    /// What all ranks together did, for those who count.
    struct Deeds {
        std::vector<std::set<int>> partners;  ///< of each rank
        std::vector<std::size_t> waits;       ///< of each rank, that is, times it did
        std::size_t messages = 0;
        std::size_t bytes = 0;
        std::size_t charged = 0;  ///< bytes copied or combined
    };

    explicit Meeting(const Options& options);
    ~Meeting();

    /// Every rank runs it; once a Meeting.
    void run(const std::function<void(Team&)>& body);
    const Deeds& deeds() const { return deeds_; }
    double average_partners() const;

  private:
    friend class Member;

    struct Sent {
        ConstBuffer data;
        std::vector<std::byte> packed;  ///< of a buffered one
        Member* sender;
    };
    struct Awaited {
        Buffer into;
        Member* receiver;
    };
    struct Way {
        std::deque<Sent> sent;
        std::deque<Awaited> awaited;
    };

    void deliver(int from, int to);

    Options options_;
    sim::Engine engine_;
    std::map<std::pair<int, int>, Way> ways_;
    std::vector<std::unique_ptr<Member>> members_;
    Deeds deeds_;
};

}  // namespace railyard::mpi
