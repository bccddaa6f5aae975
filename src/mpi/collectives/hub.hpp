#pragma once
/// Memory that all ranks of a communicator reach by loads and stores, for collectives of few bytes:
/// each rank leaves its contribution in a slot and counts itself in; the last one works for all and
/// lets the others go. Every rank waits once at most, whoever comes last.

#include <cstddef>

namespace railyard::mpi {

class Hub {
  public:
    virtual ~Hub() = default;

    /// What a slot, and the result, hold.
    static constexpr std::size_t capacity = 512;

    /// Where that rank's contribution is. One's own may be written before arrive(); all may be read
    /// by the last to arrive, until it releases the others.
    virtual std::byte* slot(int rank) = 0;
    /// Written by the last before release(), read by all after it.
    virtual std::byte* result() = 0;

    /// True: all others have arrived, and wait. The caller must release() them.
    virtual bool arrive() = 0;
    virtual void release() = 0;
    /// Returns when somebody has released.
    virtual void await() = 0;
};

}  // namespace railyard::mpi
