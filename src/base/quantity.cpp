#include "base/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t max_u64 = std::numeric_limits<std::uint64_t>::max();

struct Unit {
    std::string_view name;
    std::uint64_t factor;  ///< picoseconds or bytes
};

constexpr std::array duration_units{
    Unit{"ps", 1},
    Unit{"ns", 1'000},
    Unit{"us", 1'000'000},
    Unit{"\u00b5s", 1'000'000},  // the micro sign
    Unit{"\u03bcs", 1'000'000},  // the Greek letter, which looks the same
    Unit{"ms", 1'000'000'000},
    Unit{"s", 1'000'000'000'000},
};

constexpr std::array byte_units{
    Unit{"B", 1},
    Unit{"kB", 1'000},
    Unit{"KB", 1'000},
    Unit{"MB", 1'000'000},
    Unit{"GB", 1'000'000'000},
    Unit{"TB", 1'000'000'000'000},
    Unit{"KiB", 1ULL << 10},
    Unit{"MiB", 1ULL << 20},
    Unit{"GiB", 1ULL << 30},
    Unit{"TiB", 1ULL << 40},
};

/// Only for sizes: "4M" is a size, "4M/s" would leave open what is counted.
constexpr std::array short_units{
    Unit{"", 1},           Unit{"K", 1ULL << 10}, Unit{"k", 1ULL << 10},
    Unit{"M", 1ULL << 20}, Unit{"m", 1ULL << 20}, Unit{"G", 1ULL << 30},
    Unit{"g", 1ULL << 30}, Unit{"T", 1ULL << 40}, Unit{"t", 1ULL << 40},
};

/// Only for rates. A single bit is left out: it is no whole number of bytes.
constexpr std::array bit_units{
    Unit{"kbit", 125},
    Unit{"Kbit", 125},
    Unit{"kb", 125},
    Unit{"Kb", 125},
    Unit{"Mbit", 125'000},
    Unit{"Mb", 125'000},
    Unit{"Gbit", 125'000'000},
    Unit{"Gb", 125'000'000},
    Unit{"Tbit", 125'000'000'000},
    Unit{"Tb", 125'000'000'000},
};

std::optional<std::uint64_t> find(std::span<const Unit> units, std::string_view name) {
    for (const Unit& unit : units)
        if (unit.name == name) return unit.factor;
    return std::nullopt;
}

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Fit for one line of a terminal, whatever was passed in.
std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 60;
    const bool cut = text.size() > longest;
    if (cut) {
        text = text.substr(0, longest);
        // Not in the midst of a UTF-8 character.
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0)
            text.remove_suffix(1);
    }
    std::string result = "'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result + (cut ? "...'" : "'");
}

/// What is being parsed, and the message when it cannot be.
struct Expectation {
    std::string_view example;  ///< "a rate such as '400 MB/s'"
    std::string_view found;

    [[noreturn]] void fail(std::string_view reason = {}) const {
        std::string message = fmt::format("expected {}, found {}", example, quoted(found));
        if (!reason.empty()) message += fmt::format(" ({})", reason);
        throw UsageError(message);
    }
};

/// A decimal number as written: `whole` + `fraction` / `scale`.
struct Number {
    std::uint64_t whole = 0;
    std::uint64_t fraction = 0;
    std::uint64_t scale = 1;
};

std::uint64_t parse_digits(std::string_view digits, const Expectation& expected) {
    std::uint64_t value = 0;
    for (const char c : digits) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value))
            expected.fail("too large");
    }
    return value;
}

std::string_view take_digits(std::string_view& text) {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n]))
        ++n;
    const std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    return digits;
}

/// Takes the number off the front of `text`.
Number take_number(std::string_view& text, const Expectation& expected) {
    if (text.size() > 1 && text.front() == '-' && is_digit(text[1]))
        expected.fail("it cannot be negative");
    const std::string_view whole = take_digits(text);
    if (whole.empty()) expected.fail();
    Number number;
    number.whole = parse_digits(whole, expected);
    if (text.empty() || text.front() != '.') return number;

    text.remove_prefix(1);
    std::string_view decimals = take_digits(text);
    if (decimals.empty()) expected.fail("no digits after the point");
    while (!decimals.empty() && decimals.back() == '0')
        decimals.remove_suffix(1);
    if (decimals.size() > 18) expected.fail("more than 18 decimals");
    number.fraction = parse_digits(decimals, expected);
    for (std::size_t i = 0; i < decimals.size(); ++i)
        number.scale *= 10;
    return number;
}

enum class Rounding : std::uint8_t { nearest, refused };

/// Exact in 128 bits: below 2^64 * 2^40 before the point, 10^18 * 2^40 behind it.
std::uint64_t scaled(const Number& number, std::uint64_t factor, std::uint64_t limit,
                     Rounding rounding, const Expectation& expected) {
    const Wide numerator = Wide{number.fraction} * factor;
    if (rounding == Rounding::refused && numerator % number.scale != 0)
        expected.fail("it must be a whole number of bytes");
    const Wide value = Wide{number.whole} * factor + (numerator + number.scale / 2) / number.scale;
    if (value > limit) expected.fail("too large");
    return static_cast<std::uint64_t>(value);
}

/// "1.5 us" from a value in the smallest of `units`, which stand smallest first. In the largest
/// unit of which there is at least one, with as many decimals as it takes to be exact.
std::string print_decimal(std::uint64_t value, std::span<const Unit> units) {
    const Unit* unit = &units.front();
    for (const Unit& u : units)
        if (value >= u.factor) unit = &u;
    std::string result = fmt::format("{}", value / unit->factor);
    if (std::uint64_t rest = value % unit->factor; rest != 0) {
        result += '.';
        for (std::uint64_t place = unit->factor / 10; rest != 0; place /= 10) {
            result += static_cast<char>('0' + rest / place);
            rest %= place;
        }
    }
    return fmt::format("{} {}", result, unit->name);
}

/// In the largest of `units` that divides it; they stand smallest first.
std::string print_binary(std::uint64_t value, std::span<const Unit> units, std::string_view space) {
    const Unit* unit = &units.front();
    for (const Unit& u : units)
        if (value >= u.factor && value % u.factor == 0) unit = &u;
    return fmt::format("{}{}{}", value / unit->factor, space, unit->name);
}

/// One item of a list of sizes: a size or a range.
void append_sizes(std::string_view item, std::vector<Bytes>& sizes) {
    const std::size_t dots = item.find("..");
    if (dots == std::string_view::npos) {
        sizes.push_back(parse_bytes(item));
        return;
    }
    const Expectation expected{"a range of sizes such as '8..4M' or '1..1M*4'", item};
    std::string_view end = item.substr(dots + 2);
    std::uint64_t factor = 2;
    if (const std::size_t star = end.find('*'); star != std::string_view::npos) {
        std::string_view text = trim(end.substr(star + 1));
        const std::string_view digits = take_digits(text);
        if (digits.empty() || !text.empty()) expected.fail("the factor must be a whole number");
        factor = parse_digits(digits, expected);
        if (factor < 2) expected.fail("the factor must be at least 2");
        end = end.substr(0, star);
    }
    const std::uint64_t first = parse_bytes(item.substr(0, dots)).count();
    const std::uint64_t last = parse_bytes(end).count();
    if (first > last) expected.fail("a range goes up");

    if (first == 0) sizes.emplace_back(0);
    std::uint64_t size = first == 0 ? 1 : first;
    while (size <= last) {
        sizes.emplace_back(size);
        if (__builtin_mul_overflow(size, factor, &size)) break;
    }
}

}  // namespace

