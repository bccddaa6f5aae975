#include "mpi/collectives/collectives.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"

namespace railyard::mpi {

namespace {

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
    switch (choose(collective, team, bytes_of(data), operation.is_commutative())) {
        case Algorithm::recursive_halving:
            return reduce_scatter_halving(team, data, share, shares, operation);
        case Algorithm::pairwise:
            return reduce_scatter_pairwise(team, data, share, shares, operation);
        default:
            return reduce_and_scatter(team, data, share, shares, operation);
    }
}

}  // namespace

void reduce_scatter(Team& team, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation) {
    reduce_shares(team, Collective::reduce_scatter, mine, result, Shares(counts), operation);
}

void reduce_scatter_block(Team& team, const ConstBuffer& mine, const Buffer& result,
                          const Operation& operation) {
    reduce_shares(team, Collective::reduce_scatter_block, mine, result, Shares(result.count),
                  operation);
}

}  // namespace railyard::mpi
