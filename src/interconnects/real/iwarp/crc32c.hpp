#pragma once
/// CRC32c (Castagnoli), which guards every MPA frame: by the processor's own instructions where it
/// has them, else by tables. Both give the same, and a test holds them to it.

#include <cstddef>
#include <cstdint>
#include <span>

namespace railyard::iwarp {

/// The CRC of a stream of bytes that comes in pieces.
class Crc32c {
  public:
    /// Adds `bytes`, in the best way that this processor has.
    void add(std::span<const std::byte> bytes) {
        state_ = best_(state_, bytes.data(), bytes.size());
    }
    std::uint32_t value() const { return ~state_; }

  private:
    /// From the state before `n` bytes to the state after them. The state is the CRC not inverted.
    using Extend = std::uint32_t (*)(std::uint32_t state, const std::byte* bytes, std::size_t n);
    static const Extend best_;

    std::uint32_t state_ = 0xffffffff;
};

inline std::uint32_t crc32c(std::span<const std::byte> bytes) {
    Crc32c crc;
    crc.add(bytes);
    return crc.value();
}

namespace detail {
std::uint32_t crc32c_portable(std::uint32_t state, const std::byte* bytes, std::size_t n);
/// One instruction after the other; only where crc32c_in_hardware().
std::uint32_t crc32c_serial(std::uint32_t state, const std::byte* bytes, std::size_t n);
/// Three streams at once, since the instruction's latency is longer than its pace. Likewise.
std::uint32_t crc32c_interleaved(std::uint32_t state, const std::byte* bytes, std::size_t n);
bool crc32c_in_hardware();
}  // namespace detail

}  // namespace railyard::iwarp
