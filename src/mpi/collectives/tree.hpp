#pragma once
/// A tree over the ranks of a communicator, as one of them sees it. Counted from the root on, round
/// the end, the ranks below a child follow each other, and children come in that order: data
/// combined own first, then child by child, are combined in the order of ranks.

#include <algorithm>
#include <bit>

#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class Tree {
  public:
    static Tree binomial(const Team& team, int root) { return Tree(team, root, 0); }
    /// All others are the root's children.
    static Tree flat(const Team& team, int root) { return Tree(team, root, team.size()); }
    /// Groups of about the square root of all; the root has its group and the groups' leaders.
    static Tree two_levels(const Team& team, int root);

    bool is_root() const { return place_ == 0; }
    int parent() const { return rank_at(parent_place()); }
    int children() const { return children_; }
    int child(int i) const { return rank_at(child_place(i)); }
    /// Counted from the root.
    int place() const { return place_; }
    int child_place(int i) const;
    /// Of a binomial tree: how many ranks are in the subtree of that child, and in one's own.
    int child_span(int i) const { return std::min(1 << i, size_ - child_place(i)); }
    int span() const { return std::min(reach(), size_ - place_); }

    int rank_at(int place) const {
        const int rank = place + root_;
        return rank < size_ ? rank : rank - size_;
    }

  private:
    Tree(const Team& team, int root, int width);

    /// Of a binomial tree: the bit by which the parent differs; for the root, beyond all.
    int reach() const {
        const auto bits = static_cast<unsigned>(place_);
        return static_cast<int>(bits == 0 ? std::bit_ceil(static_cast<unsigned>(size_))
                                          : bits & (~bits + 1));
    }
    int parent_place() const;
    int count_children() const;

    int size_;
    int root_;
    int width_;  ///< of a group; 0: a binomial tree
    int place_;
    int children_;
};

}  // namespace railyard::mpi
