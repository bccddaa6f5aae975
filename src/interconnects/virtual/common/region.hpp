#pragma once
/// Registered memory on a virtual fabric, and how bytes get from one list of slices to another.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/virtual/common/wire.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/status.hpp"
#include "railyard/connection.hpp"
#include "railyard/fabric.hpp"
#include "railyard/memory.hpp"
#include "railyard/parcel.hpp"

namespace railyard::virtual_time {

/// What the opaque bytes of a virtual fabric's addresses and region blobs say. Everything runs in
/// one process, so the bytes are simply the numbers.
struct NicName {
    std::uint32_t fabric = 0;  ///< Network::id, never 0: foreign and empty bytes are told by it
    fabric::NodeId node = 0;
    std::uint32_t nic = 0;  ///< among those of the node
    friend auto operator<=>(const NicName&, const NicName&) = default;

    fabric::Address address() const {
        fabric::Address address;
        std::memcpy(address.bytes.data(), this, sizeof *this);
        return address;
    }
    static NicName of(const fabric::Address& address) {
        NicName name;
        std::memcpy(&name, address.bytes.data(), sizeof name);
        return name;
    }
};

struct RegionKey {
    NicName nic;
    std::uint64_t id = 0;  ///< among those of the Nic, from 1
    Bytes size;

    fabric::RegionBlob blob() const {
        static_assert(sizeof *this <= fabric::RegionBlob::capacity);
        fabric::RegionBlob blob;
        std::memcpy(blob.bytes.data(), this, sizeof *this);
        return blob;
    }
    static RegionKey of(const fabric::RegionBlob& blob) {
        RegionKey key;
        std::memcpy(&key, blob.bytes.data(), sizeof key);
        return key;
    }
};

class NicState;

/// A region as events hold it: it outlives the user's Region, but then has no memory any more.
struct RegionState {
    std::uint64_t id = 0;
    std::byte* data = nullptr;
    Bytes size;
    fabric::Access access = fabric::Access::local;
    fabric::Home home = fabric::Home::host;
    bool registered = true;    ///< false once the region is destroyed
    bool invalidated = false;  ///< by a peer's send: no longer for peers, still for us
    const fabric::Region* region = nullptr;  ///< the user's
    bool stored = true;                      ///< false: it is but addresses
    fabric::Inbox* inbox = nullptr;          ///< who is handed what comes there; null: nobody

    bool usable_by_peers() const { return registered && !invalidated; }
};

/// A slice that events may hold.
struct Piece {
    std::shared_ptr<RegionState> region;
    Bytes offset;
    Bytes length;

    bool in_bounds() const { return offset <= region->size && length <= region->size - offset; }
    std::span<std::byte> span() const {
        return {region->data + offset.count(), static_cast<std::size_t>(length.count())};
    }
    Extent extent() const { return {region->id, offset, length, region->home, region->size}; }
};

Bytes total(std::span<const Piece> pieces);
/// `ok`, `out_of_bounds`, or `region_gone` when the user destroyed one too early.
Status usable(std::span<const Piece> pieces);
/// Whether the bytes are where the pieces say.
bool stored(std::span<const Piece> pieces);
void extents_of(std::span<const Piece> pieces, std::vector<Extent>& out);

/// Fills a list of pieces of a Nic's memory from front to back. They must be long enough.
class Scatter {
  public:
    Scatter(const NicState& nic, std::span<const Piece> into) : nic_(nic), into_(into) {}
    void put(std::span<const std::byte> bytes) { advance(bytes.data(), bytes.size()); }
    /// Only the first bytes, where the others' content does not matter.
    void put(std::span<const Piece> pieces, Bytes content);
    /// As if so many had been put.
    void pass(Bytes n) { advance(nullptr, n.count()); }

  private:
    void advance(const std::byte* from, std::size_t n);

    const NicState& nic_;
    std::span<const Piece> into_;
    std::size_t filled_ = 0;  ///< of the first of them
};

/// How a region's own memory is given back.
struct ReleaseMemory {
    std::size_t mapped = 0;  ///< bytes got from the kernel; 0: from malloc
    void operator()(std::byte* memory) const;
};
using ZeroedMemory = std::unique_ptr<std::byte, ReleaseMemory>;
/// Null if there is none. A large piece takes no room until it is touched.
ZeroedMemory zeroed_memory(std::size_t size);

class Region final : public fabric::Region {
  public:
    /// The caller's memory; or, with `owned`, the region's own, which it frees.
    Region(std::shared_ptr<NicState> nic, std::span<std::byte> memory, fabric::Access access,
           fabric::Home home, ZeroedMemory owned)
        : Region(std::move(nic), memory.data(), Bytes(memory.size()), access, home,
                 std::move(owned)) {}
    /// But addresses.
    Region(std::shared_ptr<NicState> nic, Bytes size, fabric::Access access, fabric::Inbox* inbox);
    ~Region() override;

    fabric::RegionBlob export_blob() const override;
    const std::shared_ptr<RegionState>& state() const { return state_; }

  private:
    Region(std::shared_ptr<NicState> nic, std::byte* data, Bytes size, fabric::Access access,
           fabric::Home home, ZeroedMemory owned);

    std::shared_ptr<NicState> nic_;
    std::shared_ptr<RegionState> state_;
    ZeroedMemory owned_;
};

class RemoteRegion final : public fabric::RemoteRegion {
  public:
    RemoteRegion(const NicState& nic, const fabric::RegionBlob& blob)
        : RemoteRegion(nic, RegionKey::of(blob)) {}
    const RegionKey& key() const { return key_; }

  private:
    RemoteRegion(const NicState& nic, const RegionKey& key)
        : fabric::RemoteRegion(&nic, key.size), key_(key) {}
    RegionKey key_;
};

/// Turns the user's slices into pieces; false if one is no region of that Nic.
bool to_pieces(std::span<const fabric::Slice> slices, const NicState& nic, std::vector<Piece>& out);

}  // namespace railyard::virtual_time
