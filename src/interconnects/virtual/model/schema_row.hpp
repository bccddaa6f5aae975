#pragma once
/// How rows of the schema are written: a key and the member of Parameters behind it. What values it
/// may have, and how it is set and asked for, follow from the member's type.

#include <array>
#include <type_traits>
#include <utility>

#include "interconnects/virtual/model/schema.hpp"

namespace railyard::model::schema {

// A model adds such times up in picoseconds; within these bounds no sum can overflow.
inline constexpr std::uint64_t longest_time = 1'000'000'000'000;       // 1 s
inline constexpr std::uint64_t fastest_rate = 1'000'000'000'000;       // 1 TB/s
inline constexpr std::uint64_t largest_size = std::uint64_t{1} << 40;  // 1 TiB
inline constexpr std::uint64_t largest_count = 1U << 24;

// The words of each enumeration, in its order.
template <class Enum>
inline constexpr std::array<std::string_view, 0> words_of{};
template <>
inline constexpr std::array<std::string_view, 2> words_of<Duplex>{"half", "full"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<Engines>{"separate", "shared"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<Topology>{"crossbar", "fat_tree"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<Detection>{"ends", "hops"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<Detail>{"packets", "flits"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<fabric::Placement>{"none",
                                                                             "last_byte_last"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<fabric::Bulk>{"read", "write", "send"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<fabric::Progress>{"hardware", "thread",
                                                                            "calls"};

template <>
inline constexpr std::array<std::string_view, 3> words_of<MpiConnections>{
    "on-demand", "static-peer", "static-client-server"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<MpiMatching>{"hashed", "list"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<MpiBulk>{"stream", "read", "write"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<MpiRails>{"striping", "binding"};

template <class T>
constexpr Allowed allowed_of() {
    if constexpr (std::is_same_v<T, Duration>)
        return {Unit::time, 0, longest_time, {}};
    else if constexpr (std::is_same_v<T, Rate>)
        return {Unit::rate, 0, fastest_rate, {}};
    else if constexpr (std::is_same_v<T, Bytes>)
        return {Unit::size, 0, largest_size, {}};
    else if constexpr (std::is_same_v<T, unsigned>)
        return {Unit::count, 0, largest_count, {}};
    else if constexpr (std::is_same_v<T, double>)
        return {.unit = Unit::share, .words = {}};
    else if constexpr (std::is_same_v<T, bool>)
        return {.unit = Unit::flag, .words = {}};
    else if constexpr (std::is_enum_v<T>)
        return {.unit = Unit::word, .words = words_of<T>};
    else
        return {.unit = Unit::text, .words = {}};
}

/// Goes down from Parameters, one member after the other.
template <auto... Members>
constexpr auto& member(auto& parameters) {
    return (parameters.*....*Members);
}

template <auto... Members>
using MemberType =
    std::remove_reference_t<decltype(member<Members...>(std::declval<Parameters&>()))>;

template <auto... Members>
void set(Parameters& parameters, const Value& value) {
    using T = MemberType<Members...>;
    if constexpr (std::is_enum_v<T>)
        member<Members...>(parameters) = static_cast<T>(std::get<Word>(value).index);
    else
        member<Members...>(parameters) = std::get<T>(value);
}

template <auto... Members>
Value get(const Parameters& parameters) {
    using T = MemberType<Members...>;
    if constexpr (std::is_enum_v<T>)
        return Word{static_cast<unsigned>(member<Members...>(parameters))};
    else
        return member<Members...>(parameters);
}

/// A row of the table.
struct Row : Key {
    constexpr Row from(std::uint64_t least) const {
        Row row = *this;
        row.allowed.least = least;
        return row;
    }
    constexpr Row to(std::uint64_t most) const {
        Row row = *this;
        row.allowed.most = most;
        return row;
    }
    /// Without it there is no model. Never nought.
    constexpr Row needed() const {
        Row row = from(1);
        row.required = true;
        return row;
    }
};

template <auto... Members>
constexpr Row row(std::string_view part, std::string_view name, std::string_view explanation) {
    return {{part, name, explanation, allowed_of<MemberType<Members...>>(), false, set<Members...>,
             get<Members...>}};
}

using P = Parameters;

}  // namespace railyard::model::schema
