#include "mpi/communicators/making.hpp"

#include <algorithm>
#include <array>

#include "mpi/collectives/collectives.hpp"
#include "mpi/communicators/subset_team.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi {

namespace {

std::unique_ptr<Comm> made(Comm& parent, std::uint32_t context, const Group& group) {
    auto comm = std::make_unique<Comm>(parent.process(), context, group);
    comm->error_handler = parent.error_handler;
    return comm;
}

/// What each rank says at a split.
struct Wish {
    int has_color;
    int color;
    int key;
};

std::vector<Wish> all_wishes(Comm& parent, const Wish& mine) {
    std::vector<Wish> wishes(static_cast<std::size_t>(parent.size()));
    const Datatype& integer = *predefined(Basic::c_int);
    constexpr std::size_t length = sizeof(Wish) / sizeof(int);
    allgather(parent.team(), ConstBuffer(&mine, length, integer),
              Buffer{wishes.data(), length, &integer});
    return wishes;
}

}  // namespace

std::unique_ptr<Comm> duplicated(Comm& parent, ContextIds& contexts) {
    return made(parent, contexts.agree(parent.team()), parent.group());
}

std::unique_ptr<Comm> created(Comm& parent, const Group& group, ContextIds& contexts) {
    const std::uint32_t context = contexts.agree(parent.team());
    if (group.rank_of(parent.process().world_rank()) >= 0) return made(parent, context, group);
    contexts.give_back(context);
    return nullptr;
}

std::unique_ptr<Comm> created_aside(Comm& parent, const Group& group, int tag,
                                    ContextIds& contexts) {
    if (group.rank_of(parent.process().world_rank()) < 0) return nullptr;
    SubsetTeam team(parent, group, tag);
    return made(parent, contexts.agree(team), group);
}

std::unique_ptr<Comm> split(Comm& parent, std::optional<int> color, int key, ContextIds& contexts) {
    const std::vector<Wish> wishes =
        all_wishes(parent, {color.has_value() ? 1 : 0, color.value_or(0), key});
    // One context serves all colors: their ranks never meet in it.
    const std::uint32_t context = contexts.agree(parent.team());
    if (!color) {
        contexts.give_back(context);
        return nullptr;
    }
    std::vector<int> members;
    for (int rank = 0; rank < parent.size(); ++rank) {
        const Wish& wish = wishes[static_cast<std::size_t>(rank)];
        if (wish.has_color != 0 && wish.color == *color) members.push_back(rank);
    }
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
        return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
    });
    return made(parent, context, including(parent.group(), members));
}

Likeness compare(const Comm& a, const Comm& b) {
    if (&a == &b) return Likeness::identical;
    const Likeness groups = compare(a.group(), b.group());
    return groups == Likeness::identical ? Likeness::congruent : groups;
}

}  // namespace railyard::mpi
