#pragma once
/// Messages in a stream of bytes: each a kind, a length and that many bytes, put together again
/// from whatever pieces a pipe or a connection gives.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace railyard {

using FrameHeader = std::array<char, 16>;

/// Two numbers, little-endian on every machine: those who talk may differ.
constexpr FrameHeader frame_header(std::uint64_t kind, std::uint64_t length) {
    FrameHeader header{};
    for (std::size_t i = 0; i < 8; ++i) {
        header[i] = static_cast<char>(kind >> (8 * i) & 0xff);
        header[8 + i] = static_cast<char>(length >> (8 * i) & 0xff);
    }
    return header;
}

template <class Kind>
class BasicFrameReader {
  public:
    using Take = std::function<void(Kind kind, std::string payload)>;

    /// Whoever announces a longer payload is cut off before it is waited for.
    explicit BasicFrameReader(std::uint64_t longest = std::numeric_limits<std::uint64_t>::max())
        : longest_(longest) {}

    /// Hands over every frame that is whole. False, from then on: one is too long. Memory grows
    /// with what came, not as announced.
    bool feed(std::string_view piece, const Take& take) {
        while (!is_broken_) {
            const std::size_t wanted = std::min(header_.size() - filled_, piece.size());
            std::copy_n(piece.data(), wanted, header_.data() + filled_);
            filled_ += wanted;
            piece.remove_prefix(wanted);
            if (filled_ < header_.size()) break;
            const std::uint64_t length = number(8);
            is_broken_ = length > longest_;
            if (is_broken_) break;
            const auto step = static_cast<std::size_t>(
                std::min<std::uint64_t>(length - payload_.size(), piece.size()));
            payload_.append(piece.substr(0, step));
            piece.remove_prefix(step);
            if (payload_.size() < length) break;
            filled_ = 0;
            take(static_cast<Kind>(number(0)), std::exchange(payload_, {}));
        }
        return !is_broken_;
    }

  private:
    std::uint64_t number(std::size_t at) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < 8; ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(header_[at + i]))
                     << (8 * i);
        return value;
    }

    std::uint64_t longest_;
    FrameHeader header_{};
    std::size_t filled_ = 0;
    std::string payload_;
    bool is_broken_ = false;
};

}  // namespace railyard
