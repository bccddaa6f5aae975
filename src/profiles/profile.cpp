#include "profiles/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/parse.hpp"
#include "profiles/profile_file.hpp"
#include "railyard/base/error.hpp"

namespace railyard::profiles {

namespace fs = std::filesystem;

namespace {

/// A kind of files that are part of the program.
struct Shelf {
    std::string_view of;  ///< "profile"
    std::string_view folder;
    std::span<const Shipped> texts;

    std::string file(std::string_view name) const {
        return fmt::format("{}/{}.toml", folder, name);
    }
    const Shipped* find(std::string_view name) const {
        const auto found = std::ranges::find(texts, name, &Shipped::name);
        return found != texts.end() ? &*found : nullptr;
    }
    std::string none(std::string_view name) const {
        std::vector<std::string> names;
        for (const Shipped& shipped : texts)
            names.emplace_back(shipped.name);
        return fmt::format(
            "there is no {} '{}'; {} (a file is named by a path with '/' or '.toml' in it)", of,
            name, advice(name, names));
    }
};

Shelf profile_shelf() {
    return {"profile", "profiles", shipped_texts()};
}
Shelf hosts_shelf() {
    return {"file of hosts", "profiles/hosts", shipped_hosts()};
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

/// Over what another file says in the same section.
void put_over(const fabric::Section& section, std::vector<fabric::Section>& all) {
    auto same = std::ranges::find(all, section.name, &fabric::Section::name);
    if (same == all.end()) same = all.insert(all.end(), {section.name, {}});
    for (const fabric::Section::Entry& entry : section.entries) {
        const auto old = std::ranges::find(same->entries, entry.key, &fabric::Section::Entry::key);
        if (old != same->entries.end())
            *old = entry;
        else
            same->entries.push_back(entry);
    }
}

/// Follows `extends` down to the profile that has none, and builds up from there.
class Loader {
  public:
    Loader(const Language& language, const ReadFile& read) : language_(language), read_(read) {}

    Profile load(std::string_view text, const std::string& file, std::string identity) {
        const ProfileFile own = read_file(language_, text, file);
        chain_.push_back(std::move(identity));
        files_.push_back(file);
        Profile profile = own.extends ? base(own) : Profile{};
        profile.language = &language_;
        profile.files.insert(profile.files.begin(), file);
        profile.name = name_from(file);
        if (!own.extends) profile.description = "profile " + file;
        if (own.engine != nullptr || profile.engine == nullptr)
            choose(own.engine != nullptr ? *own.engine : language_.engines().front(), profile);
        if (own.hosts) move_to_hosts(own, profile);
        for (const ProfileFile::Entry& entry : own.entries) {
            const Setting& setting = entry.setting;
            const std::string path = setting.key->path();
            profile.settings.insert_or_assign(path, setting);
            if (path == "name") profile.name = plain(setting.literal);
            if (path == "description") profile.description = plain(setting.literal);
        }
        for (const fabric::Section& section : own.sections)
            put_over(section, profile.sections);
        check(own, profile);
        return profile;
    }

  private:
    /// A file that another one names.
    struct Named {
        std::string text;
        std::string file;
        std::string identity;
    };

    [[noreturn]] static void refuse(const ProfileFile& own, const ProfileFile::Base& named,
                                    std::string_view key, const std::string& what) {
        throw UsageError(complaint(own.file, named.position, key, what));
    }

    Named find(const ProfileFile& own, const ProfileFile::Base& named, std::string_view key,
               const Shelf& shelf) const {
        const std::string& name = named.name;
        if (!is_path(name)) {
            const Shipped* shipped = shelf.find(name);
            if (shipped == nullptr) refuse(own, named, key, shelf.none(name));
            return {std::string(shipped->text), shelf.file(name), name};
        }
        const std::string file = (fs::path(own.file).parent_path() / name).string();
        auto text = read_(file);
        if (!text) refuse(own, named, key, fmt::format("there is no file '{}'", file));
        return {std::move(*text), file, identity_of(file)};
    }

    Profile base(const ProfileFile& own) {
        const Named next = find(own, *own.extends, "extends", profile_shelf());
        if (std::ranges::find(chain_, next.identity) != chain_.end())
            refuse(
                own, *own.extends, "extends",
                fmt::format("it goes in a circle: {} -> {}", fmt::join(files_, " -> "), next.file));
        return load(next.text, next.file, next.identity);
    }

    /// What the file of its hosts says comes before what it says itself, and in place of what the
    /// hosts of the one that it extends are like.
    void move_to_hosts(const ProfileFile& own, Profile& profile) const {
        const Named named = find(own, *own.hosts, "hosts", hosts_shelf());
        const ProfileFile hosts = read_file(language_, named.text, named.file);
        Complaints complaints;
        hosts.check_engine(language_, *profile.engine, complaints);
        if (hosts.extends || hosts.hosts || hosts.engine != nullptr || !hosts.sections.empty())
            complaints.add(hosts.file, {}, "hosts", "hosts have parts of hardware, and no more");
        complaints.throw_if_any();
        std::erase_if(profile.settings, [&](const auto& setting) {
            return !profile.hosts.empty() && setting.second.source.file == profile.hosts;
        });
        profile.hosts = named.file;
        for (const ProfileFile::Entry& entry : hosts.entries)
            profile.settings.insert_or_assign(entry.setting.key->path(), entry.setting);
    }

    /// What another engine was told is not for this one.
    void choose(const Engine& engine, Profile& profile) const {
        profile.engine = &engine;
        std::erase_if(profile.settings, [&](const auto& setting) {
            const Key& key = *setting.second.key;
            return !language_.is_common(key) && !engine.reads(key);
        });
    }

    void check(const ProfileFile& own, const Profile& profile) const {
        Complaints complaints;
        own.check_engine(language_, *profile.engine, complaints);
        complaints.throw_if_any();
        for (const Table& table : profile.engine->tables)
            for (const Key& key : table.keys) {
                if (!key.required || profile.find(key) != nullptr) continue;
                const auto begin = own.tables.find(key.section);
                complaints.add(own.file, begin != own.tables.end() ? begin->second : TextPosition{},
                               key.path(),
                               fmt::format("it is missing: expected {} ({})",
                                           to_string(key.allowed), key.explanation));
            }
        complaints.throw_if_any();
    }

    const Language& language_;
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

const Setting* Profile::find(const Key& key) const {
    const auto found = settings.find(key.path());
    return found != settings.end() ? &found->second : nullptr;
}

Profile parse_profile(const Language& language, std::string_view text, const std::string& path,
                      const ReadFile& read) {
    return Loader(language, read).load(text, path, identity_of(path));
}

Profile shipped_profile(const Language& language, std::string_view name) {
    const Shelf shelf = profile_shelf();
    const Shipped* shipped = shelf.find(name);
    if (shipped == nullptr) throw UsageError(shelf.none(name));
    return Loader(language, read_regular_file)
        .load(shipped->text, shelf.file(name), std::string(name));
}

Profile load_profile(const Language& language, const std::string& path) {
    const auto text = read_regular_file(path);
    if (!text)
        throw UsageError(
            fmt::format("{}: there is no such file; a fabric's name with '/' or "
                        "'.toml' in it is the path of a profile",
                        path));
    return parse_profile(language, *text, path, read_regular_file);
}

std::set<std::string> cited_records(const Profile& profile) {
    std::set<std::string> records;
    const auto add = [&](const fabric::Source& source) {
        records.insert(source.records.begin(), source.records.end());
    };
    for (const auto& [path, setting] : profile.settings)
        add(setting.source);
    for (const fabric::Section& section : profile.sections)
        for (const fabric::Section::Entry& entry : section.entries)
            add(entry.source);
    return records;
}

}  // namespace railyard::profiles
