#include "base/frames.hpp"

#include <limits>

namespace railyard {

namespace {

constexpr std::size_t number_size = 8;

}  // namespace

FieldWriter& FieldWriter::number(std::uint64_t value) {
    for (std::size_t i = 0; i < number_size; ++i)
        bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
}

FieldWriter& FieldWriter::text(std::string_view value) {
    number(value.size());
    bytes_ += value;
    return *this;
}

FieldWriter& FieldWriter::texts(const std::vector<std::string>& values) {
    number(values.size());
    for (const std::string& value : values)
        text(value);
    return *this;
}

std::string_view FieldReader::take(std::size_t n) {
    ok_ = ok_ && n <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
}

std::uint64_t FieldReader::number() {
    std::uint64_t value = 0;
    std::size_t i = 0;
    for (const char byte : take(number_size))
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << (8 * i++);
    return value;
}

std::uint32_t FieldReader::small_number() {
    const std::uint64_t value = number();
    ok_ = ok_ && value <= std::numeric_limits<std::uint32_t>::max();
    return ok_ ? static_cast<std::uint32_t>(value) : 0;
}

std::string FieldReader::text() {
    return std::string(take(number()));
}

std::vector<std::string> FieldReader::texts() {
    std::vector<std::string> values(count(number_size));
    for (std::string& value : values)
        value = text();
    return values;
}

std::size_t FieldReader::count(std::size_t least_bytes_each) {
    const std::uint64_t n = number();
    ok_ = ok_ && n <= rest_.size() / least_bytes_each;
    return ok_ ? n : 0;
}

}  // namespace railyard
