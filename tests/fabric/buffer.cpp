#include "fabric/buffer.hpp"

#include <algorithm>
#include <cstring>

namespace railyard::contract {

namespace {

/// Eight bytes of the pattern (the finaliser of SplitMix64: every bit of the result depends on
/// every bit of the position).
std::uint64_t word(std::uint64_t seed, std::uint64_t position) {
    std::uint64_t x = seed * 0x9e3779b97f4a7c15 + position;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

}  // namespace

void fill_pattern(std::span<std::byte> data, std::uint64_t seed) {
    for (std::size_t at = 0; at < data.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bytes = word(seed, at);
        std::memcpy(data.data() + at, &bytes, std::min(sizeof bytes, data.size() - at));
    }
}

std::size_t find_mismatch(std::span<const std::byte> data, std::uint64_t seed) {
    for (std::size_t at = 0; at < data.size(); at += sizeof(std::uint64_t)) {
        const std::uint64_t bytes = word(seed, at);
        const std::size_t n = std::min(sizeof bytes, data.size() - at);
        if (std::memcmp(data.data() + at, &bytes, n) == 0) continue;
        const auto* expected = reinterpret_cast<const std::byte*>(&bytes);
        return at + static_cast<std::size_t>(
                        std::mismatch(expected, expected + n, data.data() + at).first - expected);
    }
    return data.size();
}

void check_pattern(std::span<const std::byte> data, std::uint64_t seed, std::string_view what,
                   Where where) {
    const std::size_t at = find_mismatch(data, seed);
    if (at == data.size()) return;
    fail(std::string(what) + ": of " + std::to_string(data.size()) +
             " bytes the first wrong one is at " + std::to_string(at) + ": " + show(data[at]),
         where);
}

Buffer::Buffer(fabric::Nic& nic, std::size_t size, Memory memory, fabric::Access access)
    : size_(size) {
    const std::size_t all = size + 2 * guard;
    if (memory == Memory::user) {
        own_.resize(all);
        region_ = nic.register_memory(own_, access);
    } else {
        region_ = nic.allocate(Bytes(all), access);
    }
    contract::check(region_->size() == Bytes(all), "a region has the size that was asked for");
    blank();
}

void Buffer::blank(std::size_t n) const {
    const std::span<std::byte> bytes = around(n);
    std::memset(bytes.data(), std::to_integer<int>(untouched), bytes.size());
}

void Buffer::check(std::size_t n, std::uint64_t seed, std::string_view what, Where where) const {
    check_pattern(data(0, n), seed, what, where);
    const std::span<std::byte> bytes = around(n);
    for (std::size_t i = 0; i < guard; ++i) {
        check_equal(bytes[i], untouched, std::string(what) + ": a byte before the data", where);
        check_equal(bytes[guard + n + i], untouched, std::string(what) + ": a byte behind the data",
                    where);
    }
}

void Buffer::check_blank(std::size_t n, std::string_view what, Where where) const {
    const std::span<std::byte> bytes = around(n);
    const auto changed =
        std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != untouched; });
    if (changed == bytes.end()) return;
    fail(std::string(what) + ": byte " +
             std::to_string(changed - bytes.begin() - static_cast<std::ptrdiff_t>(guard)) +
             " was changed",
         where);
}

std::uint64_t Word::get() const {
    std::uint64_t value;
    std::memcpy(&value, buffer_.data().data(), sizeof value);
    return value;
}

void Word::set(std::uint64_t value) const {
    std::memcpy(buffer_.data().data(), &value, sizeof value);
}

}  // namespace railyard::contract