Duration parse_duration(std::string_view text) {
    std::string_view rest = trim(text);
    if (rest == "forever") return Duration::forever();
    const Expectation expected{"a time such as '35 ns'", rest};
    const Number number = take_number(rest, expected);
    const std::string_view unit = trim(rest);
    if (unit.empty()) expected.fail();
    const auto factor = find(duration_units, unit);
    if (!factor) expected.fail("units are ps, ns, us, ms and s");
    // The largest count means forever, and that has to be said by name.
    constexpr auto limit = static_cast<std::uint64_t>(Duration::forever().picoseconds()) - 1;
    return Duration::ps(
        static_cast<std::int64_t>(scaled(number, *factor, limit, Rounding::nearest, expected)));
}

Bytes parse_bytes(std::string_view text) {
    std::string_view rest = trim(text);
    const Expectation expected{"a size such as '100', '8K' or '4 MiB'", rest};
    const Number number = take_number(rest, expected);
    const std::string_view unit = trim(rest);
    auto factor = find(short_units, unit);
    if (!factor) factor = find(byte_units, unit);
    if (!factor) expected.fail("units are B, K, M, G, T; KiB, MiB, GiB, TiB; kB, MB, GB, TB");
    return Bytes(scaled(number, *factor, max_u64, Rounding::refused, expected));
}

