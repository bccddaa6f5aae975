#pragma once
/// Memory of other processes, as Cray's Shmem shows it: put, get, and waiting for a word to change.
/// Memory that all processes allocate in the same order has the same address in each.

#include <cstdint>
#include <vector>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

class Shmem {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    explicit Shmem(elan3::Process& process);

    /// In main memory, 0. Collective: all processes ask for the same, in the same order.
    Address allocate(std::uint32_t size);

    /// Returns when the source may be used again, which is when the data are at the destination.
    Status put(Vpid to, Address from, Address at, std::uint32_t size);
    Status get(Vpid from, Address at, Address to, std::uint32_t size);
    /// Starts a put; quiet() waits for all that were started.
    void start_put(Vpid to, Address from, Address at, std::uint32_t size);
    Status quiet();
    /// Until the word here is not below that.
    void wait(Address word, std::uint32_t at_least) { process_.wait_for(word, at_least); }

  private:
    elan3::Process& process_;
    const elan3::Event done_;
    const elan3::Event started_;
    std::uint32_t under_way_ = 0;
};

inline Shmem::Shmem(elan3::Process& process)
    : process_(process), done_(process.make_event()), started_(process.make_event()) {}

inline elan3::Address Shmem::allocate(std::uint32_t size) {
    const Address address = process_.allocate(elan3::Home::main, size);
    process_.store(address, std::vector<std::byte>(size));
    return address;
}

inline Status Shmem::put(Vpid to, Address from, Address at, std::uint32_t size) {
    process_.put(to, from, at, size, {.source = done_.address});
    const Status status = process_.wait(done_);
    process_.prime(done_);
    return status;
}

inline Status Shmem::get(Vpid from, Address at, Address to, std::uint32_t size) {
    process_.get(from, at, to, size, {.source = elan::null_address, .destination = done_.address});
    const Status status = process_.wait(done_);
    process_.prime(done_);
    return status;
}

inline void Shmem::start_put(Vpid to, Address from, Address at, std::uint32_t size) {
    process_.put(to, from, at, size, {.source = started_.address});
    ++under_way_;
}

inline Status Shmem::quiet() {
    Status all;
    for (; under_way_ > 0; --under_way_) {
        const Status status = process_.wait(started_);
        if (all.ok()) all = status;
        process_.prime(started_);
    }
    return all;
}

}  // namespace railyard::elanlib
