#include "profiles/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "railyard/base/error.hpp"

namespace railyard::profiles {

namespace {

constexpr std::string_view off = "off";

std::string bound(Unit unit, std::uint64_t value) {
    switch (unit) {
        case Unit::time:
            return to_string(Duration::ps(static_cast<std::int64_t>(value)));
        case Unit::rate:
            return to_string(Rate::bytes_per_second(value));
        case Unit::size:
            return to_string(Bytes(value));
        default:
            return std::to_string(value);
    }
}

std::string shown(const Literal& literal) {
    const bool is_text = std::holds_alternative<std::string>(literal);
    return is_text ? fmt::format("'{}'", plain(literal)) : plain(literal);
}

[[noreturn]] void refuse(const Literal& literal, const Allowed& allowed,
                         std::string_view why = {}) {
    throw UsageError(fmt::format("expected {}, found {}{}{}", to_string(allowed), shown(literal),
                                 why.empty() ? "" : ": ", why));
}

/// The text of a quantity. A bare number has no unit, and that is said.
const std::string& quantity(const Literal& literal, const Allowed& allowed) {
    const auto* text = std::get_if<std::string>(&literal);
    if (text == nullptr) refuse(literal, allowed, "it needs a unit, and quotes around both");
    const auto last = text->find_last_not_of(' ');
    const bool bare = last != std::string::npos && (*text)[last] >= '0' && (*text)[last] <= '9';
    if (bare) refuse(literal, allowed, "the unit is missing");
    return *text;
}

std::uint64_t counted(Duration duration) {
    return static_cast<std::uint64_t>(duration.picoseconds());
}
std::uint64_t counted(Rate rate) {
    return rate.bytes_per_second();
}
std::uint64_t counted(Bytes bytes) {
    return bytes.count();
}

template <class Parse>
auto parsed(const Literal& literal, const Allowed& allowed, Parse parse) {
    const auto value = parse(quantity(literal, allowed));
    if (counted(value) < allowed.least || counted(value) > allowed.most) refuse(literal, allowed);
    return value;
}

Rate rate(const Literal& literal, const Allowed& allowed) {
    const auto* text = std::get_if<std::string>(&literal);
    if (text != nullptr && *text == off && allowed.least == 0) return Rate();
    return parsed(literal, allowed, parse_rate);
}

unsigned count(const Literal& literal, const Allowed& allowed) {
    const auto* number = std::get_if<std::int64_t>(&literal);
    if (number == nullptr || *number < 0 || static_cast<std::uint64_t>(*number) < allowed.least ||
        static_cast<std::uint64_t>(*number) > allowed.most)
        refuse(literal, allowed);
    return static_cast<unsigned>(*number);
}

double share(const Literal& literal, const Allowed& allowed) {
    double number = -1;
    if (const auto* whole = std::get_if<std::int64_t>(&literal))
        number = static_cast<double>(*whole);
    else if (const auto* real = std::get_if<double>(&literal))
        number = *real;
    if (!(number >= 0 && number <= 1)) refuse(literal, allowed);
    return number;
}

Word word(const Literal& literal, const Allowed& allowed) {
    const auto* text = std::get_if<std::string>(&literal);
    if (text == nullptr) refuse(literal, allowed);
    const auto found = std::ranges::find(allowed.words, *text);
    if (found != allowed.words.end()) return {static_cast<unsigned>(found - allowed.words.begin())};
    const std::vector<std::string> words(allowed.words.begin(), allowed.words.end());
    refuse(literal, allowed, did_you_mean(*text, words));
}

template <class T>
T as_it_is(const Literal& literal, const Allowed& allowed) {
    if (const auto* value = std::get_if<T>(&literal)) return *value;
    refuse(literal, allowed);
}

/// A basic string of TOML: quotes, backslashes and control characters are escaped.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (code < 0x20 || code == 0x7f)
            out += fmt::format("\\u{:04x}", code);
        else
            out += c;
    }
    return out + '"';
}

}  // namespace

std::string to_string(const Allowed& allowed) {
    const std::string most = bound(allowed.unit, allowed.most);
    const std::string range =
        allowed.least == 0 ? fmt::format("up to {}", most)
                           : fmt::format("from {} to {}", bound(allowed.unit, allowed.least), most);
    switch (allowed.unit) {
        case Unit::time:
            return "a time such as '0.9 us', " + range;
        case Unit::rate:
            return fmt::format("a rate such as '831 MB/s', {}{}", range,
                               allowed.least == 0 ? ", or 'off'" : "");
        case Unit::size:
            return "a size such as '1 KiB', " + range;
        case Unit::count:
            return "a whole number " +
                   (allowed.least == 0 ? fmt::format("from 0 to {}", most) : range);
        case Unit::share:
            return "a number from 0 to 1";
        case Unit::flag:
            return "true or false";
        case Unit::word:
            return fmt::format("'{}'", fmt::join(allowed.words, "' or '"));
        case Unit::text:
            break;
    }
    return "a text in quotes";
}

