#pragma once
/// The classes of this fabric that stand behind what real fabrics share, and its posted receives.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "interconnects/real/common/queues.hpp"
#include "interconnects/real/iwarp/place.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {

class QueuePair;

inline constexpr std::uint32_t max_slices = 16;

struct PostedReceive {
    static constexpr std::uint32_t max_slices = iwarp::max_slices;
    static constexpr std::uint32_t made_at_first = 4;

    std::uint64_t id = 0;
    std::uint64_t capacity = 0;
    std::uint32_t count = 0;
    std::array<Place, max_slices> places;

    void set(std::span<const fabric::Slice> local) {
        count = 0;
        for (const fabric::Slice& slice : local)
            if (slice.length > Bytes()) places[count++] = place_of(slice);
    }
    /// Leaves the rest of the list as it is.
    void copy_from(const PostedReceive& other) {
        id = other.id;
        capacity = other.capacity;
        count = other.count;
        std::copy_n(other.places.begin(), other.count, places.begin());
    }
    std::span<const Place> list() const { return {places.data(), count}; }
};

struct Parts {
    using Nic = iwarp::Nic;
    using QueuePair = iwarp::QueuePair;
    using PostedReceive = iwarp::PostedReceive;
    using LocalRegion = iwarp::LocalRegion;
    using ImportedRegion = iwarp::ImportedRegion;
};

}  // namespace railyard::iwarp
