#pragma once
/// Ranks renumbered as algorithms need them, which makes virtual ranks: in a tree from its root on,
/// or folded to a power of two.

#include <algorithm>
#include <bit>

#include "mpi/collectives/team.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// A tree over the ranks of a team, as one of them sees it. Virtual ranks count from the root on,
/// round the end. The ranks below a child follow each other, and children come in that order: data
/// combined own first, then child by child, are combined in the order of ranks.
class Tree {
  public:
    static Tree binomial(const Team& team, int root) { return Tree(team, root, 0); }
    /// All others are the root's children.
    static Tree flat(const Team& team, int root) { return Tree(team, root, team.size()); }
    /// Groups of about the square root of all; the root has its group and the groups' leaders.
    static Tree two_levels(const Team& team, int root);

    bool is_root() const { return vrank_ == 0; }
    int parent() const { return rank_at(parent_vrank()); }
    int children() const { return children_; }
    int child(int i) const { return rank_at(child_vrank(i)); }
    int vrank() const { return vrank_; }
    int child_vrank(int i) const;
    /// Of a binomial tree: how many ranks are in the subtree of that child, and in one's own.
    int child_span(int i) const { return std::min(1 << i, size_ - child_vrank(i)); }
    int span() const { return std::min(reach(), size_ - vrank_); }

    int rank_at(int vrank) const {
        const int rank = vrank + root_;
        return rank < size_ ? rank : rank - size_;
    }

  private:
    Tree(const Team& team, int root, int width);

    /// Of a binomial tree: the bit by which the parent differs; for the root, beyond all.
    int reach() const {
        const auto bits = static_cast<unsigned>(vrank_);
        return static_cast<int>(bits == 0 ? std::bit_ceil(static_cast<unsigned>(size_))
                                          : bits & (~bits + 1));
    }
    int parent_vrank() const;
    int count_children() const;

    int size_;
    int root_;
    int width_;  ///< of a group; 0: a binomial tree
    int vrank_;
    int children_;
};

inline Tree Tree::two_levels(const Team& team, int root) {
    int width = 1;
    while (width < team.size() / width)
        ++width;
    return Tree(team, root, width);
}

inline Tree::Tree(const Team& team, int root, int width)
    : size_(team.size()),
      root_(root),
      width_(width),
      vrank_((team.rank() - root + team.size()) % team.size()),
      children_(count_children()) {}

inline int Tree::parent_vrank() const {
    if (width_ == 0) return vrank_ - reach();
    const int leader = vrank_ - vrank_ % width_;
    return vrank_ == leader ? 0 : leader;
}

inline int Tree::count_children() const {
    if (width_ == 0) {
        const auto beyond = static_cast<unsigned>(std::min(reach(), size_ - vrank_) - 1);
        return static_cast<int>(std::bit_width(beyond));
    }
    if (vrank_ % width_ != 0) return 0;
    const int members = std::min(width_, size_ - vrank_) - 1;
    const int leaders = vrank_ == 0 ? (size_ - 1) / width_ : 0;
    return members + leaders;
}

inline int Tree::child_vrank(int i) const {
    if (width_ == 0) return vrank_ + (1 << i);
    const int members = std::min(width_, size_ - vrank_) - 1;
    return i < members ? vrank_ + 1 + i : (i - members + 1) * width_;
}

/// Ranks folded to a power of two. As many of the first ones as are too many are in pairs of
/// neighbours: the even one of a pair is extra, and the odd one, its proxy, works for both. All but
/// the extra ones have a virtual rank. Keeps the order of ranks.
class Fold {
  public:
    explicit Fold(const Team& team)
        : rank_(team.rank()),
          vranks_(static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size())))),
          pairs_(team.size() - vranks_) {}

    /// A power of two.
    int vranks() const { return vranks_; }
    bool is_extra() const { return is_in_pair() && rank_ % 2 == 0; }
    bool is_proxy() const { return is_in_pair() && rank_ % 2 == 1; }
    /// The other rank of the pair: the proxy of an extra one, and the other way round.
    int other() const { return rank_ ^ 1; }

    /// One's own, or one's proxy's.
    int vrank() const { return vrank_of(rank_); }
    int vrank_of(int rank) const { return rank < 2 * pairs_ ? rank / 2 : rank - pairs_; }
    int rank_at(int vrank) const { return vrank < pairs_ ? 2 * vrank + 1 : vrank + pairs_; }
    /// The first rank that works, or is worked for, there; past the last, the number of ranks.
    int first_at(int vrank) const { return vrank < pairs_ ? 2 * vrank : vrank + pairs_; }

  private:
    bool is_in_pair() const { return rank_ < 2 * pairs_; }

    int rank_;
    int vranks_;
    int pairs_;
};

/// All that an extra rank does: its proxy takes its data, and gives it the result.
inline void leave_to_proxy(Team& team, const Fold& fold, const ConstBuffer& data,
                           const Buffer& result) {
    team.send(data, fold.other());
    team.receive(result, fold.other());
}

}  // namespace railyard::mpi
