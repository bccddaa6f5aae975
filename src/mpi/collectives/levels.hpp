#pragma once
/// The two levels of a team whose ranks share nodes: each node's ranks, and their leaders.

#include <cstddef>
#include <vector>

#include "mpi/collectives/nodes.hpp"
#include "mpi/collectives/subteam.hpp"
#include "mpi/collectives/team.hpp"

namespace railyard::mpi::by_node {

/// A team's two levels as one of its ranks sees them. The root, where there is one, leads its node.
class Levels {
  public:
    explicit Levels(Team& team, int root = -1)
        : team_(team), nodes_(*team.nodes()), root_(root), node_(nodes_.node_of(team.rank())) {}

    int node() const { return node_; }
    int leader() const { return leader_of(node_); }
    bool is_leader() const { return team_.rank() == leader(); }
    /// Ranks of the node.
    std::size_t members() const { return nodes_.members(node_).size(); }
    bool has_others() const { return members() > 1; }

    /// Which of the node's ranks leads it.
    int leader_within() const { return nodes_.place_of(leader()); }
    auto within() const {
        const std::vector<int>& members = nodes_.members(node_);
        return Subteam(
            team_, nodes_.place_of(team_.rank()), static_cast<int>(members.size()),
            Circumstances{.shares_cores = team_.circumstances().shares_cores, .one_node = true},
            [&members](int rank) { return members[static_cast<std::size_t>(rank)]; });
    }
    /// For leaders only.
    auto among_leaders() const {
        return Subteam(team_, node_, nodes_.count(), Circumstances{},
                       [this](int node) { return leader_of(node); });
    }

  private:
    int leader_of(int node) const {
        return root_ >= 0 && nodes_.node_of(root_) == node ? root_ : nodes_.members(node).front();
    }

    Team& team_;
    const Nodes& nodes_;
    int root_;
    int node_;
};

}  // namespace railyard::mpi::by_node
