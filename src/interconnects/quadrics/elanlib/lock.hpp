#pragma once
/// A lock of all processes of a job, which they get in the order of their coming: who waits watches
/// its own memory, and whoever had the lock before writes there.

#include <cstdint>

#include "interconnects/quadrics/elanlib/atomics.hpp"

namespace railyard::elanlib {

class Lock {
  public:
    /// Collective: takes a word of the symmetric heap.
    Lock(Shmem& shmem, Atomics& atomics)
        : shmem_(shmem), atomics_(atomics), words_(shmem.allocate(sizeof(Words))) {}

    Status set();
    /// Takes it if it is free; `again` if not.
    Status test();
    /// What was put under the lock is there before the next one has it.
    Status clear();

  private:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;
    static constexpr Vpid home = 0;  ///< whose `last` counts

    struct Words {
        std::uint32_t last = 0;     ///< the process that came last, plus one; 0: the lock is free
        std::uint32_t next = 0;     ///< the process that came after this one, plus one
        std::uint32_t granted = 0;  ///< it is this one's turn
    };
    Address last() const { return words_; }
    Address next() const { return words_ + sizeof(std::uint32_t); }
    Address granted() const { return words_ + 2 * sizeof(std::uint32_t); }
    std::uint32_t me() const { return shmem_.my_pe() + 1; }
    void prepare();

    Shmem& shmem_;
    Atomics& atomics_;
    const Address words_;
};

}  // namespace railyard::elanlib
