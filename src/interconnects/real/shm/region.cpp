#include "interconnects/real/shm/region.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "base/log.hpp"
#include "interconnects/real/shm/nic.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

using fabric::Access;

namespace {

/// Key layout, high to low: 31 bits of generation, 32 random bits, one bit `alive`.
constexpr std::uint64_t alive_bit = 1;
constexpr unsigned generation_shift = 33;

std::uint64_t next_key(std::uint64_t previous, std::mt19937_64& random) {
    const std::uint64_t generation = (previous >> generation_shift) + 1;
    const std::uint64_t salt = random() & 0xffffffff;
    return generation << generation_shift | salt << 1 | alive_bit;
}

/// What a RegionBlob carries.
struct Name {
    std::uint64_t owner;  ///< inode of the owner's arena
    std::uint64_t key;
    std::uint64_t size;
    std::uint64_t segment_inode;
    std::uint64_t segment_size;
    std::int32_t segment_pid;
    std::int32_t segment_fd;  ///< -1: the user's memory, not mapped by peers
    std::uint32_t index;
};
static_assert(sizeof(Name) <= fabric::RegionBlob::capacity);

}  // namespace

RegionTable::RegionTable(Arena& arena, std::function<void(std::uint32_t)> wait_for_access)
    : arena_(arena),
      wait_for_access_(std::move(wait_for_access)),
      random_(std::random_device{}()) {}

std::uint32_t RegionTable::add(LocalRegion& region) {
    std::uint32_t index = 0;
    if (!free_.empty()) {
        index = free_.back();
        free_.pop_back();
        regions_[index] = &region;
    } else if (regions_.size() < max_regions) {
        index = static_cast<std::uint32_t>(regions_.size());
        regions_.push_back(&region);
    } else {
        throw Error(fmt::format("shm: more than {} regions registered at once", max_regions));
    }
    RegionEntry& entry = arena_.regions[index];
    entry.address = reinterpret_cast<std::uint64_t>(region.data());
    entry.size = region.size().count();
    entry.access = static_cast<std::uint32_t>(region.access());
    // Release: whoever finds this key sees the fields that belong to it.
    entry.key.store(next_key(entry.key.load(std::memory_order_relaxed), random_),
                    std::memory_order_release);
    return index;
}

void RegionTable::kill(std::uint32_t index) {
    auto& key = arena_.regions[index].key;
    key.store(key.load(std::memory_order_relaxed) & ~alive_bit, std::memory_order_release);
    heavy_fence();
    wait_for_access_(index);
}

void RegionTable::remove(std::uint32_t index) {
    if ((key(index) & alive_bit) != 0) kill(index);
    regions_[index] = nullptr;
    free_.push_back(index);
}

LocalRegion* RegionTable::invalidate(std::uint32_t index, std::uint64_t wanted) {
    if (index >= regions_.size() || regions_[index] == nullptr || key(index) != wanted)
        return nullptr;
    kill(index);
    return regions_[index];
}

LocalRegion::LocalRegion(Nic& nic, std::span<std::byte> memory, Access access)
    : Region(&nic, memory.data(), Bytes(memory.size()), access),
      nic_(nic),
      index_(nic.regions().add(*this)),
      key_(nic.regions().key(index_)) {}

LocalRegion::LocalRegion(Nic& nic, Bytes size, Access access)
    // A mapping cannot be empty, a region can.
    : LocalRegion(nic, SharedMemory::create("railyard-region", std::max(size, Bytes(1))), size,
                  access) {}

LocalRegion::LocalRegion(Nic& nic, SharedMemory segment, Bytes size, Access access)
    : Region(&nic, segment.data(), size, access),
      nic_(nic),
      segment_(std::move(segment)),
      index_(nic.regions().add(*this)),
      key_(nic.regions().key(index_)) {}

LocalRegion::~LocalRegion() {
    nic_.regions().remove(index_);
}

fabric::RegionBlob LocalRegion::export_blob() const {
    Name name{};
    name.owner = nic_.handle().inode;
    name.key = key_;
    name.size = size_.count();
    name.index = index_;
    name.segment_fd = -1;
    if (segment_) {
        name.segment_inode = segment_.handle().inode;
        name.segment_size = segment_.handle().size;
        name.segment_pid = segment_.handle().pid;
        name.segment_fd = segment_.handle().fd;
    }
    fabric::RegionBlob blob;
    std::memcpy(blob.bytes.data(), &name, sizeof name);
    return blob;
}

ImportedRegion::ImportedRegion(const Nic& nic, const fabric::RegionBlob& blob)
    : RemoteRegion(&nic, Bytes()) {
    Name name{};
    std::memcpy(&name, blob.bytes.data(), sizeof name);
    owner_ = name.owner;
    // A key without the bit never names a living region; it must not match a dead one either.
    key_ = name.key | alive_bit;
    index_ = name.index;
    size_ = Bytes(name.size);
    if (name.segment_fd < 0) return;
    try {
        segment_ = SharedMemory::open(
            {name.segment_pid, name.segment_fd, name.segment_inode, name.segment_size});
        mapped_ = segment_.data();
    } catch (const SharedMemoryGone&) {
        // Using the handle will say so.
    } catch (const Error& error) {
        log_error("shm: a region of process {} is out of reach: {}", name.segment_pid,
                  error.what());
    }
}

Code explain_mismatch(std::uint64_t key, std::uint64_t current) {
    const std::uint64_t generation = key >> generation_shift;
    const bool older = generation != 0 && generation < current >> generation_shift;
    const bool dead = current != 0 && (current | alive_bit) == key;
    return older || dead ? Code::region_gone : Code::bad_key;
}

}  // namespace railyard::shm