Value read(const Literal& literal, const Allowed& allowed) {
    switch (allowed.unit) {
        case Unit::time:
            return parsed(literal, allowed, parse_duration);
        case Unit::rate:
            return rate(literal, allowed);
        case Unit::size:
            return parsed(literal, allowed, parse_bytes);
        case Unit::count:
            return count(literal, allowed);
        case Unit::share:
            return share(literal, allowed);
        case Unit::flag:
            return as_it_is<bool>(literal, allowed);
        case Unit::word:
            return word(literal, allowed);
        case Unit::text:
            break;
    }
    return as_it_is<std::string>(literal, allowed);
}

Literal write(const Value& value, const Allowed& allowed) {
    struct Writer {
        const Allowed& allowed;
        Literal operator()(Duration duration) const { return to_string(duration); }
        Literal operator()(Rate rate) const {
            return rate == Rate() ? std::string(off) : to_string(rate);
        }
        Literal operator()(Bytes bytes) const { return to_string(bytes); }
        Literal operator()(unsigned count) const { return std::int64_t{count}; }
        Literal operator()(double share) const { return share; }
        Literal operator()(bool flag) const { return flag; }
        Literal operator()(Word word) const { return std::string(allowed.words[word.index]); }
        Literal operator()(const std::string& text) const { return text; }
    };
    return std::visit(Writer{allowed}, value);
}

std::string plain(const Literal& literal) {
    return std::visit([](const auto& value) { return fmt::format("{}", value); }, literal);
}

std::string toml(const Literal& literal) {
    const auto* text = std::get_if<std::string>(&literal);
    return text != nullptr ? in_quotes(*text) : plain(literal);
}

std::string Key::path() const {
    return section.empty() ? std::string(name) : std::string(section) + "." + std::string(name);
}

bool Engine::reads(const Key& key) const {
    return std::ranges::any_of(tables, [&](const Table& table) {
        return std::ranges::any_of(table.keys, [&](const Key& own) {
            return own.section == key.section && own.name == key.name;
        });
    });
}

bool Engine::reads_section(std::string_view section) const {
    return std::ranges::any_of(tables, [&](const Table& table) {
        return std::ranges::find(table.sections, section, &Section::name) != table.sections.end();
    });
}

Language::Language(std::vector<Engine> engines, std::vector<Section> of_software_above)
    : engines_(std::move(engines)), of_software_above_(std::move(of_software_above)) {
    for (const Engine& engine : engines_)
        engine_names_.push_back(engine.name);
    const auto text = []() -> Value { return std::string(); };
    common_ = {
        Key{"", "name", "what it is called", allowed_of<std::string>(), false, text},
        Key{"", "description", "one line on what it is", allowed_of<std::string>(), false, text},
        Key{"",
            "engine",
            "what runs it",
            {.unit = Unit::word, .words = engine_names_},
            false,
            []() -> Value { return Word{}; }}};
}

bool Language::is_common(const Key& key) const {
    return key.section.empty() && std::ranges::find(common_, key.name, &Key::name) != common_.end();
}

const Key* Language::find_key(std::string_view section, std::string_view name) const {
    const auto is_it = [&](const Key& key) { return key.section == section && key.name == name; };
    if (const auto found = std::ranges::find_if(common_, is_it); found != common_.end())
        return &*found;
    for (const Engine& engine : engines_)
        for (const Table& table : engine.tables)
            if (const auto found = std::ranges::find_if(table.keys, is_it);
                found != table.keys.end())
                return &*found;
    return nullptr;
}

const Section* Language::find_section(std::string_view name) const {
    for (const Engine& engine : engines_)
        for (const Table& table : engine.tables)
            if (const auto found = std::ranges::find(table.sections, name, &Section::name);
                found != table.sections.end())
                return &*found;
    const auto found = std::ranges::find(of_software_above_, name, &Section::name);
    return found != of_software_above_.end() ? &*found : nullptr;
}

bool Language::is_of_software_above(std::string_view section) const {
    return std::ranges::find(of_software_above_, section, &Section::name) !=
           of_software_above_.end();
}

std::vector<std::string> Language::key_names(std::string_view section) const {
    std::vector<std::string> names;
    const auto add = [&](std::span<const Key> keys) {
        for (const Key& key : keys)
            if (key.section == section && std::ranges::find(names, key.name) == names.end())
                names.emplace_back(key.name);
    };
    add(common_);
    for (const Engine& engine : engines_)
        for (const Table& table : engine.tables)
            add(table.keys);
    return names;
}

std::vector<std::string> Language::section_names() const {
    std::vector<std::string> names;
    const auto add = [&](std::span<const Section> sections) {
        for (const Section& section : sections)
            if (std::ranges::find(names, section.name) == names.end())
                names.emplace_back(section.name);
    };
    for (const Engine& engine : engines_)
        for (const Table& table : engine.tables)
            add(table.sections);
    add(of_software_above_);
    return names;
}

}  // namespace railyard::profiles
