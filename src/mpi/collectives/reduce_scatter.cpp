#include "mpi/collectives/reduce_scatter.hpp"

#include "mpi/collectives/choice.hpp"
#include "mpi/collectives/combine.hpp"
#include "mpi/collectives/fold.hpp"
#include "mpi/collectives/in_place.hpp"
#include "mpi/collectives/local.hpp"
#include "mpi/collectives/reduce.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi {

namespace {

/// Farthest ranks first, so that what is left to a rank is always one range; the order of ranks is
/// not kept.
void recursive_halving(Party& party, const ConstBuffer& data, const Buffer& result,
                       const Shares& shares, const Operation& operation) {
    const Fold fold(party);
    if (fold.is_spoken_for()) {
        party.send(data, fold.mate());
        party.receive(result, fold.mate());
        return;
    }
    Scratch scratch(party.scratch(), 2 * Scratch::room(data.count, *data.type));
    const Buffer vector = scratch.elements(data.count, *data.type);
    const Buffer incoming = scratch.elements(data.count, *data.type);
    const auto range = [&](const Buffer& of, int from, int to) {
        const std::size_t start = shares.before(fold.first_at(from));
        return part(of, start, shares.before(fold.first_at(to)) - start);
    };
    copy(party, data, vector);
    if (fold.speaks_for_two()) {
        party.receive(incoming, fold.mate());
        combine(party, operation, incoming, vector);
    }
    int low = 0;
    for (int half = fold.places() / 2; half > 0; half /= 2) {
        const bool is_lower = fold.place() < low + half;
        const int partner = fold.rank_at(fold.place() ^ half);
        const int theirs = is_lower ? low + half : low;
        if (!is_lower) low += half;
        const Buffer in = range(incoming, low, low + half);
        party.exchange(range(vector, theirs, theirs + half), partner, in, partner);
        combine(party, operation, in, range(vector, low, low + half));
    }
    if (fold.speaks_for_two())
        party.send(part(vector, shares.before(fold.mate()), shares.of(fold.mate())), fold.mate());
    copy(party, part(vector, shares.before(party.rank()), result.count), result);
}

/// Lower ranks' shares come from the nearest down, and then higher ranks' from the last down: each
/// goes to the left of its kind, and at the end the lower ones go to the left of the higher ones.
void pairwise(Party& party, const ConstBuffer& data, const Buffer& result, const Shares& shares,
              const Operation& operation) {
    const int rank = party.rank();
    const int ranks = party.size();
    Scratch scratch(party.scratch(), 3 * Scratch::room(result.count, *result.type));
    const Buffer total = scratch.elements(result.count, *result.type);
    Buffer incoming = scratch.elements(result.count, *result.type);
    Buffer higher = scratch.elements(result.count, *result.type);
    bool has_higher = false;
    copy(party, part(data, shares.before(rank), result.count), total);
    for (int i = 1; i < ranks; ++i) {
        const int to = (rank + i) % ranks;
        const int from = (rank - i + ranks) % ranks;
        party.exchange(part(data, shares.before(to), shares.of(to)), to, incoming, from);
        if (from < rank || operation.is_commutative()) {
            combine(party, operation, incoming, total);
        } else if (has_higher) {
            combine(party, operation, incoming, higher);
        } else {
            std::swap(incoming, higher);
            has_higher = true;
        }
    }
    if (has_higher) combine(party, operation, total, higher);
    copy(party, has_higher ? higher : total, result);
}

void reduce_and_scatter(Party& party, const ConstBuffer& data, const Buffer& result,
                        const Shares& shares, const Operation& operation) {
    const Tree tree = Tree::binomial(party, 0);
    Scratch scratch(party.scratch(), tree.is_root() ? Scratch::room(data.count, *data.type) : 0);
    if (!tree.is_root()) {
        combine_up(party, tree, operation, data, {}, 0);
        if (result.count > 0) party.receive(result, 0);
        return;
    }
    const Buffer all = scratch.elements(data.count, *data.type);
    combine_up(party, tree, operation, data, all, 0);
    for (int to = 1; to < party.size(); ++to)
        if (shares.of(to) > 0) party.start_send(part(all, shares.before(to), shares.of(to)), to);
    copy(party, part(all, 0, result.count), result);
    party.wait_all();
}

}  // namespace

std::size_t Shares::before(int rank) const {
    if (is_even_) return each_ * static_cast<std::size_t>(rank);
    std::size_t sum = 0;
    for (int i = 0; i < rank; ++i)
        sum += of(i);
    return sum;
}

void reduce_shares(Party& party, Collective collective, const ConstBuffer& mine,
                   const Buffer& result, const Shares& shares, const Operation& operation) {
    const ConstBuffer data(is_in_place(mine) ? result.address : mine.address,
                           shares.before(party.size()), *result.type);
    const Buffer share{result.address, shares.of(party.rank()), result.type};
    if (bytes_of(data) == 0) return;
    if (party.size() == 1) return copy(party, data, share);
    switch (choose(collective, party, bytes_of(data), operation.is_commutative())) {
        case Algorithm::recursive_halving:
            return recursive_halving(party, data, share, shares, operation);
        case Algorithm::pairwise:
            return pairwise(party, data, share, shares, operation);
        default:
            return reduce_and_scatter(party, data, share, shares, operation);
    }
}

void reduce_scatter(Party& party, const ConstBuffer& mine, const Buffer& result, Integers counts,
                    const Operation& operation) {
    reduce_shares(party, Collective::reduce_scatter, mine, result, Shares(counts), operation);
}

}  // namespace railyard::mpi
