#include "mpi/collectives/scatter.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"
#include "mpi/collectives/tree.hpp"

namespace railyard::mpi {

namespace {

/// The root sends a subtree's blocks as one message: from where they are, or, where the user's
/// ranks begin again at 0 within it, packed.
void scatter_at_root(Team& team, const Tree& tree, const ConstBlocks& all, std::size_t each) {
    std::size_t split = 0;
    for (int i = 0; i < tree.children(); ++i)
        if (tree.child(i) + tree.child_span(i) > team.size())
            split = static_cast<std::size_t>(tree.child_span(i)) * each;
    Scratch scratch(team.scratch(), Scratch::room(split));
    const std::span<std::byte> packed = scratch.bytes(split);
    for (int i = tree.children(); i-- > 0;) {
        const int first = tree.child(i);
        const int span = tree.child_span(i);
        if (first + span <= team.size()) {
            team.start_send(all.range(first, span), first);
            continue;
        }
        const int before = team.size() - first;
        const std::size_t bytes = static_cast<std::size_t>(before) * each;
        pack(team, all.range(first, before), packed.first(bytes));
        pack(team, all.range(0, span - before), packed.subspan(bytes));
        team.start_send(as_buffer(packed), first);
    }
    team.wait_all();
}

void scatter_binomial(Team& team, const ConstBlocks& all, const Buffer& mine, int root,
                      std::size_t each) {
    const Tree tree = Tree::binomial(team, root);
    if (tree.is_root()) return scatter_at_root(team, tree, all, each);
    if (tree.children() == 0) return team.receive(mine, tree.parent());
    const std::size_t bytes = static_cast<std::size_t>(tree.span()) * each;
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    team.receive(as_buffer(packed), tree.parent());
    for (int i = tree.children(); i-- > 0;)
        team.start_send(
            as_buffer(packed.subspan((std::size_t{1} << i) * each,
                                     static_cast<std::size_t>(tree.child_span(i)) * each)),
            tree.child(i));
    unpack(team, packed.first(each), mine);
    team.wait_all();
}

}  // namespace

void scatter_flat(Team& team, const ConstBlocks& all, const Buffer& mine, int root) {
    if (team.rank() != root) {
        if (bytes_of(mine) > 0) team.receive(mine, root);
        return;
    }
    for (int i = 1; i < team.size(); ++i) {
        const int to = (root + i) % team.size();
        const ConstBuffer block = all[to];
        if (bytes_of(block) > 0) team.start_send(block, to);
    }
    if (!is_in_place(mine)) copy(team, all[root], mine);
    team.wait_all();
}

void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root) {
    const bool is_root = team.rank() == root;
    const std::size_t each = is_root ? bytes_of(all) : bytes_of(mine);
    if (each == 0) return;
    const ConstBlocks blocks(all);
    if (choose(Collective::scatter, team, each) == Algorithm::flat)
        return scatter_flat(team, blocks, mine, root);
    if (is_root && !is_in_place(mine)) copy(team, blocks[root], mine);
    scatter_binomial(team, blocks, mine, root, each);
}

}  // namespace railyard::mpi
