#include "mpi/collectives/reduce.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/halving.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// Up to this much memory, all children's data are received at once.
constexpr std::size_t at_once_bytes = 64 << 10;

void deliver(Team& team, const Tree& tree, const ConstBuffer& total, const Buffer& result,
             int root) {
    if (!tree.is_root())
        team.send(total, tree.parent());
    else if (team.rank() != root)
        team.send(total, root);
    else
        copy(team, total, result);
}

/// One wait for all children, then all are combined, from the highest down.
void combine_at_once(Team& team, const Tree& tree, const Operation& operation,
                     const ConstBuffer& data, const Buffer& result, int root) {
    const std::size_t each = Scratch::room(data.count, *data.type);
    Scratch scratch(team.scratch(), static_cast<std::size_t>(tree.children()) * each);
    const Buffer first = scratch.elements(data.count, *data.type);
    const auto from = [&](int i) {
        return Buffer{moved(first.address, i * static_cast<std::ptrdiff_t>(each)), data.count,
                      data.type};
    };
    for (int i = 0; i < tree.children(); ++i)
        team.start_receive(from(i), tree.child(i));
    team.wait_all();
    const Buffer total = from(tree.children() - 1);
    for (int i = tree.children() - 1; i-- > 0;)
        combine(team, operation, from(i), total);
    combine(team, operation, data, total);
    deliver(team, tree, total, result, root);
}

void combine_in_turn(Team& team, const Tree& tree, const Operation& operation,
                     const ConstBuffer& data, const Buffer& result, int root) {
    Scratch scratch(team.scratch(), Total::room(data));
    Total total(team, operation, data, scratch);
    for (int i = 0; i < tree.children(); ++i) {
        team.receive(total.incoming(), tree.child(i));
        total.add_higher();
    }
    deliver(team, tree, total.now(), result, root);
}

void rabenseifner(Team& team, const Operation& operation, const ConstBuffer& data,
                  const Buffer& result, int root) {
    const Fold fold(team);
    const bool is_root = team.rank() == root;
    if (fold.is_spoken_for()) {
        team.send(data, fold.mate());
        if (is_root) team.receive(result, fold.mate());
        return;
    }
    Scratch scratch(team.scratch(), (is_root ? 0 : Scratch::room(data.count, *data.type)) +
                                        Halving::room(fold, data));
    const Buffer vector = is_root ? result : scratch.elements(data.count, *data.type);
    copy(team, data, vector);
    Halving halving(team, fold, operation, vector, scratch);
    halving.reduce_scatter();
    halving.gather(fold.place_of(root));
    if (fold.speaks_for_two() && fold.mate() == root) team.send(vector, root);
}

}  // namespace

void combine_up(Team& team, const Tree& tree, const Operation& operation, const ConstBuffer& data,
                const Buffer& result, int root) {
    const std::size_t needed =
        static_cast<std::size_t>(tree.children()) * Scratch::room(data.count, *data.type);
    if (needed == 0)
        deliver(team, tree, data, result, root);
    else if (needed <= at_once_bytes)
        combine_at_once(team, tree, operation, data, result, root);
    else
        combine_in_turn(team, tree, operation, data, result, root);
    if (team.rank() == root && !tree.is_root()) team.receive(result, tree.rank_at(0));
}

void reduce(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root) {
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(data) == 0) return;
    // From the root on, round the end, is another order of ranks.
    const int top = operation.is_commutative() ? root : 0;
    switch (choose(Collective::reduce, team, bytes_of(data), operation.is_commutative())) {
        case Algorithm::flat:
            return combine_up(team, Tree::flat(team, top), operation, data, result, root);
        case Algorithm::tree:
            return combine_up(team, Tree::two_levels(team, top), operation, data, result, root);
        case Algorithm::rabenseifner:
            return rabenseifner(team, operation, data, result, root);
        default:
            return combine_up(team, Tree::binomial(team, top), operation, data, result, root);
    }
}

}  // namespace railyard::mpi
