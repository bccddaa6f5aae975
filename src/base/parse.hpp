#pragma once
/// Numbers and lists in what people write. What is wrong with them is for the caller to say, who
/// knows the option or the line that they stand in.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace railyard {

/// The whole text as a number: no spaces, no plus sign, nothing behind it.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return value;
}

/// The same, into a variable; false: it is none, and the variable has what it had.
template <class Number>
bool parse_into(Number& into, std::string_view text) {
    const auto value = parse_number<Number>(text);
    if (value) into = *value;
    return value.has_value();
}

/// Without white space around it.
inline std::string_view trim(std::string_view text) {
    constexpr std::string_view space = " \t\n\r";
    const auto begin = text.find_first_not_of(space);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// What stands between separators, trimmed: one item more than there are separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        items.push_back(trim(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return items;
}

/// A host as people write it, and the number behind it: "node7", "node7:4711",
/// "[2001:db8::7]:4711". A bare IPv6 address has no number.
struct HostAndNumber {
    std::string_view host;
    std::optional<std::string_view> number{};
};
/// None if it is neither.
inline std::optional<HostAndNumber> split_host(std::string_view text) {
    HostAndNumber found{text};
    std::string_view rest;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        found.host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
    } else if (const auto colon = text.find(':'); colon == text.rfind(':')) {
        found.host = text.substr(0, colon);
        rest = text.substr(found.host.size());
    }
    if (rest.empty()) return found;
    if (rest.front() != ':') return std::nullopt;
    found.number = rest.substr(1);
    return found;
}

}  // namespace railyard
