#include "interconnects/real/ofi/module/region.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "interconnects/real/ofi/module/buffers.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

using fabric::Access;
using fabric::RegionBlob;

namespace {

struct BlobFields {
    std::uint64_t magic = 0x31524946'4f595221;
    std::uint64_t number = 0;
    std::uint64_t owner = 0;
    std::uint64_t size = 0;
    std::uint64_t access = 0;
    std::uint64_t address = 0;
    std::uint64_t key = 0;
    std::uint64_t sum = 0;  ///< of all before it
};
static_assert(sizeof(BlobFields) <= RegionBlob::capacity);

std::uint64_t sum_of(const BlobFields& fields) {
    std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a, over words
    for (const std::uint64_t word : {fields.magic, fields.number, fields.owner, fields.size,
                                     fields.access, fields.address, fields.key})
        sum = (sum ^ word) * 0x100000001b3;
    return sum;
}

Code check_access(std::uint64_t size, Access granted, std::uint64_t address, std::uint64_t offset,
                  std::uint64_t length, Access wanted) {
    if (offset > size || length > size - offset) return Code::out_of_bounds;
    if (!fabric::allows(granted, wanted)) return Code::no_right;
    if (wanted == Access::remote_atomic && (address + offset) % sizeof(std::uint64_t) != 0)
        return Code::misaligned;
    return Code::ok;
}

std::uint64_t address_of(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data);
}

}  // namespace

std::uint64_t Regions::add(LocalRegion& region) {
    if (free_.empty()) {
        free_.push_back(slots_.size());
        slots_.emplace_back();
    }
    const std::uint64_t slot = free_.back();
    free_.pop_back();
    slots_[slot].region = &region;
    return slots_[slot].generation << 32 | slot;
}

void Regions::remove(std::uint64_t number) {
    Slot& slot = slots_[number & 0xffffffff];
    slot.region = nullptr;
    ++slot.generation;
    free_.push_back(number & 0xffffffff);
}

LocalRegion::LocalRegion(Nic& nic, std::span<std::byte> memory, Access access)
    : Region(&nic, memory.data(), Bytes(memory.size()), access), nic_(nic) {
    enter();
}

LocalRegion::LocalRegion(Nic& nic, Bytes size, Access access)
    : LocalRegion(nic, zeroed(nic, size), size, access) {}

LocalRegion::LocalRegion(Nic& nic, Memory memory, Bytes size, Access access)
    : Region(&nic, memory.get(), size, access), nic_(nic), own_(std::move(memory)) {
    enter();
}

LocalRegion::Memory LocalRegion::zeroed(Nic& nic, Bytes size) {
    const auto bytes = std::max<std::size_t>(1, size.count());  // a region may be empty
    const int now = nic.port(0).device().requires_mode(FI_MR_ALLOCATED) ? MAP_POPULATE : 0;
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | now, -1, 0);
    if (memory == MAP_FAILED)
        throw Error(fmt::format("ofi: no memory for a region of {} B", size.count()));
    return {static_cast<std::byte*>(memory), Unmapped{bytes}};
}

void LocalRegion::Unmapped::operator()(std::byte* memory) const {
    ::munmap(memory, size);
}

void LocalRegion::register_on(Port& port) {
    OnPort& on = on_[port.number()];
    // With all rights: those of peers are checked by us, and peers that move our bulk data for us
    // need them whatever the region grants.
    on.registered = register_with(port.device(), span(), true);
    if (on.registered) {
        on.key = fi_mr_key(on.registered.get());
        on.descriptor = fi_mr_desc(on.registered.get());
    }
    if (port.device().requires_mode(FI_MR_VIRT_ADDR)) on.base = address_of(data_);
}

void LocalRegion::enter() {
    on_.resize(nic_.ports().size());
    const bool is_bulk = size_.count() > nic_.port(0).device().longest_data();
    if (is_bulk && nic_.grants() && fabric::allows(access_, Access::remote_write))
        grant_key_ = nic_.next_grant_key();
    for (const auto& port : nic_.ports()) {
        register_on(*port);
        if (grant_key_ != 0) on_[port->number()].grant = port->grants().grant(span(), grant_key_);
    }
    number_ = nic_.regions().add(*this);
}

void LocalRegion::renew(Port& port) {
    on_[port.number()].registered.reset();
    register_on(port);
}

void LocalRegion::revoke() {
    if (grant_key_ == 0) return;
    for (const auto& port : nic_.ports())
        port->grants().revoke(on_[port->number()].grant, size_.count());
    grant_key_ = 0;
}

LocalRegion::~LocalRegion() {
    // What comes from now on is refused; what is under way ends here, and must still find it.
    leaves_ = true;
    nic_.detach(*this);
    revoke();
    nic_.regions().remove(number_);
}

void LocalRegion::invalidate() {
    invalidated_ = true;
    revoke();
}

Place LocalRegion::place(const std::byte* data, std::uint64_t length, unsigned port) const {
    const OnPort& on = on_[port];
    return {on.base + static_cast<std::uint64_t>(data - data_), on.key, length};
}

Code LocalRegion::check(std::uint64_t offset, std::uint64_t length, Access wanted) const {
    if (invalidated_ || leaves_) return Code::region_gone;
    return check_access(size_.count(), access_, address_of(data_), offset, length, wanted);
}

RegionBlob LocalRegion::export_blob() const {
    BlobFields fields;
    fields.number = number_;
    fields.owner = nic_.id();
    fields.size = size_.count();
    fields.access = static_cast<std::uint64_t>(access_);
    fields.address = address_of(data_);
    fields.key = grant_key_;
    fields.sum = sum_of(fields);
    RegionBlob blob;
    std::memcpy(blob.bytes.data(), &fields, sizeof fields);
    return blob;
}

ImportedRegion::ImportedRegion(const Nic& nic, const RegionBlob& blob)
    : RemoteRegion(&nic, Bytes()) {
    BlobFields fields;
    const std::uint64_t magic = fields.magic;
    std::memcpy(&fields, blob.bytes.data(), sizeof fields);
    if (fields.magic != magic || fields.sum != sum_of(fields))
        throw Error("ofi: these bytes are not the name of a region; it is made by export_blob()");
    number_ = fields.number;
    owner_ = fields.owner;
    address_ = fields.address;
    key_ = fields.key;
    access_ = static_cast<Access>(fields.access);
    size_ = Bytes(fields.size);
}

Code ImportedRegion::check(std::uint64_t offset, std::uint64_t length, Access wanted) const {
    return check_access(size_.count(), access_, address_, offset, length, wanted);
}

}  // namespace railyard::ofi