Rate parse_rate(std::string_view text) {
    std::string_view rest = trim(text);
    const Expectation expected{"a rate such as '400 MB/s'", rest};
    const Number number = take_number(rest, expected);
    std::string_view unit = trim(rest);
    if (unit.empty()) expected.fail();
    const bool per_second = unit.ends_with("/s") || unit.ends_with("ps");
    if (per_second) unit.remove_suffix(2);
    auto factor = find(byte_units, unit);
    if (!factor) factor = find(bit_units, unit);
    if (!per_second || !factor)
        expected.fail("units are B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, Mbit/s, Gbit/s");
    const std::uint64_t rate = scaled(number, *factor, max_u64, Rounding::nearest, expected);
    if (rate == 0) expected.fail("it must be at least 1 B/s");
    return Rate::bytes_per_second(rate);
}

std::vector<Bytes> parse_sizes(std::string_view text) {
    const Expectation expected{"sizes such as '8', '8,64,4K' or '8..4M'", trim(text)};
    std::vector<Bytes> sizes;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        const std::string_view item = trim(rest.substr(0, comma));
        if (item.empty()) expected.fail();
        append_sizes(item, sizes);
        if (comma == std::string_view::npos) return sizes;
        rest.remove_prefix(comma + 1);
    }
}

std::string to_string(Duration duration) {
    if (duration == Duration::forever()) return "forever";
    static constexpr std::array units{Unit{"ps", 1}, Unit{"ns", 1'000}, Unit{"us", 1'000'000},
                                      Unit{"ms", 1'000'000'000}, Unit{"s", 1'000'000'000'000}};
    const std::int64_t ps = duration.picoseconds();
    if (ps == 0) return "0 s";
    if (ps > 0) return print_decimal(static_cast<std::uint64_t>(ps), units);
    // Unsigned, because the lowest number has no positive twin.
    return fmt::format("-{}", print_decimal(0 - static_cast<std::uint64_t>(ps), units));
}

std::string to_string(Bytes bytes) {
    static constexpr std::array units{Unit{"B", 1}, Unit{"KiB", 1ULL << 10},
                                      Unit{"MiB", 1ULL << 20}, Unit{"GiB", 1ULL << 30},
                                      Unit{"TiB", 1ULL << 40}};
    return print_binary(bytes.count(), units, " ");
}

std::string short_size(Bytes bytes) {
    static constexpr std::array units{Unit{"", 1}, Unit{"K", 1ULL << 10}, Unit{"M", 1ULL << 20},
                                      Unit{"G", 1ULL << 30}, Unit{"T", 1ULL << 40}};
    return print_binary(bytes.count(), units, "");
}

std::string to_string(Rate rate) {
    static constexpr std::array units{Unit{"B/s", 1}, Unit{"kB/s", 1'000}, Unit{"MB/s", 1'000'000},
                                      Unit{"GB/s", 1'000'000'000}};
    return print_decimal(rate.bytes_per_second(), units);
}

}  // namespace railyard
