#include "mpi/collectives/scratch.hpp"

#include <algorithm>

#include "mpi/collectives/local.hpp"

namespace railyard::mpi {

namespace {

/// Where the data of elements at address 0 are: from `low` on, rounded down so that what is aligned
/// there is aligned in scratch.
struct Footprint {
    std::ptrdiff_t low = 0;
    std::size_t bytes = 0;
};

Footprint footprint(std::size_t count, const Datatype& type, std::size_t alignment) {
    if (count == 0) return {};
    const auto grain = static_cast<std::ptrdiff_t>(alignment);
    const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(count - 1) * type.extent();
    std::ptrdiff_t low = type.true_lower_bound() + std::min<std::ptrdiff_t>(reach, 0);
    const std::ptrdiff_t high =
        type.true_lower_bound() + type.true_extent() + std::max<std::ptrdiff_t>(reach, 0);
    low -= ((low % grain) + grain) % grain;
    return {low, static_cast<std::size_t>(high - low)};
}

}  // namespace

std::size_t Scratch::room(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::size_t Scratch::room(std::size_t count, const Datatype& type) {
    return room(footprint(count, type, alignment).bytes);
}

Scratch::Scratch(ScratchPool& pool, std::size_t room) : pool_(pool) {
    if (room > small_.size()) large_ = pool_.take(room);
    next_ = large_.memory ? large_.memory.get() : small_.data();
}

std::span<std::byte> Scratch::bytes(std::size_t size) {
    std::byte* const start = next_;
    next_ += room(size);
    return {start, size};
}

Buffer Scratch::elements(std::size_t count, const Datatype& type) {
    const Footprint needed = footprint(count, type, alignment);
    return {moved(bytes(needed.bytes).data(), -needed.low), count, &type};
}

}  // namespace railyard::mpi
