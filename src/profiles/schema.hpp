#pragma once
/// What profiles can say: values, how they are read from what a TOML file holds and written again,
/// and keys. Whoever owns a section of profiles has one table of its keys: each with
/// its unit, its range, a line of explanation, and the member of a struct that it sets. Profiles
/// are read, checked, printed and shown by such tables.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

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
/// unit says; a share is always from 0 to 1. A rate whose lower bound is 0 can be "off".
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

struct Key {
    std::string_view section;  ///< that it is in; empty: it stands before all sections
    std::string_view name;
    std::string_view explanation;
    Allowed allowed;
    bool required = false;
    Value (*standard)() = nullptr;  ///< its value where no profile sets it

    /// "link.rate"
    std::string path() const;
};

struct Section {
    std::string_view name;
    std::string_view explanation;
};

/// The sections of one owner. Keys of one section stand together; all are in the order in which
/// people should see them.
struct Table {
    std::span<const Section> sections;
    std::span<const Key> keys;
};

/// What runs a profile: the key `engine` names it. Engines may share tables.
struct Engine {
    std::string_view name;
    std::string_view explanation;
    std::vector<Table> tables;

    bool reads(const Key& key) const;
    bool reads_section(std::string_view section) const;
};

/// All that a profile may say: what is known of every one, the tables of all engines, and the names
/// of sections that software above owns, which are handed on unread.
class Language {
  public:
    /// The first engine runs the profiles that name none.
    Language(std::vector<Engine> engines, std::vector<Section> of_software_above);
    Language(const Language&) = delete;
    Language& operator=(const Language&) = delete;

    /// `name`, `description` and `engine`.
    std::span<const Key> common_keys() const { return common_; }
    bool is_common(const Key& key) const;
    const std::vector<Engine>& engines() const { return engines_; }

    /// Null if there is none.
    const Key* find_key(std::string_view section, std::string_view name) const;
    const Section* find_section(std::string_view name) const;
    bool is_of_software_above(std::string_view section) const;

    /// For advice.
    std::vector<std::string> key_names(std::string_view section) const;
    std::vector<std::string> section_names() const;

  private:
    std::vector<Engine> engines_;
    std::vector<std::string_view> engine_names_;
    std::vector<Section> of_software_above_;
    std::array<Key, 3> common_;
};

// How a table is written: as rows, of which each names a member. What values a key may have, and
// how it is set and asked for, follow from the member's type.

// Engines add such times up in picoseconds; within these bounds no sum can overflow.
inline constexpr std::uint64_t longest_time = 1'000'000'000'000;       // 1 s
inline constexpr std::uint64_t fastest_rate = 1'000'000'000'000;       // 1 TB/s
inline constexpr std::uint64_t largest_size = std::uint64_t{1} << 40;  // 1 TiB
inline constexpr std::uint64_t largest_count = 1U << 24;

/// The words of an enumeration, in its order; whoever owns it specialises this.
template <class Enum>
inline constexpr std::array<std::string_view, 0> words_of{};

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

/// A key and the member of `Struct` behind it.
template <class Struct>
struct Row : Key {
    void (*set)(Struct&, const Value&) = nullptr;
    Value (*get)(const Struct&) = nullptr;

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
    /// Without it nothing can run. Never 0.
    constexpr Row needed() const {
        Row row = from(1);
        row.required = true;
        return row;
    }
};

template <class Struct, class Member>
Struct owner_of(Member Struct::*);

/// Goes down from a struct, one member after the other.
template <auto... Members>
constexpr auto& member(auto& all) {
    return (all.*....*Members);
}

template <class Struct, auto... Members>
using MemberType = std::remove_reference_t<decltype(member<Members...>(std::declval<Struct&>()))>;

template <class Struct, auto... Members>
void set_member(Struct& all, const Value& value) {
    using T = MemberType<Struct, Members...>;
    if constexpr (std::is_enum_v<T>)
        member<Members...>(all) = static_cast<T>(std::get<Word>(value).index);
    else
        member<Members...>(all) = std::get<T>(value);
}

template <class Struct, auto... Members>
Value get_member(const Struct& all) {
    if constexpr (std::is_enum_v<MemberType<Struct, Members...>>)
        return Word{static_cast<unsigned>(member<Members...>(all))};
    else
        return member<Members...>(all);
}

template <class Struct, auto... Members>
Value standard_member() {
    return get_member<Struct, Members...>(Struct{});
}

/// Of the member of a member: row<&Parameters::link, &Link::rate>("link", "rate", "...").
template <auto First, auto... Rest>
constexpr auto row(std::string_view section, std::string_view name, std::string_view explanation) {
    using Struct = decltype(owner_of(First));
    return Row<Struct>{
        {section, name, explanation, allowed_of<MemberType<Struct, First, Rest...>>(), false,
         standard_member<Struct, First, Rest...>},
        set_member<Struct, First, Rest...>,
        get_member<Struct, First, Rest...>};
}

/// The rows without their members, as a Table has them.
template <class Struct, std::size_t size>
constexpr std::array<Key, size> keys_of(const std::array<Row<Struct>, size>& rows) {
    std::array<Key, size> keys{};
    for (std::size_t i = 0; i < size; ++i)
        keys[i] = rows[i];
    return keys;
}

}  // namespace railyard::profiles
