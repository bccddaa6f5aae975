#include "mpi/communicators/making.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "mpi/collectives/collectives.hpp"
#include "mpi/communicators/subset_team.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

namespace {

/// Which ranks of the job are in a group, to be asked once for each of another's.
class Members {
  public:
    explicit Members(const Group& group) {
        if (group.size() == 0) return;
        const auto ranks = group.world_ranks();
        is_in_.resize(static_cast<std::size_t>(std::ranges::max(ranks)) + 1);
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

std::unique_ptr<Comm> made(const Comm& parent, std::uint32_t context, const Group& group) {
    auto comm = std::make_unique<Comm>(parent.process(), context, group);
    comm->error_handler = parent.error_handler;
    comm->session_buffer = parent.session_buffer;
    return comm;
}

std::unique_ptr<Comm> made(const Comm& parent, std::uint32_t context, const Group& local,
                           const Group& remote) {
    if (!parent.is_inter()) return made(parent, context, local);
    auto comm = std::make_unique<Comm>(parent.process(), context, local, remote);
    comm->error_handler = parent.error_handler;
    comm->session_buffer = parent.session_buffer;
    return comm;
}

/// What each rank gives to a split.
struct SplitChoice {
    int has_color;
    int color;
    int key;
};

/// Of all ranks, of an inter-communicator's both groups.
class SplitChoices {
  public:
    SplitChoices(Comm& parent, const SplitChoice& mine)
        : all_(static_cast<std::size_t>(parent.team().size())),
          own_first_(parent.is_inter() && !parent.comes_first() ? parent.peer_count() : 0),
          peers_first_(parent.is_inter() && parent.comes_first() ? parent.size() : 0) {
        const Datatype& integer = *predefined(Basic::c_int);
        constexpr std::size_t length = sizeof(SplitChoice) / sizeof(int);
        const Undivided one(parent.team());
        allgather(parent.team(), ConstBuffer(&mine, length, integer),
                  Buffer{all_.data(), length, &integer});
    }

    /// The ranks of a color, in the order of their keys.
    Group own(const Comm& parent, int color) const {
        return with_color(parent.group(), own_first_, color);
    }
    Group peers(const Comm& parent, int color) const {
        return with_color(parent.peers(), peers_first_, color);
    }

  private:
    Group with_color(const Group& group, int first, int color) const {
        const auto choice = [&](int rank) -> const SplitChoice& {
            return all_[static_cast<std::size_t>(first + rank)];
        };
        std::vector<int> members;
        for (int rank = 0; rank < group.size(); ++rank)
            if (choice(rank).has_color != 0 && choice(rank).color == color) members.push_back(rank);
        std::stable_sort(members.begin(), members.end(),
                         [&](int a, int b) { return choice(a).key < choice(b).key; });
        return including(group, members);
    }

    std::vector<SplitChoice> all_;  ///< in the order of the team
    int own_first_;                 ///< where the choices of the own group begin
    int peers_first_;
};

}  // namespace

Group united(const Group& a, const Group& b) {
    const Members in_a(a);
    std::vector<int> ranks = a.list_of_world_ranks();
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
    if (a == b) return Comparison::identical;
    if (a.size() != b.size()) return Comparison::unequal;
    const Members in_b(b);
    for (const int rank : a.world_ranks())
        if (!in_b.has(rank)) return Comparison::unequal;
    return Comparison::similar;
}

namespace {

/// All ranks of the parent agree, of an inter-communicator those of both groups.
std::uint32_t agree(Comm& parent, ContextIds& contexts) {
    const Undivided one(parent.team());
    return contexts.agree(parent.process(), parent.team(), {parent.context(), 0});
}

}  // namespace

std::unique_ptr<Comm> duplicated(Comm& parent, ContextIds& contexts) {
    return made(parent, agree(parent, contexts), parent.group(), parent.peers());
}

Duplication start_duplicating(Comm& parent, ContextIds& contexts) {
    // In no message, nor the context of any communicator, until the ranks have agreed.
    constexpr std::uint32_t none_yet = ~std::uint32_t{1};
    Duplication started;
    started.comm = made(parent, none_yet, parent.group(), parent.peers());
    auto agreement = std::make_shared<ContextIds::Agreement>(
        contexts, ContextIds::Place{parent.context(), ++parent.duplications}, false);
    started.request = &parent.process().start_collectives(
        parent.collective_ranks(), [agreement, comm = started.comm.get()](Team& team) {
            switch (agreement->advance(team)) {
                case ContextIds::Agreement::Next::collective:
                    return Continuation::recorded;
                case ContextIds::Agreement::Next::turn:
                    return Continuation::later;
                case ContextIds::Agreement::Next::agreed:
                    comm->set_context(agreement->context());
            }
            return Continuation::over;
        });
    return started;
}

std::unique_ptr<Comm> created(Comm& parent, const Group& group, ContextIds& contexts) {
    const int rank = group.rank_of(parent.process().world_rank());
    // The ranks of each side know but their own group.
    if (parent.is_inter())
        return split(parent, rank < 0 ? std::nullopt : std::optional(0), rank, contexts);
    const std::uint32_t context = agree(parent, contexts);
    if (rank >= 0) return made(parent, context, group);
    contexts.give_back(context);
    return nullptr;
}

std::unique_ptr<Comm> created_by_group(Comm& parent, const Group& group, int tag,
                                       ContextIds& contexts) {
    if (group.rank_of(parent.process().world_rank()) < 0) return nullptr;
    const ContextIds::Place place{parent.context() | ContextIds::of_subsets, tag};
    SubsetTeam team(parent.process(), place.context, parent.group(), group, tag);
    return made(parent, contexts.agree(parent.process(), team, place), group);
}

std::unique_ptr<Comm> created_from_group(Process& process, const Group& group, std::string_view tag,
                                         ContextIds& contexts) {
    const ContextIds::Place place{ContextIds::of_groups, tag_of(tag)};
    SubsetTeam team(process, place.context, Group::all(process.world_size()), group, place.tag);
    return std::make_unique<Comm>(process, contexts.agree(process, team, place), group);
}

// FNV-1a, folded into the bits of a tag. Texts that are met at one time are few.
int tag_of(std::string_view text) {
    std::uint32_t hash = 2166136261u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return static_cast<int>((hash ^ hash >> 30) & static_cast<std::uint32_t>(max_tag));
}

std::unique_ptr<Comm> split(Comm& parent, std::optional<int> color, int key, ContextIds& contexts) {
    const SplitChoices choices(parent, {color.has_value() ? 1 : 0, color.value_or(0), key});
    // One context serves all colors: their ranks never meet in it.
    const std::uint32_t context = agree(parent, contexts);
    if (color) {
        const Group peers = choices.peers(parent, *color);
        if (peers.size() > 0) return made(parent, context, choices.own(parent, *color), peers);
    }
    contexts.give_back(context);
    return nullptr;
}

Comparison compare(const Comm& a, const Comm& b) {
    if (&a == &b) return Comparison::identical;
    if (a.is_inter() != b.is_inter()) return Comparison::unequal;
    const Comparison groups =
        std::max(compare(a.group(), b.group()), compare(a.peers(), b.peers()));
    return groups == Comparison::identical ? Comparison::congruent : groups;
}

}  // namespace railyard::mpi
