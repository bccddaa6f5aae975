#pragma once
/// The classes of this fabric that stand behind what real fabrics share, and its posted receives.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "interconnects/real/common/queues.hpp"
#include "interconnects/real/shm/copy.hpp"

namespace railyard::shm {

class Nic;
class QueuePair;
class LocalRegion;
class ImportedRegion;

struct PostedReceive {
    static constexpr std::uint32_t max_slices = shm::max_slices;
    static constexpr std::uint32_t made_at_first = std::numeric_limits<std::uint32_t>::max();

    std::uint64_t id = 0;
    std::uint64_t capacity = 0;
    std::uint32_t count = 0;
    std::array<fabric::Slice, max_slices> slices;

    void set(std::span<const fabric::Slice> local) {
        count = static_cast<std::uint32_t>(local.size());
        std::copy(local.begin(), local.end(), slices.begin());
    }
    std::span<const fabric::Slice> local() const { return {slices.data(), count}; }
};

struct Parts {
    using Nic = shm::Nic;
    using QueuePair = shm::QueuePair;
    using PostedReceive = shm::PostedReceive;
    using LocalRegion = shm::LocalRegion;
    using ImportedRegion = shm::ImportedRegion;
};

}  // namespace railyard::shm
