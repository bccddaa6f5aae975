#pragma once
/// A group of ranks and a context of their own: what a message must agree in to match. The richer
/// objects that users hold (names, attributes, topologies) derive from it.

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/collectives/nodes.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class Process;
class SharedHub;

/// What collectives among the ranks of a communicator are chosen by.
struct Surroundings {
    Circumstances circumstances{};
    std::shared_ptr<const Nodes> nodes{};  ///< the same object for all ranks of a process
};

/// Which ranks of the job, in which order. Cheap to copy: the list is shared and never changes.
class Group {
  public:
    Group() : ranks_(std::make_shared<const std::vector<int>>()) {}
    explicit Group(std::vector<int> world_ranks)
        : ranks_(std::make_shared<const std::vector<int>>(std::move(world_ranks))) {}

    /// All ranks of a job of that size.
    static Group all(int size) {
        std::vector<int> ranks(static_cast<std::size_t>(size));
        std::iota(ranks.begin(), ranks.end(), 0);
        return Group(std::move(ranks));
    }

    int size() const { return static_cast<int>(ranks_->size()); }
    int world_rank(int rank) const { return (*ranks_)[static_cast<std::size_t>(rank)]; }
    const std::vector<int>& world_ranks() const { return *ranks_; }
    /// -1 if it is not in the group.
    int rank_of(int world_rank) const {
        // Most groups are the world, or begin like it.
        if (world_rank >= 0 && world_rank < size() && this->world_rank(world_rank) == world_rank)
            return world_rank;
        for (int rank = 0; rank < size(); ++rank)
            if (this->world_rank(rank) == world_rank) return rank;
        return -1;
    }

  private:
    std::shared_ptr<const std::vector<int>> ranks_;
};

/// Tags of collectives that do not block, in the context for collectives. All ranks start them in
/// the same order, and so agree on each one's tag. Blocking ones have tag 0.
class ScheduleTags {
  public:
    int next() { return 1 + static_cast<int>(started_++ % (persistent_from - 1)); }
    /// One that is kept, as persistent collectives are made in one order and started in any.
    int next_persistent() { return static_cast<int>(persistent_from + made_++ % persistent_from); }
    /// What the first rank says of the hubs.
    static constexpr int of_hub = 1 << 30;
    static constexpr int of_wide_hub = of_hub + 1;

  private:
    static constexpr std::uint64_t persistent_from = std::uint64_t{1} << 29;  ///< half of all
    std::uint64_t started_ = 0;
    std::uint64_t made_ = 0;
};

class Communicator {
  public:
    /// Contexts come in pairs: `context` for users' messages, `context + 1` for collectives.
    Communicator(Process& process, std::uint32_t context, Group group);
    /// An inter-communicator: messages go to ranks of `remote`, and come from them.
    Communicator(Process& process, std::uint32_t context, Group local, Group remote);
    virtual ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    Process& process() const { return process_; }
    std::uint32_t context() const { return context_; }
    /// For one that was made before its ranks had agreed on it. No message was in the old one.
    void set_context(std::uint32_t context) { context_ = context; }
    /// Of an inter-communicator, here and for rank and size: the own one.
    const Group& group() const { return group_; }
    int rank() const { return rank_; }
    int size() const { return size_; }

    bool is_inter() const { return is_inter_; }
    /// With whom messages are exchanged: the group, or the other one of an inter-communicator.
    const Group& peers() const { return peers_; }
    int peer_count() const { return peer_count_; }
    int world_rank(int peer) const { return world_ranks_[peer]; }
    ScheduleTags& schedule_tags() { return schedule_tags_; }
    /// A window's: all messages in it are the library's own.
    bool is_librarys() const { return is_librarys_; }
    void set_librarys() { is_librarys_ = true; }
    /// Found out when first asked for. Of one that is not inter.
    const Surroundings& surroundings();
    /// Only where Circumstances::has_hub, or has_wide_hub. Made when first asked for.
    SharedHub& shared_hub() { return shared_hub_ ? *shared_hub_ : make_hub(shared_hub_); }
    SharedHub& wide_hub() { return wide_hub_ ? *wide_hub_ : make_hub(wide_hub_); }

  private:
    SharedHub& make_hub(std::unique_ptr<SharedHub>& hub);

    // On every message's way.
    std::uint32_t context_;
    int rank_;
    int peer_count_;
    const int* world_ranks_;  ///< the peers' list
    Process& process_;
    int size_;
    bool is_inter_ = false;
    bool is_librarys_ = false;
    Group group_;
    Group peers_;
    ScheduleTags schedule_tags_;
    std::optional<Surroundings> surroundings_;
    std::unique_ptr<SharedHub> shared_hub_;
    std::unique_ptr<SharedHub> wide_hub_;
};

}  // namespace railyard::mpi
