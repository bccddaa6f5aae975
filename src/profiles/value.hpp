#pragma once
/// One value of a profile: what it may be, how it is read from what a TOML file holds, and how it
/// is written again.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/rate.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::profiles {

/// One of a few words, by its place among them.
struct Word {
    unsigned index = 0;
};

using Value = std::variant<Duration, Rate, Bytes, unsigned, double, bool, Word, std::string>;

/// In the order of Value's types.
enum class Unit : std::uint8_t { time, rate, size, count, share, flag, word, text };

/// A value as TOML has it.
using Literal = std::variant<std::string, std::int64_t, double, bool>;

/// What a value may be. Bounds are picoseconds, bytes per second, bytes or a plain number, as the
/// unit says; a share is always from 0 to 1. A rate whose lower bound is nought can be "off".
struct Allowed {
    Unit unit = Unit::text;
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::span<const std::string_view> words;
};

/// "a time such as '0.9 us', up to 1 s"
std::string to_string(const Allowed& allowed);

/// Throws UsageError with what was expected and what was found.
Value read(const Literal& literal, const Allowed& allowed);
Literal write(const Value& value, const Allowed& allowed);

/// As a person reads it, and as a TOML file holds it.
std::string plain(const Literal& literal);
std::string toml(const Literal& literal);

}  // namespace railyard::profiles
