#pragma once
/// How messages between hosts are written: numbers and texts, one behind the other, the same on
/// every machine. A reader never believes a length that is not there.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railyard {

class FieldWriter {
  public:
    FieldWriter& number(std::uint64_t value);
    FieldWriter& text(std::string_view value);
    FieldWriter& texts(const std::vector<std::string>& values);
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

/// Once something was missing, all that is read is nought or empty, and ok() false.
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
