#pragma once
/// A group of ranks and a context of their own: what a message must agree in to match. The richer
/// objects that users hold (names, attributes, topologies) derive from it.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "mpi/collectives/nodes.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class DirectMemory;
class Process;
class SharedHub;

/// What collectives among the ranks of a communicator are chosen by.
struct Surroundings {
    Circumstances circumstances{};
    std::shared_ptr<const Nodes> nodes{};  ///< the same object for all ranks of a process
};

/// Which ranks of the job, in which order. Cheap to copy: a list is shared and never changes; and
/// ranks that follow each other, as those of the world do, need none.
class Group {
  public:
    Group() = default;
    explicit Group(std::vector<int> world_ranks)
        : first_(world_ranks.empty() ? 0 : world_ranks.front()),
          size_(static_cast<int>(world_ranks.size())) {
        const auto leaves_out = [](int one, int next) { return next != one + 1; };
        if (std::ranges::adjacent_find(world_ranks, leaves_out) != world_ranks.end())
            list_ = std::make_shared<const std::vector<int>>(std::move(world_ranks));
    }

    /// All ranks of a job of that size.
    static Group all(int size) { return range(0, size); }
    /// So many ranks from that one on.
    static Group range(int first, int size) {
        Group group;
        group.first_ = first;
        group.size_ = size;
        return group;
    }

    int size() const { return size_; }
    int world_rank(int rank) const {
        return list_ ? (*list_)[static_cast<std::size_t>(rank)] : first_ + rank;
    }
    /// One after the other; made as they are asked for. Of a group that lives as long.
    auto world_ranks() const {
        return std::views::iota(0, size_) |
               std::views::transform([this](int rank) { return world_rank(rank); });
    }
    std::vector<int> list_of_world_ranks() const {
        if (list_) return *list_;
        std::vector<int> ranks(static_cast<std::size_t>(size_));
        std::iota(ranks.begin(), ranks.end(), first_);
        return ranks;
    }
    /// The ranks follow each other, from first_world_rank() on.
    bool is_range() const { return list_ == nullptr; }
    int first_world_rank() const { return first_; }
    /// Null of a range.
    const int* list() const { return list_ ? list_->data() : nullptr; }

    /// -1 if it is not in the group.
    int rank_of(int world_rank) const {
        if (!list_) {
            const int rank = world_rank - first_;
            return rank >= 0 && rank < size_ ? rank : -1;
        }
        // Many groups begin like the world.
        if (world_rank >= 0 && world_rank < size_ && this->world_rank(world_rank) == world_rank)
            return world_rank;
        const auto found = std::ranges::find(*list_, world_rank);
        return found != list_->end() ? static_cast<int>(found - list_->begin()) : -1;
    }
    friend bool operator==(const Group& a, const Group& b) {
        if (a.is_range() || b.is_range())  // lists are made only where no range will do
            return a.is_range() && b.is_range() && a.size_ == b.size_ &&
                   (a.size_ == 0 || a.first_ == b.first_);
        return a.list_ == b.list_ || *a.list_ == *b.list_;
    }

  private:
    std::shared_ptr<const std::vector<int>> list_;  ///< null: a range
    int first_ = 0;
    int size_ = 0;
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
    /// Tells it from all others of this process, also from those that are gone, whose context and
    /// handle it may have.
    std::uint64_t serial() const { return serial_; }
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
    int world_rank(int peer) const {
        return world_ranks_ == nullptr ? first_peer_ + peer : world_ranks_[peer];
    }
    ScheduleTags& schedule_tags() { return schedule_tags_; }
    /// A window's: all messages in it are the library's own.
    bool is_librarys() const { return is_librarys_; }
    void set_librarys() { is_librarys_ = true; }
    /// Found out when first asked for. Of one that is not inter.
    const Surroundings& surroundings();
    /// Only where Circumstances::has_hub, or has_wide_hub. Made when first asked for.
    SharedHub& shared_hub() { return shared_hub_ ? *shared_hub_ : make_hub(shared_hub_); }
    SharedHub& wide_hub() { return wide_hub_ ? *wide_hub_ : make_hub(wide_hub_); }
    /// Only where Circumstances::reads_directly.
    DirectMemory& direct_memory() {
        return direct_memory_ ? *direct_memory_ : make_direct_memory();
    }

  private:
    SharedHub& make_hub(std::unique_ptr<SharedHub>& hub);
    DirectMemory& make_direct_memory();
    static std::uint64_t next_serial() {
        // Relaxed: it only has to be another one, whichever thread asks.
        static std::atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    // On every message's way.
    std::uint32_t context_;
    int rank_;
    int peer_count_;
    int first_peer_;          ///< the peers, from that one on; or ...
    const int* world_ranks_;  ///< ... their list
    Process& process_;
    int size_;
    bool is_inter_ = false;
    bool is_librarys_ = false;
    Group group_;
    Group peers_;
    const std::uint64_t serial_ = next_serial();
    ScheduleTags schedule_tags_;
    std::optional<Surroundings> surroundings_;
    std::unique_ptr<SharedHub> shared_hub_;
    std::unique_ptr<SharedHub> wide_hub_;
    std::unique_ptr<DirectMemory> direct_memory_;
};

}  // namespace railyard::mpi
