#pragma once
/// The last byte of a message, by which its receiver learns of its arrival. It changes with every
/// message, so that a stale value cannot end the wait.

#include <cstddef>
#include <cstdint>

namespace railyard::experiments {

/// Runs through 1 … 255 and again; never nought, which is what buffers hold before.
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
