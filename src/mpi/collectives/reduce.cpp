#include "mpi/collectives/collectives.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"

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

void reduce_rabenseifner(Team& team, const Operation& operation, const ConstBuffer& data,
                         const Buffer& result, int root) {
    const Fold fold(team);
    const bool is_root = team.rank() == root;
    if (fold.is_extra()) {
        team.send(data, fold.other());
        if (is_root) team.receive(result, fold.other());
        return;
    }
    Scratch scratch(team.scratch(), (is_root ? 0 : Scratch::room(data.count, *data.type)) +
                                        Halving::room(fold, data));
    const Buffer vector = is_root ? result : scratch.elements(data.count, *data.type);
    copy(team, data, vector);
    Halving halving(team, fold, operation, vector, scratch);
    halving.reduce_scatter();
    halving.gather(fold.vrank_of(root));
    if (fold.is_proxy() && fold.other() == root) team.send(vector, root);
}

/// Lower ranks' data are on the left on both sides of an exchange, so both get the same bits.
void allreduce_doubling(Team& team, const Operation& operation, const ConstBuffer& data,
                        const Buffer& result) {
    const Fold fold(team);
    if (fold.is_extra()) return leave_to_proxy(team, fold, data, result);
    Scratch scratch(team.scratch(), Total::room(data));
    Total total(team, operation, data, scratch);
    if (fold.is_proxy()) {
        team.receive(total.incoming(), fold.other());
        total.add_lower();
    }
    for (int bit = 1; bit < fold.vranks(); bit *= 2) {
        const int partner = fold.rank_at(fold.vrank() ^ bit);
        team.exchange(total.now(), partner, total.incoming(), partner);
        if (fold.vrank() & bit)
            total.add_lower();
        else
            total.add_higher();
    }
    if (fold.is_proxy()) team.send(total.now(), fold.other());
    copy(team, total.now(), result);
}

void allreduce_rabenseifner(Team& team, const Operation& operation, const ConstBuffer& data,
                            const Buffer& result) {
    const Fold fold(team);
    if (fold.is_extra()) return leave_to_proxy(team, fold, data, result);
    copy(team, data, result);
    Scratch scratch(team.scratch(), Halving::room(fold, result));
    Halving halving(team, fold, operation, result, scratch);
    halving.reduce_scatter();
    halving.allgather();
    if (fold.is_proxy()) team.send(result, fold.other());
}

/// Each part is combined on its way round, and goes round once more. The order of ranks is another
/// for each part.
void allreduce_ring(Team& team, const Operation& operation, const ConstBuffer& data,
                    const Buffer& result) {
    const auto ranks = static_cast<std::size_t>(team.size());
    const std::size_t each = result.count / ranks;
    const std::size_t longer = result.count % ranks;  // so many parts have one element more
    const auto share = [&](int number) {
        const auto n = static_cast<std::size_t>(number + team.size()) % ranks;
        return part(result, n * each + std::min(n, longer), each + (n < longer ? 1 : 0));
    };
    const int rank = team.rank();
    const int next = (rank + 1) % team.size();
    const int previous = (rank + team.size() - 1) % team.size();
    copy(team, data, result);
    Scratch scratch(team.scratch(), Scratch::room(each + 1, *result.type));
    const Buffer room = scratch.elements(each + 1, *result.type);
    for (int step = 0; step < team.size() - 1; ++step) {
        const Buffer mine = share(rank - step - 1);
        const Buffer incoming{room.address, mine.count, mine.type};
        team.exchange(share(rank - step), next, incoming, previous);
        combine(team, operation, incoming, mine);
    }
    for (int step = 0; step < team.size() - 1; ++step)
        team.exchange(share(rank - step + 1), next, share(rank - step), previous);
}

void allreduce_tree(Team& team, const Tree& tree, const Operation& operation,
                    const ConstBuffer& data, const Buffer& result) {
    combine_up(team, tree, operation, data, result, 0);
    send_down(team, tree, result);
}

/// The last to come combines, in the order of ranks: all get the same bits, whoever it is.
void allreduce_shared(Hub& hub, Team& team, const Operation& operation, const ConstBuffer& data,
                      const Buffer& result) {
    const auto in_slot = [&](std::byte* slot) { return Buffer{slot, result.count, result.type}; };
    copy(team, data, in_slot(hub.slot(team.rank())));
    if (hub.arrive()) {
        const Buffer total = in_slot(hub.result());
        int rank = team.size() - 1;
        copy(team, in_slot(hub.slot(rank)), total);
        while (rank-- > 0)
            combine(team, operation, in_slot(hub.slot(rank)), total);
        hub.release();
    } else {
        hub.await();
    }
    copy(team, in_slot(hub.result()), result);
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
            return reduce_rabenseifner(team, operation, data, result, root);
        default:
            return combine_up(team, Tree::binomial(team, top), operation, data, result, root);
    }
}

void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation) {
    const std::size_t bytes = bytes_of(result);
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes == 0) return;
    if (team.size() == 1) return copy(team, data, result);
    switch (choose(Collective::allreduce, team, bytes, operation.is_commutative())) {
        case Algorithm::shared:
            // Predefined types are the same on all ranks, and need no more room than is there.
            if (result.type->is_predefined())
                return allreduce_shared(*team.hub(), team, operation, data, result);
            return allreduce_doubling(team, operation, data, result);
        case Algorithm::rabenseifner:
            return allreduce_rabenseifner(team, operation, data, result);
        case Algorithm::ring:
            return allreduce_ring(team, operation, data, result);
        case Algorithm::reduce_bcast:
            return allreduce_tree(team, Tree::binomial(team, 0), operation, data, result);
        case Algorithm::flat:
            return allreduce_tree(team, Tree::flat(team, 0), operation, data, result);
        case Algorithm::tree:
            return allreduce_tree(team, Tree::two_levels(team, 0), operation, data, result);
        default:
            return allreduce_doubling(team, operation, data, result);
    }
}

}  // namespace railyard::mpi
