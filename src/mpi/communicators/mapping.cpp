#include "mpi/communicators/mapping.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "mpi/engine/request.hpp"

namespace railyard::mpi {

namespace {

using fabric::NodeId;
using Order = std::vector<int>;  ///< the rank at each place

Order own_order(std::size_t places) {
    Order order(places);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// The ranks of each node, nodes in the order of their first ranks.
std::vector<std::vector<int>> by_node(std::span<const NodeId> nodes) {
    std::vector<std::vector<int>> groups;
    std::map<NodeId, std::size_t> number;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        const auto [found, is_new] = number.try_emplace(nodes[rank], groups.size());
        if (is_new) groups.emplace_back();
        groups[found->second].push_back(static_cast<int>(rank));
    }
    return groups;
}

/// Edges from node to node.
long crossings(const Graph& graph, const Order& order, std::span<const NodeId> nodes) {
    const auto node_at = [&](int place) {
        return nodes[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
    };
    long count = 0;
    for (int place = 0; place < graph.ranks(); ++place)
        for (const int neighbour : graph.neighbours(place))
            count += node_at(place) != node_at(neighbour);
    return count;
}

/// Ranks in their own order, or in this one if it is better.
Order better(const Graph& graph, Order order, std::span<const NodeId> nodes) {
    Order own = own_order(nodes.size());
    return crossings(graph, order, nodes) < crossings(graph, own, nodes) ? order : own;
}

/// Whether all orders are alike: ranks are all on one node, or each on its own.
bool is_even(const std::vector<std::vector<int>>& groups, std::size_t ranks) {
    return groups.size() <= 1 || groups.size() == ranks;
}

Graph edges_of(const Cartesian& grid) {
    std::vector<int> ends;
    std::vector<int> neighbours;
    for (int rank = 0; rank < grid.ranks(); ++rank) {
        for (std::size_t i = 0; i < grid.dimensions().size(); ++i)
            for (const int step : {-1, 1})
                if (const int neighbour = grid.neighbour(rank, i, step); neighbour != no_rank)
                    neighbours.push_back(neighbour);
        ends.push_back(static_cast<int>(neighbours.size()));
    }
    return {std::move(ends), neighbours.data()};
}

/// A block of a grid, for the ranks of one node: its size in each dimension divides the grid's.
struct Tile {
    std::vector<int> sizes;
    long cut = 0;  ///< edges of the grid that lead from tile to tile
};

/// Tries all tiles of so many places, dimension by dimension.
void find_tiles(const Cartesian& grid, int places, Tile& tile, std::vector<Tile>& found) {
    const std::size_t at = tile.sizes.size();
    if (at == grid.dimensions().size()) {
        if (places == 1) found.push_back(tile);
        return;
    }
    const auto [size, periodic] = grid.dimensions()[at];
    for (int part = 1; part <= size; ++part) {
        if (size % part != 0 || places % part != 0) continue;
        const long cuts = part == size ? 0 : size / part - (periodic ? 0 : 1);
        const long before = tile.cut;
        tile.cut += grid.ranks() / size * cuts;
        tile.sizes.push_back(part);
        find_tiles(grid, places / part, tile, found);
        tile.sizes.pop_back();
        tile.cut = before;
    }
}

/// Places tile by tile, each as row after row.
std::vector<int> walk(const Cartesian& grid, const Tile& tile) {
    std::vector<std::pair<std::vector<int>, int>> places;
    for (int place = 0; place < grid.ranks(); ++place) {
        const std::vector<int> at = grid.coordinates(place);
        std::vector<int> key;
        for (std::size_t i = 0; i < at.size(); ++i)
            key.push_back(at[i] / tile.sizes[i]);
        for (std::size_t i = 0; i < at.size(); ++i)
            key.push_back(at[i] % tile.sizes[i]);
        places.emplace_back(std::move(key), place);
    }
    std::sort(places.begin(), places.end());
    std::vector<int> order;
    for (const auto& [key, place] : places)
        order.push_back(place);
    return order;
}

/// Node after node takes places that have the most neighbours in what it has already.
Order grown(const Graph& graph, const std::vector<std::vector<int>>& groups) {
    const auto places = static_cast<std::size_t>(graph.ranks());
    Order order(places, -1);
    std::size_t first_free = 0;
    for (const std::vector<int>& ranks : groups) {
        std::map<int, int> links;                // of places that touch the node's
        std::set<std::pair<int, int>> by_links;  // the most first, then the lowest place
        for (const int rank : ranks) {
            while (order[first_free] >= 0)
                ++first_free;
            const int place =
                by_links.empty() ? static_cast<int>(first_free) : by_links.begin()->second;
            if (!by_links.empty()) by_links.erase(by_links.begin());
            order[static_cast<std::size_t>(place)] = rank;
            for (const int next : graph.neighbours(place)) {
                if (order[static_cast<std::size_t>(next)] >= 0) continue;
                int& count = links[next];
                by_links.erase({-count, next});
                by_links.emplace(-++count, next);
            }
        }
    }
    return order;
}

}  // namespace

std::vector<int> placed(const Graph& graph, std::span<const NodeId> nodes) {
    const auto groups = by_node(nodes);
    if (is_even(groups, nodes.size())) return own_order(nodes.size());
    return better(graph, grown(graph, groups), nodes);
}

std::vector<int> placed(const Cartesian& grid, std::span<const NodeId> nodes) {
    const auto groups = by_node(nodes);
    if (is_even(groups, nodes.size())) return own_order(nodes.size());
    const Graph graph = edges_of(grid);
    const std::size_t each = groups.front().size();
    std::vector<Tile> tiles;
    if (std::all_of(groups.begin(), groups.end(),
                    [&](const auto& ranks) { return ranks.size() == each; })) {
        Tile none;
        find_tiles(grid, static_cast<int>(each), none, tiles);
    }
    // Nodes that differ, or that no block of the grid fits.
    if (tiles.empty()) return better(graph, grown(graph, groups), nodes);
    const auto best = std::min_element(tiles.begin(), tiles.end(),
                                       [](const Tile& a, const Tile& b) { return a.cut < b.cut; });
    Order order(nodes.size());
    const std::vector<int> places = walk(grid, *best);
    auto place = places.begin();
    for (const std::vector<int>& ranks : groups)
        for (const int rank : ranks)
            order[static_cast<std::size_t>(*place++)] = rank;
    return better(graph, std::move(order), nodes);
}

}  // namespace railyard::mpi
