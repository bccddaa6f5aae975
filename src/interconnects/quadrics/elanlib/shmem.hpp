#pragma once
/// Memory of other processes, as Cray's Shmem shows it: put, get, and waiting for a word to change.
/// Memory that all processes allocate in the same order has the same address in each.

#include <cstdint>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

class Shmem {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    explicit Shmem(elan3::Process& process);

    /// In main memory, nought. Collective: all processes ask for the same, in the same order.
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

}  // namespace railyard::elanlib
