#include "profiles/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/quantity.hpp"

namespace railyard::profiles {

namespace {

/// Bounds that all times, rates, sizes or counts have go without saying.
std::string range(std::uint64_t least, std::uint64_t most, std::uint64_t usual_most,
                  std::string (*shown)(std::uint64_t)) {
    std::string out;
    if (least > 0) out += ", from " + shown(least);
    if (most < usual_most) out += fmt::format("{} to {}", least > 0 ? "" : ", up", shown(most));
    return out;
}

std::string kind_of(const Allowed& allowed) {
    const auto [unit, least, most, words] = allowed;
    switch (unit) {
        case Unit::time:
            return "time" + range(least, most, longest_time, [](std::uint64_t n) {
                       return to_string(Duration::ps(static_cast<std::int64_t>(n)));
                   });
        case Unit::rate:
            return least == 0 ? "rate, or off"
                              : "rate" + range(least > 1 ? least : 0, most, fastest_rate,
                                               [](std::uint64_t n) {
                                                   return to_string(Rate::bytes_per_second(n));
                                               });
        case Unit::size:
            return "size" + range(least, most, largest_size,
                                  [](std::uint64_t n) { return to_string(Bytes(n)); });
        case Unit::count:
            return "count" + range(least, most, largest_count,
                                   [](std::uint64_t n) { return std::to_string(n); });
        case Unit::share:
            return "share, 0 to 1";
        case Unit::flag:
            return "true or false";
        case Unit::word:
            return fmt::format("{}", fmt::join(words, " or "));
        case Unit::text:
            break;
    }
    return "text";
}

fabric::ProfileKey as_shown(const Key& key) {
    return {.name = std::string(key.name),
            .kind = kind_of(key.allowed),
            .standard = key.required ? "" : plain(write(key.standard(), key.allowed)),
            .explanation = std::string(key.explanation),
            .required = key.required};
}

/// That of several engines is the same table.
std::vector<std::string> engines_of(const Language& language, std::string_view section) {
    std::vector<std::string> names;
    for (const Engine& engine : language.engines())
        if (engine.reads_section(section)) names.emplace_back(engine.name);
    return names;
}

void add_keys(fabric::ProfileSection& section, std::span<const Key> keys) {
    for (const Key& key : keys)
        if (key.section == section.name &&
            std::ranges::find(section.keys, key.name, &fabric::ProfileKey::name) ==
                section.keys.end())
            section.keys.push_back(as_shown(key));
}

}  // namespace

std::vector<fabric::ProfileSection> sections_of(const Language& language) {
    std::vector<fabric::ProfileSection> all;
    for (const std::string& name : language.section_names()) {
        const Section* section = language.find_section(name);
        all.push_back({name, std::string(section->explanation), engines_of(language, name), {}});
    }
    fabric::ProfileSection first;
    add_keys(first, language.common_keys());
    // These two are read before the others, as they say where those are to be found.
    for (const auto& [name, explanation] :
         {std::pair{"extends", "the profile whose values it takes: a name, or the path of a file"},
          std::pair{"hosts", "what it was measured on: a name, or the path of a file"}})
        first.keys.push_back({name, "text", "", explanation, false});
    all.insert(all.begin(), std::move(first));
    for (fabric::ProfileSection& section : all)
        for (const Engine& engine : language.engines())
            for (const Table& table : engine.tables)
                add_keys(section, table.keys);
    return all;
}

}  // namespace railyard::profiles
