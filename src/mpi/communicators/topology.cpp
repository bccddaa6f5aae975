#include "mpi/communicators/topology.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "mpi/engine/request.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

long Cartesian::ranks() const {
    long product = 1;
    for (const Dimension& dimension : dimensions_) {
        product *= dimension.size;
        if (dimension.size <= 0 || product > std::numeric_limits<int>::max())
            throw MpiError(ErrorClass::dims, "a dimension of size " +
                                                 std::to_string(dimension.size) +
                                                 " does not make a grid of ranks");
    }
    return product;
}

std::vector<int> Cartesian::coordinates(int rank) const {
    std::vector<int> coordinates(dimensions_.size());
    for (std::size_t i = dimensions_.size(); i-- > 0;) {
        coordinates[i] = rank % dimensions_[i].size;
        rank /= dimensions_[i].size;
    }
    return coordinates;
}

int Cartesian::rank(std::span<const int> coordinates) const {
    int rank = 0;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
        const auto [size, periodic] = dimensions_[i];
        int coordinate = coordinates[i];
        if (periodic)
            coordinate = (coordinate % size + size) % size;
        else if (coordinate < 0 || coordinate >= size)
            throw MpiError(ErrorClass::arg,
                           "coordinate " + std::to_string(i) + " is " + std::to_string(coordinate) +
                               ", beyond the edge of an open dimension of " + std::to_string(size));
        rank = rank * size + coordinate;
    }
    return rank;
}

int Cartesian::neighbour(int from, std::size_t dimension, int distance) const {
    std::vector<int> at = coordinates(from);
    const auto [size, periodic] = dimensions_[dimension];
    const long there = static_cast<long>(at[dimension]) + distance;
    if (!periodic && (there < 0 || there >= size)) return no_rank;
    at[dimension] = static_cast<int>((there % size + size) % size);
    return rank(at);
}

namespace {

std::vector<int> divisors_of(int number) {
    std::vector<int> small;
    std::vector<int> large;
    for (int i = 1; i <= number / i; ++i) {
        if (number % i != 0) continue;
        small.push_back(i);
        if (i != number / i) large.push_back(number / i);
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

/// Whether `product` can be written as so many factors of at most `largest`. `divisors` are those
/// of a multiple of it, in order.
bool divides_into(int product, std::size_t factors, int largest, std::span<const int> divisors) {
    if (product == 1) return true;
    for (std::size_t i = divisors.size(); i-- > 0;) {
        const int factor = divisors[i];
        if (factor > largest || product % factor != 0) continue;
        // All as large as this, they must become as much.
        long reached = 1;
        for (std::size_t n = 0; n < factors && factor > 1 && reached < product; ++n)
            reached *= factor;
        if (reached < product) return false;
        if (divides_into(product / factor, factors - 1, factor, divisors.first(i + 1))) return true;
    }
    return false;
}

/// Divides `ranks` among `open` dimensions: the largest is as small as can be, then the next.
std::vector<int> divided(int ranks, std::size_t open) {
    std::vector<int> sizes(open, 1);
    const std::vector<int> divisors = divisors_of(ranks);
    for (std::size_t i = 0; i < open && ranks > 1; ++i) {
        sizes[i] = *std::find_if(divisors.begin(), divisors.end(), [&](int size) {
            return ranks % size == 0 && divides_into(ranks / size, open - i - 1, size, divisors);
        });
        ranks /= sizes[i];
    }
    return sizes;
}

}  // namespace

void balance(int ranks, std::span<int> dimensions) {
    long given = 1;
    std::size_t open = 0;
    for (const int size : dimensions) {
        if (size < 0)
            throw MpiError(ErrorClass::dims, "a dimension is " + std::to_string(size) +
                                                 "; give 0 for one to be chosen");
        if (size == 0)
            ++open;
        else
            given *= size;
        if (given > ranks) break;
    }
    if (ranks % given != 0 || (open == 0 && given != ranks))
        throw MpiError(ErrorClass::dims, std::to_string(ranks) +
                                             " ranks do not fill dimensions whose given sizes "
                                             "multiply to " +
                                             std::to_string(given));
    const std::vector<int> sizes = divided(static_cast<int>(ranks / given), open);
    std::size_t next = 0;
    for (int& size : dimensions)
        if (size == 0) size = sizes[next++];
}

Graph::Graph(std::vector<int> ends, const int* neighbours) : ends_(std::move(ends)) {
    int before = 0;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (ends_[i] < before)
            throw MpiError(ErrorClass::arg, "index " + std::to_string(i) + " is " +
                                                std::to_string(ends_[i]) + ", after " +
                                                std::to_string(before) +
                                                "; it counts the neighbours of all nodes so far");
        before = ends_[i];
    }
    // One by one: a count that is too high leads beyond the list, most likely to no node.
    for (int i = 0; i < before; ++i) {
        if (neighbours[i] < 0 || neighbours[i] >= ranks())
            throw MpiError(ErrorClass::arg, "edge " + std::to_string(i) + " leads to " +
                                                std::to_string(neighbours[i]) +
                                                "; the graph has nodes 0 to " +
                                                std::to_string(ranks() - 1));
        neighbours_.push_back(neighbours[i]);
    }
}

}  // namespace railyard::mpi
