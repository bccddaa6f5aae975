#include "mpi/collectives/gather.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/tree.hpp"

namespace railyard::mpi {

namespace {

/// The root receives a subtree's blocks as one message: into place, or, where the user's ranks
/// begin again at 0 within it, into scratch.
void gather_at_root(Team& team, const Tree& tree, const Blocks& all, std::size_t each) {
    std::size_t split = 0;
    for (int i = 0; i < tree.children(); ++i)
        if (tree.child(i) + tree.child_span(i) > team.size())
            split = static_cast<std::size_t>(tree.child_span(i)) * each;
    Scratch scratch(team.scratch(), Scratch::room(split));
    const std::span<std::byte> packed = scratch.bytes(split);
    int unpack_from = -1;
    for (int i = 0; i < tree.children(); ++i) {
        const int first = tree.child(i);
        if (first + tree.child_span(i) <= team.size()) {
            team.start_receive(all.range(first, tree.child_span(i)), first);
        } else {
            team.start_receive(as_buffer(packed), first);
            unpack_from = first;
        }
    }
    team.wait_all();
    if (unpack_from < 0) return;
    const int before = team.size() - unpack_from;
    const std::size_t bytes = static_cast<std::size_t>(before) * each;
    unpack(team, packed.first(bytes), all.range(unpack_from, before));
    unpack(team, packed.subspan(bytes), all.range(0, static_cast<int>((split - bytes) / each)));
}

void gather_binomial(Team& team, const ConstBuffer& mine, const Blocks& all, int root,
                     std::size_t each) {
    const Tree tree = Tree::binomial(team, root);
    if (tree.is_root()) return gather_at_root(team, tree, all, each);
    if (tree.children() == 0) return team.send(mine, tree.parent());
    const std::size_t bytes = static_cast<std::size_t>(tree.span()) * each;
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    for (int i = 0; i < tree.children(); ++i)
        team.start_receive(
            as_buffer(packed.subspan((std::size_t{1} << i) * each,
                                     static_cast<std::size_t>(tree.child_span(i)) * each)),
            tree.child(i));
    pack(team, mine, packed.first(each));
    team.wait_all();
    team.send(as_buffer(packed), tree.parent());
}

}  // namespace

void gather_flat(Team& team, const ConstBuffer& mine, const Blocks& all, int root) {
    if (team.rank() != root) {
        if (bytes_of(mine) > 0) team.send(mine, root);
        return;
    }
    for (int i = 1; i < team.size(); ++i) {
        const int from = (root + i) % team.size();
        const Buffer block = all[from];
        if (bytes_of(block) > 0) team.start_receive(block, from);
    }
    if (!is_in_place(mine)) copy(team, mine, all[root]);
    team.wait_all();
}

void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root) {
    const bool is_root = team.rank() == root;
    const std::size_t each = is_root ? bytes_of(all) : bytes_of(mine);
    if (each == 0) return;
    const Blocks blocks(all);
    if (choose(Collective::gather, team, each) == Algorithm::flat)
        return gather_flat(team, mine, blocks, root);
    if (is_root && !is_in_place(mine)) copy(team, mine, blocks[root]);
    gather_binomial(team, mine, blocks, root, each);
}

}  // namespace railyard::mpi
