#include "interconnects/virtual/model/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/suggest.hpp"
#include "interconnects/virtual/model/profile_draft.hpp"
#include "railyard/base/error.hpp"

namespace railyard::model {

namespace fs = std::filesystem;

namespace {

std::string shipped_file(std::string_view name) {
    return fmt::format("profiles/{}.toml", name);
}

const Shipped* find_shipped(std::string_view name) {
    const auto all = shipped_texts();
    const auto found = std::ranges::find(all, name, &Shipped::name);
    return found != all.end() ? &*found : nullptr;
}

std::string no_such_profile(std::string_view name) {
    std::vector<std::string> names;
    for (const Shipped& shipped : shipped_texts())
        names.emplace_back(shipped.name);
    const auto right = nearest(name, names);
    return fmt::format(
        "there is no profile '{}'; {} (a file is named by a path with '/' or '.toml' in it)", name,
        right ? fmt::format("did you mean '{}'?", *right)
              : fmt::format("there are {}", fmt::join(names, ", ")));
}

/// A profile without a name has its file's.
std::string name_from(const std::string& file) {
    std::string name = fs::path(file).stem().string();
    for (char& c : name)
        if (!is_name({&c, 1})) c = '-';
    return is_name(name) ? name : "profile";
}

/// The same for every way to write the path of a file; never the name of a shipped profile.
std::string identity_of(const std::string& file) {
    std::error_code failed;
    const fs::path path = fs::weakly_canonical(fs::absolute(file, failed), failed);
    return failed ? "./" + file : path.string();
}

/// To the MPI library, under its own name: with '-' where a profile has '_'.
void hand_on(const Setting& setting, Parameters& parameters) {
    std::string name(setting.key->name);
    std::ranges::replace(name, '_', '-');
    auto& all = parameters.mpi_settings;
    const auto same = std::ranges::find(all, name, &std::pair<std::string, std::string>::first);
    if (same != all.end())
        same->second = plain(setting.literal);
    else
        all.emplace_back(std::move(name), plain(setting.literal));
}

/// Follows `extends` down to the profile that has none, and builds up from there.
class Loader {
  public:
    explicit Loader(const ReadFile& read) : read_(read) {}

    Profile load(std::string_view text, const std::string& file, std::string identity) {
        const Draft draft = read_draft(text, file);
        chain_.push_back(std::move(identity));
        files_.push_back(file);
        Profile profile = draft.extends ? base(draft) : Profile{};
        profile.files.insert(profile.files.begin(), file);
        profile.parameters.name = name_from(file);
        if (!draft.extends) profile.parameters.description = "profile " + file;
        for (const Draft::Entry& entry : draft.entries) {
            entry.setting.key->set(profile.parameters, entry.value);
            profile.settings.insert_or_assign(entry.setting.key->path(), entry.setting);
            if (entry.setting.key->part == mpi_part) hand_on(entry.setting, profile.parameters);
        }
        check(draft, profile);
        return profile;
    }

  private:
    [[noreturn]] static void refuse(const Draft& draft, const std::string& what) {
        throw UsageError(complaint(draft.file, draft.extends->place, "extends", what));
    }

    Profile base(const Draft& draft) {
        const std::string& name = draft.extends->name;
        if (!is_path(name)) {
            const Shipped* shipped = find_shipped(name);
            if (shipped == nullptr) refuse(draft, no_such_profile(name));
            return next(draft, shipped->text, shipped_file(name), name);
        }
        const std::string file = (fs::path(draft.file).parent_path() / name).string();
        const auto text = read_(file);
        if (!text) refuse(draft, fmt::format("there is no file '{}'", file));
        return next(draft, *text, file, identity_of(file));
    }

    Profile next(const Draft& draft, std::string_view text, const std::string& file,
                 std::string identity) {
        if (std::ranges::find(chain_, identity) != chain_.end())
            refuse(draft,
                   fmt::format("it goes in a circle: {} -> {}", fmt::join(files_, " -> "), file));
        return load(text, file, std::move(identity));
    }

    static void check(const Draft& draft, const Profile& profile) {
        std::string missing;
        for (const Key& key : keys()) {
            if (!key.required || profile.settings.contains(key.path())) continue;
            const auto table = draft.tables.find(key.part);
            missing +=
                (missing.empty() ? "" : "\n") +
                complaint(draft.file, table != draft.tables.end() ? table->second : TextPosition{},
                          key.path(),
                          fmt::format("it is missing: expected {} ({})", to_string(key.allowed),
                                      key.explanation));
        }
        if (!missing.empty()) throw UsageError(missing);
    }

    const ReadFile& read_;
    std::vector<std::string> chain_;  ///< whom each extends, by identity ...
    std::vector<std::string> files_;  ///< ... and for people
};

std::optional<std::string> read_regular_file(const std::string& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::nullopt;
    // A device or a pipe may have no end.
    if (!fs::is_regular_file(path, ignored))
        throw UsageError(fmt::format("{}: a profile is a plain file, and this is none", path));
    std::ifstream in(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in) throw UsageError(fmt::format("{}: it cannot be read", path));
    return text;
}

}  // namespace

bool is_path(std::string_view name) {
    return name.find('/') != name.npos || name.ends_with(".toml");
}

Profile parse_profile(std::string_view text, const std::string& path, const ReadFile& read) {
    return Loader(read).load(text, path, identity_of(path));
}

Profile shipped_profile(std::string_view name) {
    const Shipped* shipped = find_shipped(name);
    if (shipped == nullptr) throw UsageError(no_such_profile(name));
    return Loader(read_regular_file).load(shipped->text, shipped_file(name), std::string(name));
}

Profile load_profile(const std::string& path) {
    const auto text = read_regular_file(path);
    if (!text)
        throw UsageError(
            fmt::format("{}: there is no such file; a fabric's name with '/' or "
                        "'.toml' in it is the path of a profile",
                        path));
    return parse_profile(*text, path, read_regular_file);
}

std::set<std::string> fitted_records(const Profile& profile) {
    std::set<std::string> records;
    for (const auto& [path, setting] : profile.settings)
        if (setting.source.evidence == fabric::Evidence::fitted)
            records.insert(setting.source.records.begin(), setting.source.records.end());
    return records;
}

}  // namespace railyard::model
