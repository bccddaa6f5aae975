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

void deliver(Party& party, const Tree& tree, const ConstBuffer& total, const Buffer& result,
             int root) {
    if (!tree.is_root())
        party.send(total, tree.parent());
    else if (party.rank() != root)
        party.send(total, root);
    else
        copy(party, total, result);
}

/// One wait for all children, then all are combined, from the highest down.
void combine_at_once(Party& party, const Tree& tree, const Operation& operation,
                     const ConstBuffer& data, const Buffer& result, int root) {
    const std::size_t each = Scratch::room(data.count, *data.type);
    Scratch scratch(party.scratch(), static_cast<std::size_t>(tree.children()) * each);
    const Buffer first = scratch.elements(data.count, *data.type);
    const auto from = [&](int i) {
        return Buffer{moved(first.address, i * static_cast<std::ptrdiff_t>(each)), data.count,
                      data.type};
    };
    for (int i = 0; i < tree.children(); ++i)
        party.start_receive(from(i), tree.child(i));
    party.wait_all();
    const Buffer total = from(tree.children() - 1);
    for (int i = tree.children() - 1; i-- > 0;)
        combine(party, operation, from(i), total);
    combine(party, operation, data, total);
    deliver(party, tree, total, result, root);
}

void combine_in_turn(Party& party, const Tree& tree, const Operation& operation,
                     const ConstBuffer& data, const Buffer& result, int root) {
    Scratch scratch(party.scratch(), Total::room(data));
    Total total(party, operation, data, scratch);
    for (int i = 0; i < tree.children(); ++i) {
        party.receive(total.incoming(), tree.child(i));
        total.add_higher();
    }
    deliver(party, tree, total.now(), result, root);
}

void rabenseifner(Party& party, const Operation& operation, const ConstBuffer& data,
                  const Buffer& result, int root) {
    const Fold fold(party);
    const bool is_root = party.rank() == root;
    if (fold.is_spoken_for()) {
        party.send(data, fold.mate());
        if (is_root) party.receive(result, fold.mate());
        return;
    }
    Scratch scratch(party.scratch(), (is_root ? 0 : Scratch::room(data.count, *data.type)) +
                                         Halving::room(fold, data));
    const Buffer vector = is_root ? result : scratch.elements(data.count, *data.type);
    copy(party, data, vector);
    Halving halving(party, fold, operation, vector, scratch);
    halving.reduce_scatter();
    halving.gather(fold.place_of(root));
    if (fold.speaks_for_two() && fold.mate() == root) party.send(vector, root);
}

}  // namespace

void combine_up(Party& party, const Tree& tree, const Operation& operation, const ConstBuffer& data,
                const Buffer& result, int root) {
    const std::size_t needed =
        static_cast<std::size_t>(tree.children()) * Scratch::room(data.count, *data.type);
    if (needed == 0)
        deliver(party, tree, data, result, root);
    else if (needed <= at_once_bytes)
        combine_at_once(party, tree, operation, data, result, root);
    else
        combine_in_turn(party, tree, operation, data, result, root);
    if (party.rank() == root && !tree.is_root()) party.receive(result, tree.rank_at(0));
}

void reduce(Party& party, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root) {
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(data) == 0) return;
    // From the root on, round the end, is another order of ranks.
    const int top = operation.is_commutative() ? root : 0;
    switch (choose(Collective::reduce, party, bytes_of(data), operation.is_commutative())) {
        case Algorithm::flat:
            return combine_up(party, Tree::flat(party, top), operation, data, result, root);
        case Algorithm::tree:
            return combine_up(party, Tree::two_levels(party, top), operation, data, result, root);
        case Algorithm::rabenseifner:
            return rabenseifner(party, operation, data, result, root);
        default:
            return combine_up(party, Tree::binomial(party, top), operation, data, result, root);
    }
}

}  // namespace railyard::mpi
