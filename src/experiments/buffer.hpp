#pragma once
/// Registered memory for the messages of an experiment: allocated by the Nic, on the host or on the
/// adapter, or the user's own.

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "experiments/experiment.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/nic.hpp"

namespace railyard::experiments {

class Buffer {
  public:
    /// Whole pages, at least one: nothing else shares their cache lines, and an empty message has
    /// an address too. Zeroed, so that no page is first touched while the clock runs. Throws Error.
    Buffer(fabric::Nic& nic, Bytes size, fabric::Access access, Memory memory,
           fabric::Home home = fabric::Home::host);

    const fabric::Region& region() const { return *region_; }

  private:
    struct Free {
        void operator()(std::byte* p) const { std::free(p); }
    };
    std::unique_ptr<std::byte, Free> user_memory_;
    std::unique_ptr<fabric::Region> region_;
};

}  // namespace railyard::experiments
