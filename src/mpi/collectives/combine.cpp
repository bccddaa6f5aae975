#include "mpi/collectives/combine.hpp"

namespace railyard::mpi {

namespace {

std::size_t incoming_count(const Fold& fold, const ConstBuffer& vector) {
    return fold.is_proxy() ? vector.count : (vector.count + 1) / 2;
}

}  // namespace

std::size_t Halving::room(const Fold& fold, const ConstBuffer& vector) {
    return Scratch::room(incoming_count(fold, vector), *vector.type);
}

Halving::Halving(Team& team, const Fold& fold, const Operation& operation, const Buffer& vector,
                 Scratch& scratch)
    : team_(team),
      fold_(fold),
      operation_(operation),
      vector_(vector),
      incoming_(scratch.elements(incoming_count(fold, vector), *vector.type)) {}

Buffer Halving::part_of(const Range& range) const {
    return part(vector_, range.from, range.to - range.from);
}

Halving::Range Halving::others(int level) const {
    const auto at = static_cast<std::size_t>(level);
    const Range& both = ranges_[at];
    const Range& mine = ranges_[at + 1];
    return is_lower(level) ? Range{mine.to, both.to} : Range{both.from, mine.from};
}

void Halving::add(const Range& range, bool from_lower) {
    const Buffer mine = part_of(range);
    const Buffer theirs{incoming_.address, mine.count, mine.type};
    if (from_lower || operation_.is_commutative()) return combine(team_, operation_, theirs, mine);
    combine(team_, operation_, mine, theirs);
    copy(team_, theirs, mine);
}

void Halving::reduce_scatter() {
    ranges_[0] = {0, vector_.count};
    if (fold_.is_proxy()) {
        team_.receive(incoming_, fold_.other());
        add(ranges_[0], true);
    }
    for (levels_ = 0; 1 << levels_ < fold_.vranks(); ++levels_) {
        const auto at = static_cast<std::size_t>(levels_);
        const Range both = ranges_[at];
        const std::size_t middle = both.from + (both.to - both.from) / 2;
        const Range mine = is_lower(levels_) ? Range{both.from, middle} : Range{middle, both.to};
        ranges_[at + 1] = mine;
        const int partner = fold_.rank_at(fold_.vrank() ^ 1 << levels_);
        team_.exchange(part_of(others(levels_)), partner,
                       {incoming_.address, mine.to - mine.from, incoming_.type}, partner);
        add(mine, !is_lower(levels_));
    }
}

void Halving::allgather() {
    for (int level = levels_; level-- > 0;) {
        const int partner = fold_.rank_at(fold_.vrank() ^ 1 << level);
        team_.exchange(part_of(ranges_[static_cast<std::size_t>(level) + 1]), partner,
                       part_of(others(level)), partner);
    }
}

void Halving::gather(int root_vrank) {
    for (int level = levels_; level-- > 0;) {
        const int partner = fold_.rank_at(fold_.vrank() ^ 1 << level);
        const bool gives = ((fold_.vrank() ^ root_vrank) >> level & 1) != 0;
        if (gives)
            return team_.send(part_of(ranges_[static_cast<std::size_t>(level) + 1]), partner);
        team_.receive(part_of(others(level)), partner);
    }
}

}  // namespace railyard::mpi
