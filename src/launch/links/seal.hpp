#pragma once
/// Frames that only the two who hold the keys can make or read: a length and a kind in clear, then
/// the bytes, enciphered, and a proof that all of it is the sender's and comes in this order
/// (ChaCha20-Poly1305). Bytes in, bytes out; sockets are somebody else's.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "launch/links/secret.hpp"

namespace railyard::links {

/// The longest payload. Whoever announces more is cut off before it is waited for.
inline constexpr std::size_t longest_frame = 4 << 20;

class Sealer {
  public:
    explicit Sealer(const Secret::Bytes& key) : key_(key) {}
    /// The frame's bytes, behind those that are in `out`. Throws UsageError if it is too long.
    void seal(std::uint32_t kind, std::string_view payload, std::string& out);

  private:
    Secret::Bytes key_;
    std::uint64_t count_ = 0;
};

class Unsealer {
  public:
    explicit Unsealer(const Secret::Bytes& key) : key_(key) {}

    using Take = std::function<void(std::uint32_t kind, std::string payload)>;
    /// Hands over every frame that is whole. False, from then on: these are no frames of the
    /// other's.
    bool feed(std::string_view piece, const Take& take);

  private:
    bool open(std::string& frame) const;

    Secret::Bytes key_;
    std::uint64_t count_ = 0;
    std::string bytes_;  ///< of the frame that is coming; grows with what came, not as announced
    bool is_broken_ = false;
};

}  // namespace railyard::links
