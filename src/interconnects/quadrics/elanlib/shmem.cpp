#include "interconnects/quadrics/elanlib/shmem.hpp"

#include <algorithm>
#include <utility>

namespace railyard::elanlib {

using elan::Home;

bool NodeMemory::load(elan3::Address address, std::span<std::byte> data) {
    process_.spend(Bytes(data.size()) / process_.machine().parameters().host.copy);
    return peer_.space.load(address, data);
}

bool NodeMemory::store(elan3::Address address, std::span<const std::byte> data) {
    process_.spend(Bytes(data.size()) / process_.machine().parameters().host.copy);
    if (!peer_.space.store(address, data)) return false;
    if (peer_.notify_host) peer_.notify_host();  // it may watch its memory
    return true;
}

Shmem::Shmem(elan3::Process& process, const Heaps& heaps)
    : process_(process),
      main_heap_(process, Home::main, heaps.main),
      elan_heap_(process, Home::sdram, heaps.elan),
      done_(process.make_event()),
      started_(process.make_event({.chain = {}, .primed = false})),
      values_(process.allocate(Home::main, slots * elan::block_size)),
      messages_(process.allocate(Home::sdram, slots * elan::block_size)),
      got_(process.allocate(Home::main, elan::block_size)) {}

elan3::Address Shmem::allocate(std::uint32_t size, Home home) {
    const Address address = (home == Home::main ? main_heap_ : elan_heap_).allocate(size);
    process_.store(address, std::vector<std::byte>(size));
    return address;
}

void Shmem::release(Address address) {
    (elan_heap_.contains(address) ? elan_heap_ : main_heap_).release(address);
}

elan3::Address Shmem::resize(Address address, std::uint32_t size) {
    const bool in_elan = elan_heap_.contains(address);
    const std::uint32_t before = (in_elan ? elan_heap_ : main_heap_).size_of(address);
    const Address moved = allocate(size, in_elan ? Home::sdram : Home::main);
    std::vector<std::byte> content(std::min(before, size));
    process_.load(address, content);
    process_.store(moved, content);
    process_.spend(Bytes(content.size()) / process_.machine().parameters().host.copy);
    release(address);
    return moved;
}

std::optional<NodeMemory> Shmem::ptr(Vpid pe) {
    const auto& processes = process_.job().processes;
    if (processes.at(pe).node != processes[my_pe()].node) return {};
    return NodeMemory(process_, process_.machine().context(process_.job(), pe));
}

/// One that has failed may be set again, by a peer that had got it after all: a new one takes its
/// place.
Status Shmem::take(elan3::Event& event) {
    const Status status = process_.wait(event);
    if (status.failed())
        event = process_.make_event();
    else
        process_.prime(event);
    return status;
}

Status Shmem::put(Vpid to, Address from, Address at, std::uint32_t size) {
    process_.put(to, from, at, size, {.source = done_.address});
    return take(done_);
}

Status Shmem::get(Vpid from, Address at, Address to, std::uint32_t size) {
    process_.get(from, at, to, size, {.source = elan::null_address, .destination = done_.address});
    return take(done_);
}

void Shmem::start_put(Vpid to, Address from, Address at, std::uint32_t size) {
    process_.put(to, from, at, size, {.source = count_one()});
}

void Shmem::start_get(Vpid from, Address at, Address to, std::uint32_t size) {
    process_.get(from, at, to, size, {.source = elan::null_address, .destination = count_one()});
}

/// The hardware knows no strides: a DMA an element, all under way at once.
Status Shmem::iput(Vpid to, const Strided& all) {
    if (all.from_stride == 1 && all.at_stride == 1)
        return put(to, all.from, all.at, all.element * all.count);
    for (std::uint32_t i = 0; i < all.count; ++i)
        start_put(to, all.from + i * all.from_stride * all.element,
                  all.at + i * all.at_stride * all.element, all.element);
    return quiet();
}

Status Shmem::iget(Vpid from, const Strided& all) {
    if (all.from_stride == 1 && all.at_stride == 1)
        return get(from, all.from, all.at, all.element * all.count);
    for (std::uint32_t i = 0; i < all.count; ++i)
        start_get(from, all.from + i * all.from_stride * all.element,
                  all.at + i * all.at_stride * all.element, all.element);
    return quiet();
}

elan3::Address Shmem::take_slot(Address ring) {
    if (under_way_ >= slots) drain();
    return ring + under_way_ * elan::block_size;
}

void Shmem::drain() {
    if (under_way_ == 0) return;
    process_.prime(started_, std::exchange(under_way_, 0));
    const Status status = process_.wait(started_);
    if (status.failed()) started_ = process_.make_event({.chain = {}, .primed = false});
    note(status);
}

Status Shmem::quiet() {
    drain();
    return std::exchange(failure_, Status());
}

}  // namespace railyard::elanlib
