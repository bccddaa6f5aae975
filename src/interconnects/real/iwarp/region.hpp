#pragma once
/// Registered memory: the owner's regions, each with a tag for peers and a life for ourselves, and
/// a peer's region as imported.

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "interconnects/real/iwarp/names.hpp"
#include "interconnects/real/iwarp/tags.hpp"
#include "railyard/base/status.hpp"
#include "railyard/memory.hpp"

namespace railyard::iwarp {

class Nic;

/// Whether regions are still there, for what this side itself does with them: a tag may be ended by
/// a peer, the region then is still its owner's.
class Lives {
  public:
    using Index = std::uint32_t;
    Index begin();
    void end(Index life);
    Lease lease(Index life) const { return Lease(generations_[life]); }

  private:
    std::deque<std::uint64_t> generations_;  // a deque: leases need addresses that stay
    std::vector<Index> free_;
};

class LocalRegion final : public fabric::Region {
  public:
    /// The user's memory.
    LocalRegion(Nic& nic, std::span<std::byte> memory, fabric::Access access);
    /// Memory of its own, zeroed.
    LocalRegion(Nic& nic, Bytes size, fabric::Access access);
    ~LocalRegion() override;

    fabric::RegionBlob export_blob() const override;

    Lease lease() const { return lease_; }

  private:
    struct Freed {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    using Memory = std::unique_ptr<std::byte[], Freed>;
    static Memory zeroed(Bytes size);
    LocalRegion(Nic& nic, Memory memory, Bytes size, fabric::Access access);
    void enter();

    Nic& nic_;
    Memory own_;
    Lives::Index life_ = 0;
    Lease lease_;
    std::uint32_t stag_ = 0;
};

/// A slice of a region of this fabric, of which somebody sends or receives.
inline Place place_of(const fabric::Slice& slice) {
    return {slice.data(), slice.length.count(),
            static_cast<const LocalRegion*>(slice.region)->lease()};
}

/// What a blob says.
struct RegionName {
    std::uint32_t stag = 0;
    std::uint64_t base = 0;  ///< the tagged offset of its first byte
    std::uint64_t size = 0;
    NicId owner{};  ///< all zero: not a Nic of ours
    fabric::Access access = fabric::Access::local;
};
fabric::RegionBlob region_blob(const RegionName& name);
/// Throws Error if no Nic of ours made the blob.
RegionName region_name(const fabric::RegionBlob& blob);

class ImportedRegion final : public fabric::RemoteRegion {
  public:
    /// Throws Error if no Nic of ours made the blob.
    ImportedRegion(const Nic& nic, const fabric::RegionBlob& blob);

    const NicId& owner() const { return name_.owner; }
    std::uint32_t stag() const { return name_.stag; }
    /// The tagged offset of a byte of the region.
    std::uint64_t tagged_offset(std::uint64_t offset) const { return name_.base + offset; }
    /// What the owner would say to this access, as far as can be known here; it looks for itself.
    Code check(std::uint64_t offset, std::uint64_t length, fabric::Access wanted) const;

  private:
    RegionName name_;
};

}  // namespace railyard::iwarp
