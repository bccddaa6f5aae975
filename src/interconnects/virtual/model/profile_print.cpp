// Profiles as people read them: as a datasheet, and as TOML again.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interconnects/virtual/model/profile.hpp"

namespace railyard::model {

namespace {

const Setting* find_setting(const Profile& profile, const Key& key) {
    const auto found = profile.settings.find(key.path());
    return found != profile.settings.end() ? &found->second : nullptr;
}

bool is_shown(const Profile& profile, std::string_view part) {
    return part != elan_part || std::ranges::any_of(profile.settings, [&](const auto& setting) {
               return setting.second.key->part == part;
           });
}

/// As the file has it: "1500 MB/s" stays what it is.
Literal literal(const Profile& profile, const Key& key) {
    const Setting* setting = find_setting(profile, key);
    return setting != nullptr ? setting->literal : write(key.get(profile.parameters), key.allowed);
}

fabric::Parameter parameter(const Profile& profile, const Key& key) {
    const Setting* setting = find_setting(profile, key);
    return {.name = std::string(key.name),
            .value = plain(literal(profile, key)),
            .explanation = std::string(key.explanation),
            .set = setting != nullptr,
            .source = setting != nullptr ? setting->source : fabric::Source{}};
}

fabric::Part part(const Profile& profile, std::string_view name, std::string_view explanation) {
    fabric::Part out{std::string(name), std::string(explanation), {}};
    for (const Key& key : keys())
        if (key.part == name) out.parameters.push_back(parameter(profile, key));
    return out;
}

/// As it stood in the file.
std::string comment(const fabric::Source& source) {
    std::string text = fmt::format("{}", fmt::join(source.records, ", "));
    if (!source.text.empty()) text += (text.empty() ? "" : "; ") + source.text;
    if (source.evidence == fabric::Evidence::none) return text;
    return fmt::format("{}: {}", name(source.evidence), text);
}

std::string line(const Profile& profile, const Key& key) {
    const std::string text = fmt::format("{} = {}", key.name, toml(literal(profile, key)));
    const Setting* setting = find_setting(profile, key);
    const std::string behind = setting != nullptr ? comment(setting->source) : "";
    return behind.empty() ? text + "\n" : fmt::format("{:<36}  # {}\n", text, behind);
}

}  // namespace

fabric::Datasheet datasheet(const Profile& profile) {
    fabric::Datasheet sheet;
    sheet.files = profile.files;
    sheet.profile = to_toml(profile);
    sheet.fitted_records = fitted_records(profile);
    sheet.parts.push_back(part(profile, {}, "as a whole"));
    for (const Part& known : parts())
        if (is_shown(profile, known.name))
            sheet.parts.push_back(part(profile, known.name, known.explanation));
    return sheet;
}

std::string to_toml(const Profile& profile) {
    std::string out;
    std::string_view table;
    for (const Key& key : keys()) {
        if (key.path() == "name") continue;
        // What is not set there is the MPI library's own choice, and stays it.
        if (key.part == mpi_part && find_setting(profile, key) == nullptr) continue;
        if (!is_shown(profile, key.part)) continue;
        if (key.part != table) out += fmt::format("\n[{}]\n", key.part);
        table = key.part;
        out += line(profile, key);
    }
    return out;
}

}  // namespace railyard::model
