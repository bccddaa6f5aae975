#include "interconnects/quadrics/elanlib/shmem.hpp"

#include <vector>

namespace railyard::elanlib {

Shmem::Shmem(elan3::Process& process)
    : process_(process), done_(process.make_event()), started_(process.make_event()) {}

elan3::Address Shmem::allocate(std::uint32_t size) {
    const Address address = process_.allocate(elan3::Home::main, size);
    process_.store(address, std::vector<std::byte>(size));
    return address;
}

Status Shmem::put(Vpid to, Address from, Address at, std::uint32_t size) {
    process_.put(to, from, at, size, {.source = done_.address});
    const Status status = process_.wait(done_);
    process_.prime(done_);
    return status;
}

Status Shmem::get(Vpid from, Address at, Address to, std::uint32_t size) {
    process_.get(from, at, to, size, {.source = elan::null_address, .destination = done_.address});
    const Status status = process_.wait(done_);
    process_.prime(done_);
    return status;
}

void Shmem::start_put(Vpid to, Address from, Address at, std::uint32_t size) {
    process_.put(to, from, at, size, {.source = started_.address});
    ++under_way_;
}

Status Shmem::quiet() {
    Status all;
    for (; under_way_ > 0; --under_way_) {
        const Status status = process_.wait(started_);
        if (all.ok()) all = status;
        process_.prime(started_);
    }
    return all;
}

}  // namespace railyard::elanlib
