#include "mpi/collectives/by_node.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/collectives/shared.hpp"

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
    const Buffer one = scratch.elements(data.count, *data.type);
    // Where the total shall end, it is not copied to.
    const bool is_at_end = tree.is_root() && team.rank() == root && data.address != result.address;
    const Buffer other = is_at_end ? result : scratch.elements(data.count, *data.type);
    const bool is_odd = tree.children() % 2 != 0;
    Total total(team, operation, data, is_odd ? other : one, is_odd ? one : other);
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
    const EvenCut parts(result.count, team.size());
    const auto share = [&](int number) {
        return parts.of(result, (number + team.size()) % team.size());
    };
    const int rank = team.rank();
    const int next = (rank + 1) % team.size();
    const int previous = (rank + team.size() - 1) % team.size();
    copy(team, data, result);
    const std::size_t longest = share(0).count;
    Scratch scratch(team.scratch(), Scratch::room(longest, *result.type));
    const Buffer room = scratch.elements(longest, *result.type);
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

/// How many elements are whose, one rank's after the other's.
class Shares {
  public:
    explicit Shares(std::size_t each) : each_(each), is_even_(true) {}
    explicit Shares(Integers counts) : counts_(counts) {}

    std::size_t of(int rank) const {
        return is_even_ ? each_ : static_cast<std::size_t>(counts_[rank]);
    }
    /// Elements before that rank's; of the number of ranks, all.
    std::size_t before(int rank) const {
        if (is_even_) return each_ * static_cast<std::size_t>(rank);
        std::size_t sum = 0;
        for (int i = 0; i < rank; ++i)
            sum += of(i);
        return sum;
    }

  private:
    std::size_t each_ = 0;
    Integers counts_;
    bool is_even_ = false;
};

/// Farthest ranks first, so that what is left to a rank is always one range; the order of ranks is
/// not kept.
void reduce_scatter_halving(Team& team, const ConstBuffer& data, const Buffer& result,
                            const Shares& shares, const Operation& operation) {
    const Fold fold(team);
    if (fold.is_extra()) return leave_to_proxy(team, fold, data, result);
    Scratch scratch(team.scratch(), 2 * Scratch::room(data.count, *data.type));
    const Buffer vector = scratch.elements(data.count, *data.type);
    const Buffer incoming = scratch.elements(data.count, *data.type);
    const auto range = [&](const Buffer& of, int from, int to) {
        const std::size_t start = shares.before(fold.first_at(from));
        return part(of, start, shares.before(fold.first_at(to)) - start);
    };
    copy(team, data, vector);
    if (fold.is_proxy()) {
        team.receive(incoming, fold.other());
        combine(team, operation, incoming, vector);
    }
    int low = 0;
    for (int half = fold.vranks() / 2; half > 0; half /= 2) {
        const bool is_lower = fold.vrank() < low + half;
        const int partner = fold.rank_at(fold.vrank() ^ half);
        const int theirs = is_lower ? low + half : low;
        if (!is_lower) low += half;
        const Buffer in = range(incoming, low, low + half);
        team.exchange(range(vector, theirs, theirs + half), partner, in, partner);
        combine(team, operation, in, range(vector, low, low + half));
    }
    if (fold.is_proxy())
        team.send(part(vector, shares.before(fold.other()), shares.of(fold.other())), fold.other());
    copy(team, part(vector, shares.before(team.rank()), result.count), result);
}

/// Lower ranks' shares come from the nearest down, and then higher ranks' from the last down: each
/// goes to the left of its kind, and at the end the lower ones go to the left of the higher ones.
void reduce_scatter_pairwise(Team& team, const ConstBuffer& data, const Buffer& result,
                             const Shares& shares, const Operation& operation) {
    const int rank = team.rank();
    const int ranks = team.size();
    Scratch scratch(team.scratch(), 3 * Scratch::room(result.count, *result.type));
    const Buffer total = scratch.elements(result.count, *result.type);
    Buffer incoming = scratch.elements(result.count, *result.type);
    Buffer higher = scratch.elements(result.count, *result.type);
    bool has_higher = false;
    copy(team, part(data, shares.before(rank), result.count), total);
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        const int from = (rank - i + ranks) % ranks;
        team.exchange(part(data, shares.before(to), shares.of(to)), to, incoming, from);
        if (from < rank || operation.is_commutative()) {
            combine(team, operation, incoming, total);
        } else if (has_higher) {
            combine(team, operation, incoming, higher);
        } else {
            std::swap(incoming, higher);
            has_higher = true;
        }
    }
    if (has_higher) combine(team, operation, total, higher);
    copy(team, has_higher ? higher : total, result);
}

