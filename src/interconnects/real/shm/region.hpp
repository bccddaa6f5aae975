#pragma once
/// Registered memory: the table in the arena through which peers check their accesses, the owner's
/// regions, and a peer's region as imported.

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "base/asymmetric_fence.hpp"
#include "base/shared_memory.hpp"
#include "interconnects/real/shm/arena.hpp"
#include "railyard/memory.hpp"

namespace railyard::shm {

class Nic;
class LocalRegion;

/// The owner's side of Arena::regions.
class RegionTable {
  public:
    /// `wait_for_access(index)` returns once no peer is inside region `index` any more.
    RegionTable(Arena& arena, std::function<void(std::uint32_t)> wait_for_access);

    /// Enters a region and gives its index; throws Error when the table is full.
    std::uint32_t add(LocalRegion& region);
    /// When this returns, no peer touches the region's memory, and none will.
    void remove(std::uint32_t index);
    /// The same, on a peer's behalf (send with invalidate): the region stays in the owner's hands
    /// but is dead to others. Null if the key is not that of a living region.
    LocalRegion* invalidate(std::uint32_t index, std::uint64_t key);

    std::uint64_t key(std::uint32_t index) const {
        return arena_.regions[index].key.load(std::memory_order_relaxed);
    }

  private:
    void kill(std::uint32_t index);

    Arena& arena_;
    std::function<void(std::uint32_t)> wait_for_access_;
    std::vector<LocalRegion*> regions_;
    std::vector<std::uint32_t> free_;
    /// For keys. Here and not in a thread's own memory, of which a library that is loaded late has
    /// little.
    std::mt19937_64 random_;
};

class LocalRegion final : public fabric::Region {
  public:
    /// The user's memory.
    LocalRegion(Nic& nic, std::span<std::byte> memory, fabric::Access access);
    /// Memory of its own, which peers map.
    LocalRegion(Nic& nic, Bytes size, fabric::Access access);
    ~LocalRegion() override;

    fabric::RegionBlob export_blob() const override;

  private:
    LocalRegion(Nic& nic, SharedMemory segment, Bytes size, fabric::Access access);

    Nic& nic_;
    SharedMemory segment_;
    std::uint32_t index_;
    std::uint64_t key_;
};

class ImportedRegion final : public fabric::RemoteRegion {
  public:
    ImportedRegion(const Nic& nic, const fabric::RegionBlob& blob);

    /// Inode of the arena whose owner registered it.
    std::uint64_t owner() const { return owner_; }
    std::uint32_t index() const { return index_; }
    std::uint64_t key() const { return key_; }

  private:
    SharedMemory segment_;
    std::uint64_t owner_ = 0;
    std::uint64_t key_ = 0;
    std::uint32_t index_ = 0;
};

/// Whether `region` of the peer whose arena this is admits the access. To be asked, and the access
/// made, inside an AccessGuard.
inline Code check_access(const Arena& arena, std::uint32_t index, std::uint64_t key,
                         std::uint64_t offset, std::uint64_t length, fabric::Access wanted);

/// Tells the owner of a region that we are inside it, so that deregistration can wait for us. Two
/// plain stores into our own line; the owner pays with a heavy fence.
class AccessGuard {
  public:
    AccessGuard(std::atomic<std::uint32_t>& accessing, std::uint32_t index)
        : accessing_(accessing) {
        accessing_.store(index + 1, std::memory_order_relaxed);
        // Pairs with RegionTable::kill: either we see the region dead, or the owner sees us inside.
        light_fence();
    }
    ~AccessGuard() { accessing_.store(0, std::memory_order_release); }
    AccessGuard(const AccessGuard&) = delete;
    AccessGuard& operator=(const AccessGuard&) = delete;

  private:
    std::atomic<std::uint32_t>& accessing_;
};

/// Why `key` is not the one in the table: wrong from the start, or no longer.
Code explain_mismatch(std::uint64_t key, std::uint64_t current);

inline Code check_access(const Arena& arena, std::uint32_t index, std::uint64_t key,
                         std::uint64_t offset, std::uint64_t length, fabric::Access wanted) {
    if (index >= max_regions) [[unlikely]]
        return Code::bad_key;
    const RegionEntry& entry = arena.regions[index];
    // Acquire: the fields that belong to this key are read after it.
    const std::uint64_t current = entry.key.load(std::memory_order_acquire);
    if (current != key) [[unlikely]]
        return explain_mismatch(key, current);
    if (offset > entry.size || length > entry.size - offset) return Code::out_of_bounds;
    if (!fabric::allows(static_cast<fabric::Access>(entry.access), wanted)) return Code::no_right;
    return Code::ok;
}

}  // namespace railyard::shm
