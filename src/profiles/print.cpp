// Profiles as people read them: as a datasheet, and as TOML again.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiles/profile.hpp"

namespace railyard::profiles {

namespace {

/// As the file has it: "1500 MB/s" stays what it is.
Literal literal(const Profile& profile, const Key& key) {
    if (const Setting* setting = profile.find(key)) return setting->literal;
    const std::string path = key.path();
    if (path == "name") return profile.name;
    if (path == "description") return profile.description;
    return write(key.standard(), key.allowed);
}

/// Those of a section that its engine reads; without a name: those before all sections.
std::vector<Key> keys_in(const Profile& profile, std::string_view section) {
    std::vector<Key> keys;
    const auto add = [&](std::span<const Key> all) {
        std::ranges::copy_if(all, std::back_inserter(keys),
                             [&](const Key& key) { return key.section == section; });
    };
    add(profile.language->common_keys());
    for (const Table& table : profile.engine->tables)
        add(table.keys);
    return keys;
}

std::vector<Section> sections_of(const Profile& profile) {
    std::vector<Section> sections;
    for (const Table& table : profile.engine->tables)
        sections.insert(sections.end(), table.sections.begin(), table.sections.end());
    return sections;
}

fabric::Part part(const Profile& profile, std::string_view name, std::string_view explanation) {
    fabric::Part out{std::string(name), std::string(explanation), {}};
    for (const Key& key : keys_in(profile, name)) {
        const Setting* setting = profile.find(key);
        out.parameters.push_back(
            {.name = std::string(key.name),
             .value = plain(literal(profile, key)),
             .explanation = std::string(key.explanation),
             .set = setting != nullptr,
             .source = setting != nullptr ? setting->source : fabric::Source{}});
    }
    return out;
}

fabric::Part part(const fabric::Section& section, std::string_view explanation) {
    fabric::Part out{section.name, std::string(explanation), {}};
    for (const fabric::Section::Entry& entry : section.entries)
        out.parameters.push_back({.name = entry.key,
                                  .value = entry.value,
                                  .explanation = {},
                                  .set = true,
                                  .source = entry.source});
    return out;
}

/// Keys of software above may be any: those that are no plain word stand in quotes.
std::string key_text(const std::string& key) {
    const bool plain = !key.empty() && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
    return plain ? key : toml(Literal(key));
}

/// As it stood in the file.
std::string comment(const fabric::Source& source) {
    std::string text = fmt::format("{}", fmt::join(source.records, ", "));
    if (!source.text.empty()) text += (text.empty() ? "" : "; ") + source.text;
    if (source.evidence == fabric::Evidence::none) return text;
    return fmt::format("{}: {}", name(source.evidence), text);
}

std::string line(std::string_view key, const std::string& value, const fabric::Source& source) {
    const std::string text = fmt::format("{} = {}", key, value);
    const std::string behind = comment(source);
    return behind.empty() ? text + "\n" : fmt::format("{:<36}  # {}\n", text, behind);
}

std::string lines(const Profile& profile, std::string_view section) {
    std::string out;
    for (const Key& key : keys_in(profile, section)) {
        if (key.path() == "name") continue;
        const Setting* setting = profile.find(key);
        out += line(key.name, toml(literal(profile, key)),
                    setting != nullptr ? setting->source : fabric::Source{});
    }
    return out;
}

}  // namespace

fabric::Datasheet datasheet(const Profile& profile) {
    fabric::Datasheet sheet;
    sheet.files = profile.files;
    sheet.profile = to_toml(profile);
    sheet.cited_records = cited_records(profile);
    sheet.parts.push_back(part(profile, {}, "as a whole"));
    for (const Section& section : sections_of(profile))
        sheet.parts.push_back(part(profile, section.name, section.explanation));
    for (const fabric::Section& section : profile.sections)
        sheet.parts.push_back(
            part(section, profile.language->find_section(section.name)->explanation));
    return sheet;
}

std::string to_toml(const Profile& profile) {
    std::string out = lines(profile, {});
    for (const Section& section : sections_of(profile))
        out += fmt::format("\n[{}]\n", section.name) + lines(profile, section.name);
    // What is not set there is the choice of the software above, and stays it.
    for (const fabric::Section& section : profile.sections) {
        out += fmt::format("\n[{}]\n", section.name);
        for (const fabric::Section::Entry& entry : section.entries)
            out += line(key_text(entry.key),
                        entry.quoted ? toml(Literal(entry.value)) : entry.value, entry.source);
    }
    return out;
}

}  // namespace railyard::profiles