void reduce_and_scatter(Team& team, const ConstBuffer& data, const Buffer& result,
                        const Shares& shares, const Operation& operation) {
    const Tree tree = Tree::binomial(team, 0);
    Scratch scratch(team.scratch(), tree.is_root() ? Scratch::room(data.count, *data.type) : 0);
    if (!tree.is_root()) {
        combine_up(team, tree, operation, data, {}, 0);
        if (result.count > 0) team.receive(result, 0);
        return;
    }
    const Buffer all = scratch.elements(data.count, *data.type);
    combine_up(team, tree, operation, data, all, 0);
    for (int to = 1; to < team.size(); ++to)
        if (shares.of(to) > 0) team.start_send(part(all, shares.before(to), shares.of(to)), to);
    copy(team, part(all, 0, result.count), result);
    team.wait_all();
}

void reduce_shares(Team& team, Collective collective, const ConstBuffer& mine, const Buffer& result,
                   const Shares& shares, const Operation& operation) {
    const ConstBuffer data(is_in_place(mine) ? result.address : mine.address,
                           shares.before(team.size()), *result.type);
    const Buffer share{result.address, shares.of(team.rank()), result.type};
    if (bytes_of(data) == 0) return;
    if (team.size() == 1) return copy(team, data, share);
    switch (choose(collective, team, data, operation)) {
        case Algorithm::recursive_halving:
            return reduce_scatter_halving(team, data, share, shares, operation);
        case Algorithm::pairwise:
            return reduce_scatter_pairwise(team, data, share, shares, operation);
        default:
            return reduce_and_scatter(team, data, share, shares, operation);
    }
}

}  // namespace

void combine_up(Team& team, const Tree& tree, const Operation& operation, const ConstBuffer& data,
                const Buffer& result, int root) {
    const std::size_t needed =
        static_cast<std::size_t>(tree.children()) * Scratch::room(data.count, *data.type);
    if (needed == 0)
        deliver(team, tree, data, result, root);
    else if (tree.children() > 1 && needed <= at_once_bytes)
        combine_at_once(team, tree, operation, data, result, root);
    else
        combine_in_turn(team, tree, operation, data, result, root);
    if (team.rank() == root && !tree.is_root()) team.receive(result, tree.rank_at(0));
}

void reduce(Team& team, const ConstBuffer& mine, const Buffer& result, const Operation& operation,
            int root) {
    if (team.is_divided()) [[unlikely]]
        return inter::reduce(team, mine, result, operation, root);
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(data) == 0) return;
    // From the root on, round the end, is another order of ranks.
    const int top = operation.is_commutative() ? root : 0;
    const Algorithm chosen = choose(Collective::reduce, team, data, operation);
    if (chosen == Algorithm::direct) {
        if (shared::reduce_directly(team, operation, data, result, root)) return;
        const Otherwise otherwise(team);
        return combine_up(team, Tree::binomial(team, top), operation, data, result, root);
    }
    switch (chosen) {
        case Algorithm::shared:
            return shared::reduce(team, operation, data, result, root);
        case Algorithm::tree:
            return combine_up(team, Tree::two_levels(team, top), operation, data, result, root);
        case Algorithm::flat:
            return combine_up(team, Tree::flat(team, top), operation, data, result, root);
        case Algorithm::by_node:
            return by_node::reduce(team, data, result, operation, root);
        case Algorithm::linear:
            return reduce_linear(team, operation, data, result, root);
        case Algorithm::rabenseifner:
            return reduce_rabenseifner(team, operation, data, result, root);
        default:
            return combine_up(team, Tree::binomial(team, top), operation, data, result, root);
    }
}

void allreduce(Team& team, const ConstBuffer& mine, const Buffer& result,
               const Operation& operation) {
    if (team.is_divided()) [[unlikely]]
        return inter::allreduce(team, mine, result, operation);
    const ConstBuffer data = is_in_place(mine) ? ConstBuffer(result) : mine;
    if (bytes_of(result) == 0) return;
    if (team.size() == 1) return copy(team, data, result);
    switch (choose(Collective::allreduce, team, data, operation)) {
        case Algorithm::shared:
            return shared::allreduce(team, operation, data, result);
        case Algorithm::by_node:
            return by_node::allreduce(team, data, result, operation);
        case Algorithm::linear:
            return allreduce_linear(team, operation, data, result);
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

void reduce_scatter(Team& team, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation) {
    if (team.is_divided()) [[unlikely]]
        return inter::reduce_scatter(team, mine, result, counts, operation);
    reduce_shares(team, Collective::reduce_scatter, mine, result, Shares(counts), operation);
}

void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation) {
    if (team.is_divided()) [[unlikely]]
        return inter::reduce_scatter_block(team, mine, result, operation);
    reduce_shares(team, Collective::reduce_scatter_block, mine, result, Shares(result.count),
                  operation);
}

}  // namespace railyard::mpi
