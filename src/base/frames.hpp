#pragma once
/// Messages between processes, the same on every machine: frames in a stream of bytes, and the
/// fields, numbers and texts, that stand in a frame.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// Puts frames, each a kind, a length and that many bytes, together again from whatever pieces a
/// pipe or a connection gives.
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

/// Numbers and texts, one behind the other.
class FieldWriter {
  public:
    FieldWriter& number(std::uint64_t value);
    FieldWriter& text(std::string_view value);
    FieldWriter& texts(const std::vector<std::string>& values);
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

/// Never believes a length that is not there. Once something was missing, all that is read is 0 or
/// empty, and ok() false.
class FieldReader {
  public:
    /// The bytes outlive the reader.
    explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

    std::uint64_t number();
    std::uint32_t small_number();  ///< not ok if it does not fit
    std::string text();
    std::vector<std::string> texts();
    /// How many things follow, of which each takes at least so many bytes.
    std::size_t count(std::size_t least_bytes_each);
    bool ok() const { return ok_; }
    /// Everything was there, and nothing is left.
    bool complete() const { return ok_ && rest_.empty(); }

  private:
    std::string_view take(std::size_t n);

    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace railyard
