#include "interconnects/virtual/model/translation.hpp"

#include <algorithm>

namespace railyard::model {

namespace {
std::uint64_t region_key(std::uint32_t nic, std::uint64_t region) {
    return std::uint64_t{nic} << 40 | region;
}
}  // namespace

Duration PageTable::touch(std::uint64_t region, std::uint64_t page) {
    Duration cost;
    if (parameters_.first_use > Duration{}) {
        std::vector<bool>& known = known_[region];
        if (known.size() <= page) known.resize(page + 1);
        if (!known[page]) cost += parameters_.first_use;
        known[page] = true;
    }
    // Regions and pages mixed into one word: a page number has less than 2^24 values in 1 GiB.
    if (cache_.misses(region << 24 ^ page)) cost += parameters_.miss;
    return cost;
}

void PageTable::use(std::uint32_t nic, std::span<const virtual_time::Extent> extents, Bytes packet,
                    std::vector<Duration>& extra) {
    if (parameters_.entries == 0 && parameters_.first_use == Duration{}) return;
    const std::uint64_t page_size = parameters_.page.count();
    Bytes size;
    for (const virtual_time::Extent& extent : extents)
        size += extent.length;
    Bytes before;  // of the message
    for (const virtual_time::Extent& extent : extents) {
        if (extent.home == fabric::Home::host && extent.length > Bytes()) {
            const std::uint64_t key = region_key(nic, extent.region);
            const std::uint64_t first = extent.offset.count() / page_size;
            const std::uint64_t last =
                (extent.offset + extent.length - Bytes(1)).count() / page_size;
            for (std::uint64_t page = first; page <= last; ++page) {
                const Duration cost = touch(key, page);
                if (cost == Duration{}) continue;
                if (extra.empty())
                    extra.resize(static_cast<std::size_t>((size.count() + packet.count() - 1) /
                                                          packet.count()));
                const std::uint64_t at = before.count() +
                                         std::max(page * page_size, extent.offset.count()) -
                                         extent.offset.count();
                extra[static_cast<std::size_t>(at / packet.count())] += cost;
            }
        }
        before += extent.length;
    }
}

void PageTable::forget(std::uint32_t nic, std::uint64_t region) {
    known_.erase(region_key(nic, region));
}

}  // namespace railyard::model
