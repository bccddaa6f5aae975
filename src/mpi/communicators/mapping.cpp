#include "mpi/communicators/mapping.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "mpi/engine/request.hpp"

namespace railyard::mpi {

namespace {

using Order = std::vector<int>;  ///< the rank at each place

Order own_order(std::size_t places) {
    Order order(places);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// The machine as a tree, as far as it is known of all ranks: level 0 are the nodes, each further
/// level a smaller kind of hardware.
class MachineTree {
  public:
    explicit MachineTree(std::span<const Whereabouts> ranks) {
        for (std::size_t kind = 0; kind < std::tuple_size_v<Whereabouts>; ++kind)
            if (kind == 0 ||
                std::ranges::none_of(ranks, [kind](const Whereabouts& at) { return at[kind] < 0; }))
                add_level(ranks, kind);
        order_ = own_order(ranks.size());
        std::ranges::stable_sort(
            order_, {}, [this](int rank) -> const auto& { return path(rank); });
    }

    std::size_t levels() const { return counts_.size(); }
    /// A number for each part of a level, unique in all of the machine.
    int part(int rank, std::size_t level) const {
        return parts_[static_cast<std::size_t>(rank)][level];
    }
    /// How many parts a level has that ranks are in.
    int count(std::size_t level) const { return counts_[level]; }
    /// Ranks from one end of the tree to the other: nodes by their first ranks, parts of a node by
    /// their numbers, ranks of the smallest part in their own order.
    const Order& order() const { return order_; }

    /// Whether all orders of the ranks are alike: on each level all are in one part, or each in its
    /// own.
    bool is_even() const {
        const auto ranks = static_cast<int>(order_.size());
        return std::ranges::all_of(counts_, [&](int n) { return n <= 1 || n == ranks; });
    }
    /// How many ranks each part of a level has; 0: they differ.
    int each(std::size_t level) const {
        std::map<int, int> sizes;
        for (const int rank : order_)
            ++sizes[part(rank, level)];
        const int first = sizes.begin()->second;
        const bool alike =
            std::ranges::all_of(sizes, [&](const auto& one) { return one.second == first; });
        return alike ? first : 0;
    }

  private:
    /// Parts are numbered in the order of the parts that they are in, then of their own numbers;
    /// nodes in the order of their first ranks.
    void add_level(std::span<const Whereabouts> ranks, std::size_t kind) {
        parts_.resize(ranks.size());
        std::map<std::pair<int, int>, int> numbers;
        const auto key = [&](std::size_t rank) {
            return std::pair(kind == 0 ? 0 : parts_[rank].back(), ranks[rank][kind]);
        };
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            numbers.try_emplace(key(rank), static_cast<int>(numbers.size()));
        int next = 0;
        if (kind != 0)
            for (auto& [part, number] : numbers)
                number = next++;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            parts_[rank].push_back(numbers[key(rank)]);
        counts_.push_back(static_cast<int>(numbers.size()));
    }
    const std::vector<int>& path(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }

    std::vector<std::vector<int>> parts_;  ///< of each rank, level by level
    std::vector<int> counts_;
    Order order_;
};

/// What edges weigh that lead from part to part, level by level.
std::vector<long> crossings(const Graph& graph, const Order& order, const MachineTree& tree) {
    const auto rank_at = [&](int place) { return order[static_cast<std::size_t>(place)]; };
    std::vector<long> counts(tree.levels());
    for (int place = 0; place < graph.ranks(); ++place) {
        const std::span<const int> neighbours = graph.neighbours(place);
        for (std::size_t i = 0; i < neighbours.size(); ++i)
            for (std::size_t level = 0; level < counts.size(); ++level)
                if (tree.part(rank_at(place), level) != tree.part(rank_at(neighbours[i]), level))
                    counts[level] += graph.weight(place, i);
    }
    return counts;
}

/// Ranks in their own order, or in this one if it is better: what is farther apart counts first.
Order better(const Graph& graph, Order order, const MachineTree& tree) {
    Order own = own_order(order.size());
    return crossings(graph, order, tree) < crossings(graph, own, tree) ? order : own;
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

/// Blocks in blocks: a node's of the grid, in it a package's, and so on, each of the shape that the
/// fewest edges leave. A level that fits no block is passed over; empty: the nodes themselves do.
std::vector<Tile> nested_tiles(const Cartesian& grid, const MachineTree& tree) {
    std::vector<Tile> nested;
    Cartesian within = grid;
    for (std::size_t level = 0; level < tree.levels(); ++level) {
        std::vector<Tile> tiles;
        Tile none;
        if (const int each = tree.each(level); each != 0) find_tiles(within, each, none, tiles);
        if (tiles.empty() && level == 0) return {};
        if (tiles.empty()) continue;
        nested.push_back(*std::ranges::min_element(tiles, {}, &Tile::cut));
        std::vector<Cartesian::Dimension> dimensions;
        for (std::size_t i = 0; i < nested.back().sizes.size(); ++i) {
            const auto [size, periodic] = within.dimensions()[i];
            const int part = nested.back().sizes[i];
            dimensions.push_back({part, periodic && part == size});
        }
        within = Cartesian(std::move(dimensions));
    }
    return nested;
}

/// Places block by block, in each the blocks within it, the smallest row after row.
std::vector<int> walk(const Cartesian& grid, const std::vector<Tile>& nested) {
    std::vector<std::pair<std::vector<int>, int>> places;
    for (int place = 0; place < grid.ranks(); ++place) {
        std::vector<int> at = grid.coordinates(place);
        std::vector<int> key;
        for (const Tile& tile : nested)
            for (std::size_t i = 0; i < at.size(); ++i) {
                key.push_back(at[i] / tile.sizes[i]);
                at[i] %= tile.sizes[i];
            }
        key.insert(key.end(), at.begin(), at.end());
        places.emplace_back(std::move(key), place);
    }
    std::sort(places.begin(), places.end());
    std::vector<int> order;
    for (const auto& [key, place] : places)
        order.push_back(place);
    return order;
}

/// Node after node takes places that the most leads to from what it has already.
Order grown(const Graph& graph, const MachineTree& tree) {
    const auto places = static_cast<std::size_t>(graph.ranks());
    Order order(places, -1);
    std::size_t first_free = 0;
    std::map<int, long> links;                // of places that touch the node's
    std::set<std::pair<long, int>> by_links;  // the most first, then the lowest place
    int node = -1;
    for (const int rank : tree.order()) {
        if (std::exchange(node, tree.part(rank, 0)) != tree.part(rank, 0)) {
            links.clear();
            by_links.clear();
        }
        while (order[first_free] >= 0)
            ++first_free;
        const int place =
            by_links.empty() ? static_cast<int>(first_free) : by_links.begin()->second;
        if (!by_links.empty()) by_links.erase(by_links.begin());
        order[static_cast<std::size_t>(place)] = rank;
        const std::span<const int> neighbours = graph.neighbours(place);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
            const int next = neighbours[i];
            if (order[static_cast<std::size_t>(next)] >= 0) continue;
            long& link = links[next];
            by_links.erase({-link, next});
            link += graph.weight(place, i);
            by_links.emplace(-link, next);
        }
    }
    return order;
}

}  // namespace

std::vector<int> placed(const Graph& graph, std::span<const Whereabouts> ranks) {
    const MachineTree tree(ranks);
    if (tree.is_even()) return own_order(ranks.size());
    return better(graph, grown(graph, tree), tree);
}

std::vector<int> placed(const Cartesian& grid, std::span<const Whereabouts> ranks) {
    const MachineTree tree(ranks);
    if (tree.is_even()) return own_order(ranks.size());
    const Graph graph = edges_of(grid);
    const std::vector<Tile> nested = nested_tiles(grid, tree);
    // Nodes that differ, or that no block of the grid fits.
    if (nested.empty()) return better(graph, grown(graph, tree), tree);
    Order order(ranks.size());
    const std::vector<int> places = walk(grid, nested);
    for (std::size_t i = 0; i < places.size(); ++i)
        order[static_cast<std::size_t>(places[i])] = tree.order()[i];
    return better(graph, std::move(order), tree);
}

}  // namespace railyard::mpi
