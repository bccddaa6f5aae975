#pragma once
/// The buffers that a tagged port has registered by itself (MX-2), least recently used out first.
/// Host addresses are compared for equality only: what is found follows from the program's own
/// reuse of its buffers, not from where they lie.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "railyard/base/bytes.hpp"

namespace railyard::virtual_time {

class TaggedRegistrations {
  public:
    explicit TaggedRegistrations(std::size_t capacity) : capacity_(capacity) {}

    /// What using the buffer takes.
    struct Work {
        std::optional<Bytes> registered;    ///< the buffer, if it was not registered
        std::optional<Bytes> deregistered;  ///< what had to make room; without a cache the same
    };
    Work use(std::span<const std::byte> buffer);

  private:
    std::size_t capacity_;
    std::vector<std::span<const std::byte>> kept_;  ///< most recently used last
};

}  // namespace railyard::virtual_time
