#include "profiles/schema.hpp"

#include <algorithm>

namespace railyard::profiles {

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
