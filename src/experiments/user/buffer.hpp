#pragma once
/// Memory for the messages of an experiment, and the byte by which a receiver that watches memory
/// learns of their arrival.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "experiments/core/experiment.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/nic.hpp"

namespace railyard::experiments {

struct FreePages {
    void operator()(std::byte* p) const { std::free(p); }
};
/// A process' own memory: whole pages, at least one, zeroed.
using Pages = std::unique_ptr<std::byte, FreePages>;
/// For `size` bytes. Throws Error.
Pages make_pages(Bytes size);

/// Registered memory: allocated by the Nic, on the host or on the adapter, or the user's own.
class Buffer {
  public:
    /// Whole pages, at least one: nothing else shares their cache lines, and an empty message has
    /// an address too. Zeroed, so that no page is first touched while the clock runs. Throws Error.
    Buffer(fabric::Nic& nic, Bytes size, fabric::Access access, Memory memory,
           fabric::Home home = fabric::Home::host);

    const fabric::Region& region() const { return *region_; }

  private:
    Pages user_memory_;
    std::unique_ptr<fabric::Region> region_;
};

/// From one message's place to the next: they share no cache line.
inline Bytes stride_of(Bytes size) {
    return (size + Bytes(127)) / 128 * 128;
}

/// The last byte of a message. It changes with every message, so that a stale value cannot end the
/// wait: it runs through 1 … 255 and again, and is never 0, which is what buffers hold before.
class Stamp {
  public:
    std::byte next() {
        value_ = value_ == 255 ? std::uint8_t{1} : static_cast<std::uint8_t>(value_ + 1);
        return std::byte{value_};
    }

  private:
    std::uint8_t value_ = 0;
};

}  // namespace railyard::experiments
