#pragma once
/// A modelled interconnect as data: a TOML file with units, in which every value says where it
/// comes from. A profile may extend another, and then differs from it only in what it sets itself.
/// What is known of the hosts that an interconnect was measured on stands in a file of its own, for
/// all profiles of the same hosts to name.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/schema.hpp"
#include "railyard/datasheet.hpp"
#include "railyard/traits.hpp"

namespace railyard::profiles {

/// One key as a file sets it.
struct Setting {
    const Key* key = nullptr;
    Literal literal;  ///< as it is written
    Value value;
    fabric::Source source;
};

struct Profile {
    std::string name;
    std::string description;
    const Language* language = nullptr;  ///< by which it was read; it outlives the profile
    const Engine* engine = nullptr;
    std::vector<std::string> files;  ///< itself, the one that it extends, and so on
    std::string hosts;               ///< the file of its hosts; empty: it names none
    /// By Key::path(), of the file that has the last word; only what the engine reads.
    std::map<std::string, Setting> settings;
    std::vector<fabric::Section> sections;  ///< those of software above

    const Setting* find(const Key& key) const;
};

/// A name that is a path: it contains '/' or ends in ".toml".
bool is_path(std::string_view name);

/// All of these throw UsageError; each line of its message begins with file, line and column.
Profile shipped_profile(const Language& language, std::string_view name);
Profile load_profile(const Language& language, const std::string& path);

/// The text of a file, or none where there is no such file. Throws Error if it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// A text as if it were the file of that path.
Profile parse_profile(const Language& language, std::string_view text, const std::string& path,
                      const ReadFile& read);

/// What the profile sets of those rows.
template <class Struct>
void fill(Struct& parameters, const Profile& profile, std::span<const Row<Struct>> rows) {
    for (const Row<Struct>& row : rows)
        if (const Setting* setting = profile.find(row)) row.set(parameters, setting->value);
}

/// The profiles that are part of the program.
struct Shipped {
    std::string_view name;
    std::string_view text;
};
std::span<const Shipped> shipped_texts();
/// ... and their hosts.
std::span<const Shipped> shipped_hosts();

/// The published records that any parameter of this profile names as its evidence, of whatever
/// kind: what a parameter was chosen by, it cannot predict.
std::set<std::string> cited_records(const Profile& profile);

fabric::Datasheet datasheet(const Profile& profile);
/// All keys, so that it extends nothing; but no name, so that a copy is not mistaken for this one
/// and is called as its file. Reads back as the same parameters.
std::string to_toml(const Profile& profile);

}  // namespace railyard::profiles
