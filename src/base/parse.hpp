#pragma once
/// What people write: numbers, lists, and names that are nearly right. What is wrong with them is
/// for the caller to say, who knows the option or the line that they stand in.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace railyard {

/// The number at the beginning of the text, which goes on behind it. None: the text stays as it is.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return value;
}

/// The whole text as a number: no spaces, no plus sign, nothing behind it.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    const auto value = take_number<Number>(text);
    return text.empty() ? value : std::nullopt;
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

/// How many letters must be inserted, deleted, replaced, or swapped with their neighbour to turn
/// one word into the other. Upper and lower case are the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name that was meant: the first that begins with `wrong` as a whole word ("latency" of
/// "latency-uni"); else the nearest, the first of equals, if about one character in three or fewer
/// are wrong; else the first that begins with it; else the first with that word in it; else none.
std::optional<std::string> nearest(std::string_view wrong, std::span<const std::string> names);

/// "did you mean 'shm'?" between `before` and `after`; empty if nothing is near.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> names,
                         std::string_view before = "", std::string_view after = "");

/// "did you mean 'shm'?", or if nothing is near, all that there is: "there are shm, ideal".
std::string advice(std::string_view wrong, std::span<const std::string> names,
                   std::string_view there_are = "there are");

}  // namespace railyard
