#pragma once
/// Memory at the same address in all processes of a job: they ask for the same sizes in the same
/// order, and the first hole that is large enough is taken, so all get the same answers.

#include <cstdint>
#include <map>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

class SymmetricHeap {
  public:
    using Address = elan3::Address;

    /// Of so many bytes in that memory. Collective: after the same allocations in all processes.
    SymmetricHeap(elan3::Process& process, elan3::Home home, std::uint32_t size);

    /// Whole blocks, so that a DMA into one thing touches no other. Throws UsageError if no hole is
    /// large enough.
    Address allocate(std::uint32_t size);
    void release(Address address);
    /// What was asked for there, in whole blocks; throws UsageError if nothing begins there.
    std::uint32_t size_of(Address address) const;
    bool contains(Address address) const { return address - begin_ < size_; }

  private:
    const Address begin_;
    const std::uint32_t size_;
    std::map<Address, std::uint32_t> holes_;
    std::map<Address, std::uint32_t> taken_;
};

}  // namespace railyard::elanlib
