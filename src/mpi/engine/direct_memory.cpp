#include "mpi/engine/direct_memory.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/engine/communicator.hpp"
#include "mpi/engine/process.hpp"
#include "railyard/base/error.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

const fabric::Region* DirectMemory::registered(std::span<const std::byte> data) {
    const auto holds = [&](const std::unique_ptr<fabric::Region>& region) {
        const std::byte* const end = region->data() + region->size().count();
        return region->data() <= data.data() && data.data() + data.size() <= end;
    };
    if (const auto found = std::ranges::find_if(own_, holds); found != own_.end()) {
        std::rotate(own_.begin(), found, found + 1);
        return own_.front().get();
    }
    if (own_.size() == most_kept) own_.pop_back();
    try {
        own_.insert(own_.begin(), process_.rank().nic().register_memory(
                                      {const_cast<std::byte*>(data.data()), data.size()},
                                      fabric::Access::remote_read));
    } catch (const Error&) {
        return nullptr;  // there are too many
    }
    return own_.front().get();
}

Offer DirectMemory::offer(std::span<const std::byte> data) {
    // Others do not find what has no name.
    Offer offer{.name = {}, .offset = 0, .bytes = data.size()};
    const fabric::Region* const region = registered(data);
    if (region == nullptr) return offer;
    const fabric::RegionBlob blob = region->export_blob();
    static_assert(sizeof offer.name == sizeof blob.bytes);
    std::memcpy(offer.name, blob.bytes.data(), sizeof offer.name);
    offer.offset = static_cast<std::uint64_t>(data.data() - region->data());
    return offer;
}

bool DirectMemory::read(int rank, const Offer& offer, std::uint64_t from,
                        std::span<std::byte> into) {
    known_.resize(static_cast<std::size_t>(comm_.size()));
    Known& known = known_[static_cast<std::size_t>(rank)];
    if (!known.region || std::memcmp(known.name.bytes.data(), offer.name, sizeof offer.name) != 0) {
        std::memcpy(known.name.bytes.data(), offer.name, sizeof offer.name);
        known.region = process_.rank().nic().import_region(known.name);
    }
    return process_.access_now(fabric::Op::rdma_read,
                               {known.region.get(), Bytes(offer.offset + from)}, into,
                               comm_.world_rank(rank));
}

}  // namespace railyard::mpi
