#include "mpi/communicators/making.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"
#include "mpi/types/operation.hpp"

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

/// Some ranks of a communicator that do something together while the others know nothing of it.
/// They use a context of their own, a tag, and the communicator's ranks: so groups that overlap do
/// not take each other's messages.
class SubsetTeam final : public Team {
  public:
    SubsetTeam(Communicator& parent, const Group& group, int tag)
        : Team(group.rank_of(parent.process().world_rank()), group.size(), {}),
          comm_(parent.process(), parent.context() | ContextIds::of_subsets, parent.group()),
          tag_(tag) {
        for (const int world_rank : group.world_ranks()) {
            const int rank = parent.group().rank_of(world_rank);
            if (rank < 0)
                throw MpiError(ErrorClass::group,
                               "rank " + std::to_string(world_rank) +
                                   " of the job is in the group, but not in the communicator");
            ranks_.push_back(rank);
        }
    }

    void send(const ConstBuffer& data, int to) override {
        comm_.process().send(data, in_parent(to), tag_, comm_);
    }
    void receive(const Buffer& into, int from) override {
        Status status;
        comm_.process().receive(into, in_parent(from), tag_, comm_, &status);
    }
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override {
        start_receive(in, from);
        start_send(out, to);
        wait_all();
    }
    void start_send(const ConstBuffer& data, int to) override {
        under_way_.push_back(&comm_.process().start_send(data, in_parent(to), tag_, comm_));
    }
    void start_receive(const Buffer& into, int from) override {
        under_way_.push_back(&comm_.process().start_receive(into, in_parent(from), tag_, comm_));
    }
    void wait_all() override {
        for (Request* request : under_way_) {
            comm_.process().wait(*request);
            comm_.process().release(*request);
        }
        under_way_.clear();
    }
    void charge_bytes(std::size_t bytes) override { comm_.process().host().charge_copy(bytes); }

  private:
    int in_parent(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    Communicator comm_;
    int tag_;
    std::vector<int> ranks_;  ///< of the members, in the parent
    std::vector<Request*> under_way_;
};

std::unique_ptr<Comm> made(Comm& parent, std::uint32_t context, const Group& group) {
    auto comm = std::make_unique<Comm>(parent.process(), context, group);
    comm->error_handler = parent.error_handler;
    return comm;
}

/// What each rank gives to a split.
struct SplitChoice {
    int has_color;
    int color;
    int key;
};

std::vector<SplitChoice> all_choices(Comm& parent, const SplitChoice& mine) {
    std::vector<SplitChoice> choices(static_cast<std::size_t>(parent.size()));
    const Datatype& integer = *predefined(Basic::c_int);
    constexpr std::size_t length = sizeof(SplitChoice) / sizeof(int);
    allgather(parent.team(), ConstBuffer(&mine, length, integer),
              Buffer{choices.data(), length, &integer});
    return choices;
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

namespace {

/// All ranks of the parent agree.
std::uint32_t agree(Comm& parent, ContextIds& contexts) {
    return contexts.agree(parent.process(), parent.team(), {parent.context(), 0});
}

}  // namespace

std::unique_ptr<Comm> duplicated(Comm& parent, ContextIds& contexts) {
    return made(parent, agree(parent, contexts), parent.group());
}

std::unique_ptr<Comm> created(Comm& parent, const Group& group, ContextIds& contexts) {
    const std::uint32_t context = agree(parent, contexts);
    if (group.rank_of(parent.process().world_rank()) >= 0) return made(parent, context, group);
    contexts.give_back(context);
    return nullptr;
}

std::unique_ptr<Comm> created_by_group(Comm& parent, const Group& group, int tag,
                                       ContextIds& contexts) {
    if (group.rank_of(parent.process().world_rank()) < 0) return nullptr;
    SubsetTeam team(parent, group, tag);
    const ContextIds::Place place{parent.context() | ContextIds::of_subsets, tag};
    return made(parent, contexts.agree(parent.process(), team, place), group);
}

std::unique_ptr<Comm> split(Comm& parent, std::optional<int> color, int key, ContextIds& contexts) {
    const std::vector<SplitChoice> choices =
        all_choices(parent, {color.has_value() ? 1 : 0, color.value_or(0), key});
    // One context serves all colors: their ranks never meet in it.
    const std::uint32_t context = agree(parent, contexts);
    if (!color) {
        contexts.give_back(context);
        return nullptr;
    }
    std::vector<int> members;
    for (int rank = 0; rank < parent.size(); ++rank) {
        const SplitChoice& choice = choices[static_cast<std::size_t>(rank)];
        if (choice.has_color != 0 && choice.color == *color) members.push_back(rank);
    }
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
        return choices[static_cast<std::size_t>(a)].key < choices[static_cast<std::size_t>(b)].key;
    });
    return made(parent, context, including(parent.group(), members));
}

Comparison compare(const Comm& a, const Comm& b) {
    if (&a == &b) return Comparison::identical;
    const Comparison groups = compare(a.group(), b.group());
    return groups == Comparison::identical ? Comparison::congruent : groups;
}

}  // namespace railyard::mpi
