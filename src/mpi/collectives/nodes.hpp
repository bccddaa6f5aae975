#pragma once
/// Which ranks of a team share a node, where there are several nodes and some are shared.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace railyard::mpi {

/// Nodes are numbered in the order of their first ranks, which lead them.
class Nodes {
  public:
    /// From the number of each rank's node, whatever they are. Nothing if all ranks are on one
    /// node, or each has its own.
    static std::optional<Nodes> of(const std::vector<std::uint32_t>& numbers) {
        Nodes nodes;
        std::unordered_map<std::uint32_t, int> known;
        for (const std::uint32_t number : numbers)
            nodes.add(known.emplace(number, nodes.count()).first->second);
        if (nodes.count() <= 1 || nodes.count() == static_cast<int>(numbers.size())) return {};
        return nodes;
    }

    int count() const { return static_cast<int>(members_.size()); }
    int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
    /// In the order of ranks.
    const std::vector<int>& members(int node) const {
        return members_[static_cast<std::size_t>(node)];
    }
    /// Which member of its node that rank is.
    int place_of(int rank) const {
        const std::vector<int>& all = members(node_of(rank));
        return static_cast<int>(std::ranges::lower_bound(all, rank) - all.begin());
    }
    /// Whether the ranks of each node follow each other: the order of nodes is that of ranks.
    bool are_in_order() const { return std::ranges::is_sorted(node_of_); }

  private:
    void add(int node) {
        if (node == count()) members_.emplace_back();
        members_[static_cast<std::size_t>(node)].push_back(static_cast<int>(node_of_.size()));
        node_of_.push_back(node);
    }

    std::vector<int> node_of_;
    std::vector<std::vector<int>> members_;
};

}  // namespace railyard::mpi
