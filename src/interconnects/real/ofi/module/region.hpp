#pragma once
/// Registered memory: the owner's regions, by numbers that are never used again, and a peer's
/// region as imported.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/real/ofi/module/device.hpp"
#include "interconnects/real/ofi/module/grants.hpp"
#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/status.hpp"
#include "railyard/memory.hpp"

namespace railyard::ofi {

class Nic;
class Port;
class LocalRegion;

/// All regions of a Nic.
class Regions {
  public:
    std::uint64_t add(LocalRegion& region);
    void remove(std::uint64_t number);
    /// Null if it is gone, or never was.
    LocalRegion* find(std::uint64_t number) const {
        const std::uint64_t slot = number & 0xffffffff;
        if (slot >= slots_.size() || slots_[slot].generation != number >> 32) return nullptr;
        return slots_[slot].region;
    }

  private:
    struct Slot {
        LocalRegion* region = nullptr;
        std::uint64_t generation = 1;
    };
    std::vector<Slot> slots_;
    std::vector<std::uint64_t> free_;
};

class LocalRegion final : public fabric::Region {
  public:
    /// The user's memory.
    LocalRegion(Nic& nic, std::span<std::byte> memory, fabric::Access access);
    /// Memory of its own, zeroed.
    LocalRegion(Nic& nic, Bytes size, fabric::Access access);
    ~LocalRegion() override;

    fabric::RegionBlob export_blob() const override;

    std::uint64_t number() const { return number_; }
    /// What the provider wants to see beside addresses in it, on that port.
    void* descriptor(unsigned port) const { return on_[port].descriptor; }
    /// How a peer's provider names a piece of it.
    Place place(const std::byte* data, std::uint64_t length, unsigned port) const;
    /// Whether a peer may do that there.
    Code check(std::uint64_t offset, std::uint64_t length, fabric::Access wanted) const;
    /// A peer has ended it: it is its owner's alone.
    void invalidate();
    /// Whether peers may write to it without our help.
    bool is_granted() const { return grant_key_ != 0; }
    /// It is being destroyed, and waits for what is under way.
    bool leaves() const { return leaves_; }
    /// Peers that know how the provider named it on that port know no more.
    void renew(Port& port);

  private:
    /// From the system and back to it at once: pages are there when they are used, and a large
    /// region of which little is used takes little.
    struct Unmapped {
        Unmapped() : size(0) {}  // said, since a unique_ptr inside of this class asks for it
        explicit Unmapped(std::size_t of) : size(of) {}
        std::size_t size;
        void operator()(std::byte* memory) const;
    };
    using Memory = std::unique_ptr<std::byte[], Unmapped>;
    static Memory zeroed(Nic& nic, Bytes size);
    LocalRegion(Nic& nic, Memory memory, Bytes size, fabric::Access access);
    void enter();
    void register_on(Port& port);
    void revoke();

    /// What it is to the provider, on one port.
    struct OnPort {
        Owned<fid_mr> registered;
        void* descriptor = nullptr;
        std::uint64_t key = 0;
        std::uint64_t base = 0;  ///< what peers call the first byte's address
        Grants::Grant grant;
    };

    Nic& nic_;
    Memory own_;
    std::vector<OnPort> on_;
    std::uint64_t grant_key_ = 0;  ///< the same on all ports; 0: there is none
    std::uint64_t number_ = 0;
    bool invalidated_ = false;
    bool leaves_ = false;
};

class ImportedRegion final : public fabric::RemoteRegion {
  public:
    /// Throws Error if no Nic of this fabric made the blob.
    ImportedRegion(const Nic& nic, const fabric::RegionBlob& blob);

    std::uint64_t number() const { return number_; }
    /// Which Nic's it is.
    std::uint64_t owner() const { return owner_; }
    /// With what a peer may write there by itself; 0: it may not.
    std::uint64_t key() const { return key_; }
    /// Its owner's. Regions may be of the same memory.
    std::uint64_t address() const { return address_; }
    /// What is known before anybody is asked.
    Code check(std::uint64_t offset, std::uint64_t length, fabric::Access wanted) const;

  private:
    std::uint64_t number_ = 0;
    std::uint64_t owner_ = 0;
    std::uint64_t key_ = 0;
    std::uint64_t address_ = 0;
    fabric::Access access_ = fabric::Access::local;
};

/// A piece of a region that a request or a receive names.
struct Piece {
    std::byte* data = nullptr;
    std::uint64_t length = 0;
    std::uint64_t region = 0;
};
inline Piece piece_of(const fabric::Slice& slice) {
    return {slice.data(), slice.length.count(),
            static_cast<const LocalRegion*>(slice.region)->number()};
}

}  // namespace railyard::ofi
