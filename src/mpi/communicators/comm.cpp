#include "mpi/communicators/comm.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "mpi/engine/request.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

void Attributes::set(int object, const KeyvalRef& key, void* value) {
    for (Entry& entry : entries_) {
        if (entry.key != key) continue;
        if (key->erase) key->erase(object, entry.value);
        entry.value = value;
        return;
    }
    entries_.push_back({key, value});
}

std::optional<void*> Attributes::get(const Keyval& key) const {
    for (const Entry& entry : entries_)
        if (entry.key.get() == &key) return entry.value;
    return std::nullopt;
}

bool Attributes::erase(int object, const Keyval& key) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.key.get() == &key; });
    if (found == entries_.end()) return false;
    const Entry entry = *found;
    if (key.erase) key.erase(object, entry.value);
    // The user's function may have touched other attributes.
    std::erase_if(entries_, [&](const Entry& other) { return other.key == entry.key; });
    return true;
}

Attributes Attributes::copied(int object) const {
    Attributes copies;
    for (const Entry& entry : std::vector<Entry>(entries_)) {
        if (!entry.key->copy) continue;
        if (const auto value = entry.key->copy(object, entry.value))
            copies.entries_.push_back({entry.key, *value});
    }
    return copies;
}

void Attributes::erase_all(int object) {
    while (!entries_.empty()) {
        const KeyvalRef key = entries_.back().key;
        erase(object, *key);
    }
}

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

/// Divides `ranks` among `open` dimensions: each prime factor, the largest first, goes where least
/// has gone.
std::vector<int> divided(int ranks, std::size_t open) {
    std::vector<int> factors;
    for (int prime = 2; prime <= ranks / prime; ++prime)
        for (; ranks % prime == 0; ranks /= prime)
            factors.push_back(prime);
    if (ranks > 1) factors.push_back(ranks);
    std::vector<int> sizes(open, 1);
    for (std::size_t i = factors.size(); i-- > 0;)
        *std::min_element(sizes.begin(), sizes.end()) *= factors[i];
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
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

}  // namespace railyard::mpi
