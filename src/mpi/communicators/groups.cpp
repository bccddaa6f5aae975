#include "mpi/communicators/groups.hpp"

#include <algorithm>
#include <string>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

/// Which ranks of the job are in a group, to be asked once for each of another's.
class Members {
  public:
    explicit Members(const Group& group) {
        const auto& ranks = group.world_ranks();
        if (ranks.empty()) return;
        is_in_.resize(static_cast<std::size_t>(*std::max_element(ranks.begin(), ranks.end())) + 1);
        for (const int rank : ranks)
            is_in_[static_cast<std::size_t>(rank)] = true;
    }
    bool has(int world_rank) const {
        return static_cast<std::size_t>(world_rank) < is_in_.size() &&
               is_in_[static_cast<std::size_t>(world_rank)];
    }

  private:
    std::vector<bool> is_in_;
};

/// Which of the group's ranks are named.
std::vector<bool> marked(const Group& group, std::span<const int> ranks) {
    std::vector<bool> named(static_cast<std::size_t>(group.size()));
    for (const int rank : ranks) {
        if (rank < 0 || rank >= group.size())
            throw MpiError(ErrorClass::rank, "rank " + std::to_string(rank) +
                                                 " is not in the group, which has " +
                                                 std::to_string(group.size()));
        if (named[static_cast<std::size_t>(rank)])
            throw MpiError(ErrorClass::rank,
                           "rank " + std::to_string(rank) + " is named twice; name it once");
        named[static_cast<std::size_t>(rank)] = true;
    }
    return named;
}

template <class Wanted>
Group filtered(const Group& group, Wanted&& wanted) {
    std::vector<int> ranks;
    for (const int rank : group.world_ranks())
        if (wanted(rank)) ranks.push_back(rank);
    return Group(std::move(ranks));
}

}  // namespace

Group united(const Group& a, const Group& b) {
    const Members in_a(a);
    std::vector<int> ranks = a.world_ranks();
    for (const int rank : b.world_ranks())
        if (!in_a.has(rank)) ranks.push_back(rank);
    return Group(std::move(ranks));
}

Group intersection(const Group& a, const Group& b) {
    return filtered(a, [in_b = Members(b)](int rank) { return in_b.has(rank); });
}

Group difference(const Group& a, const Group& b) {
    return filtered(a, [in_b = Members(b)](int rank) { return !in_b.has(rank); });
}

Group including(const Group& group, std::span<const int> ranks) {
    marked(group, ranks);
    std::vector<int> world_ranks;
    world_ranks.reserve(ranks.size());
    for (const int rank : ranks)
        world_ranks.push_back(group.world_rank(rank));
    return Group(std::move(world_ranks));
}

Group excluding(const Group& group, std::span<const int> ranks) {
    const std::vector<bool> named = marked(group, ranks);
    std::vector<int> world_ranks;
    for (int rank = 0; rank < group.size(); ++rank)
        if (!named[static_cast<std::size_t>(rank)]) world_ranks.push_back(group.world_rank(rank));
    return Group(std::move(world_ranks));
}

std::vector<int> expanded(std::span<const RankRange> ranges) {
    std::vector<int> ranks;
    for (const RankRange& range : ranges) {
        if (range.stride == 0)
            throw MpiError(ErrorClass::arg,
                           "a range's stride is 0; it must lead from its first "
                           "rank towards its last");
        for (long rank = range.first; range.stride > 0 ? rank <= range.last : rank >= range.last;
             rank += range.stride)
            ranks.push_back(static_cast<int>(rank));
    }
    return ranks;
}

Comparison compare(const Group& a, const Group& b) {
    if (a.world_ranks() == b.world_ranks()) return Comparison::identical;
    if (a.size() != b.size()) return Comparison::unequal;
    const Members in_b(b);
    for (const int rank : a.world_ranks())
        if (!in_b.has(rank)) return Comparison::unequal;
    return Comparison::similar;
}

}  // namespace railyard::mpi
