#include "interconnects/real/iwarp/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/crc32c.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

using fabric::Access;
using fabric::RegionBlob;

namespace {

// magic 4 | tag 4 | base 8 | size 8 | owner 16 | access 1, unused 3 | CRC of all this 4
constexpr std::uint32_t key_magic = 0x52595231;  // "RYR1"
constexpr std::size_t guarded = 44;

/// Tagged offsets begin at what an address has beyond its cache line: nothing is told of where
/// memory lies, and an atomic's alignment can be seen.
std::uint64_t base_of(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 64;
}

}  // namespace

Lives::Index Lives::begin() {
    if (free_.empty()) {
        free_.push_back(static_cast<Index>(generations_.size()));
        generations_.push_back(0);
    }
    const Index life = free_.back();
    free_.pop_back();
    return life;
}

void Lives::end(Index life) {
    ++generations_[life];
    free_.push_back(life);
}

LocalRegion::LocalRegion(Nic& nic, std::span<std::byte> memory, Access access)
    : Region(&nic, memory.data(), Bytes(memory.size()), access), nic_(nic) {
    enter();
}

LocalRegion::LocalRegion(Nic& nic, Bytes size, Access access)
    : LocalRegion(nic, zeroed(size), size, access) {}

LocalRegion::LocalRegion(Nic& nic, Memory memory, Bytes size, Access access)
    : Region(&nic, memory.get(), size, access), nic_(nic), own_(std::move(memory)) {
    enter();
}

LocalRegion::Memory LocalRegion::zeroed(Bytes size) {
    constexpr std::size_t page = 4096;
    // A region may be empty; memory may not.
    const std::size_t pages = std::max<std::size_t>(1, (size.count() + page - 1) / page);
    Memory memory(static_cast<std::byte*>(std::aligned_alloc(page, pages * page)));
    if (!memory) throw Error(fmt::format("iwarp: no memory for a region of {} B", size.count()));
    std::memset(memory.get(), 0, pages * page);
    return memory;
}

void LocalRegion::enter() {
    const auto guard = nic_.guard();
    life_ = nic_.lives().begin();
    lease_ = nic_.lives().lease(life_);
    stag_ = nic_.tags().add({.memory = span(),
                             .base = base_of(data_),
                             .access = access_,
                             .domain = Nic::domain,
                             .invalidation = Invalidation::by_its_domain,
                             .owner = this});
}

LocalRegion::~LocalRegion() {
    const auto guard = nic_.guard();
    nic_.tags().remove(stag_);
    nic_.lives().end(life_);
    nic_.detach_memory(span());
}

RegionBlob LocalRegion::export_blob() const {
    return region_blob({stag_, base_of(data_), size_.count(), nic_.name().id, access_});
}

RegionBlob region_blob(const RegionName& name) {
    RegionBlob blob;
    std::byte* const to = blob.bytes.data();
    store32(to, key_magic);
    store32(to + 4, name.stag);
    store64(to + 8, name.base);
    store64(to + 16, name.size);
    std::memcpy(to + 24, name.owner.data(), name.owner.size());
    store8(to + 40, static_cast<std::uint8_t>(name.access));
    store32(to + guarded, crc32c({to, guarded}));
    return blob;
}

RegionName region_name(const RegionBlob& blob) {
    const std::byte* const from = blob.bytes.data();
    if (load32(from) != key_magic || load32(from + guarded) != crc32c({from, guarded}))
        throw Error("iwarp: these bytes are not the name of a region; it is made by export_blob()");
    RegionName name;
    name.stag = load32(from + 4);
    name.base = load64(from + 8);
    name.size = load64(from + 16);
    std::memcpy(name.owner.data(), from + 24, name.owner.size());
    name.access = static_cast<Access>(load8(from + 40));
    return name;
}

ImportedRegion::ImportedRegion(const Nic& nic, const RegionBlob& blob)
    : RemoteRegion(&nic, Bytes()), name_(region_name(blob)) {
    size_ = Bytes(name_.size);
}

Code ImportedRegion::check(std::uint64_t offset, std::uint64_t length, Access wanted) const {
    const std::uint64_t size = size_.count();
    if (offset > size || length > size - offset) return Code::out_of_bounds;
    if (!fabric::allows(name_.access, wanted)) return Code::no_right;
    if (wanted == Access::remote_atomic && tagged_offset(offset) % 8 != 0) return Code::misaligned;
    return Code::ok;
}

}  // namespace railyard::iwarp
