#pragma once
/// Registered memory, here and at the peer, and slices of it.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "railyard/base/bytes.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::fabric {

/// What peers may do with a region. Local use needs no right.
enum class Access : std::uint8_t {
    local = 0,
    remote_read = 1,
    remote_write = 2,
    remote_atomic = 4,
    all = 7,
};
constexpr Access operator|(Access a, Access b) {
    return static_cast<Access>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool allows(Access granted, Access wanted) {
    return (static_cast<unsigned>(granted) & static_cast<unsigned>(wanted)) ==
           static_cast<unsigned>(wanted);
}

/// Where memory that a Nic allocates is to live.
enum class Home : std::uint8_t { host, adapter };

/// A region's name for peers: opaque, small, and to be carried as plain bytes by any means.
struct RegionBlob {
    static constexpr std::size_t capacity = 64;
    std::array<std::byte, capacity> bytes{};
};

/// Registered memory. Made by a Nic, which must outlive it. When the destructor returns, no peer
/// touches the memory any more, and an access to it fails with `region_gone`.
class Region {
  public:
    virtual ~Region() = default;
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    std::byte* data() const { return data_; }
    Bytes size() const { return size_; }
    std::span<std::byte> span() const { return {data_, size_.count()}; }
    Access access() const { return access_; }
    /// Whether that Nic made it. Queues of others refuse it: Code::invalid.
    bool made_by(const void* nic) const { return maker_ == nic; }

    /// The name by which a peer imports this region (Nic::import_region).
    virtual RegionBlob export_blob() const = 0;

  protected:
    /// `nic`: only compared with, so a fabric may give whatever stands for the Nic in its inside.
    Region(const void* nic, std::byte* data, Bytes size, Access access)
        : data_(data), size_(size), access_(access), maker_(nic) {}

    std::byte* data_;
    Bytes size_;
    Access access_;

  private:
    const void* maker_;
};

/// A peer's region, imported once and then named in work requests.
class RemoteRegion {
  public:
    virtual ~RemoteRegion() = default;
    RemoteRegion(const RemoteRegion&) = delete;
    RemoteRegion& operator=(const RemoteRegion&) = delete;

    Bytes size() const { return size_; }
    /// Whether that Nic imported it. Queue pairs of others refuse it: Code::invalid.
    bool made_by(const void* nic) const { return maker_ == nic; }

    /// Where the peer's memory lies in this address space (allocated regions, where
    /// Traits::maps_allocated), or null. Stores there do what RDMA writes do; whoever makes them
    /// sees to their order, and wakes the peer by QueuePair::nudge(). Valid as long as this object,
    /// also when the peer has given the region up: nobody then looks at it.
    std::byte* mapped() const { return mapped_; }

  protected:
    RemoteRegion(const void* nic, Bytes size) : size_(size), maker_(nic) {}
    Bytes size_;
    std::byte* mapped_ = nullptr;

  private:
    const void* maker_;
};

/// A piece of one's own region.
struct Slice {
    const Region* region = nullptr;
    Bytes offset;
    Bytes length;

    Slice() = default;
    /// The whole region.
    Slice(const Region& whole)
        : region(&whole), length(whole.size()) {}  // NOLINT: a region is a slice
    Slice(const Region& r, Bytes at, Bytes n) : region(&r), offset(at), length(n) {}

    std::byte* data() const { return region->data() + offset.count(); }
    bool in_bounds() const { return offset <= region->size() && length <= region->size() - offset; }
};

/// A place in a peer's region. How many bytes are meant follows from the local side.
struct RemoteSlice {
    const RemoteRegion* region = nullptr;
    Bytes offset;
};

/// True once a peer has written `value` into the byte at `address`, with all that was placed before
/// it visible. Sound where Traits::placement is last_byte_last and `address` is the last byte.
inline bool arrived(const std::byte* address, std::byte value) {
    // The write comes from another thread or process: acquire, so that the bytes before this one
    // are read after it. atomic_ref takes no const, but a load does not write.
    return acquire_if_equal(std::atomic_ref(*const_cast<std::byte*>(address)), value);
}

}  // namespace railyard::fabric
