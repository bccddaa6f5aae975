#include "interconnects/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "interconnects/ideal/fabric.hpp"
#include "interconnects/model/fabric.hpp"
#include "interconnects/model/profile.hpp"
#include "interconnects/model/traits.hpp"
#include "interconnects/shm/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::interconnects {

namespace {

template <class Open>
Entry real(fabric::Traits traits, Open open) {
    return {std::move(traits), open, nullptr, nullptr};
}

template <class Open>
Entry simulated(fabric::Traits traits, Open open) {
    return {std::move(traits), nullptr, open, nullptr};
}

Entry modelled(model::Profile profile) {
    const auto kept = std::make_shared<const model::Profile>(std::move(profile));
    return {model::traits(kept->parameters), nullptr,
            [kept](sim::Engine& engine) { return model::open(engine, kept->parameters); },
            [kept] { return model::datasheet(*kept); }};
}

std::vector<Entry> all_entries() {
    // To add a fabric, add its line. A model needs none: it is a file in profiles/.
    std::vector<Entry> entries = {
        real(shm::traits(), shm::open),
        simulated(ideal::traits(), [](sim::Engine& engine) { return ideal::open(engine); }),
    };
    for (const model::Shipped& shipped : model::shipped_texts())
        entries.push_back(modelled(model::shipped_profile(shipped.name)));
    return entries;
}

const Entry* find_named(const auto& entries, std::string_view name) {
    const auto found = std::ranges::find(entries, name, &Entry::name);
    return found != entries.end() ? &*found : nullptr;
}

/// The users' own profiles: those that were asked for so far.
class Loaded {
  public:
    const Entry* named(std::string_view name) {
        const std::lock_guard lock(mutex_);
        return find_named(entries_, name);
    }

    const Entry* at(const std::string& path) {
        const std::lock_guard lock(mutex_);
        std::error_code failed;
        const auto canonical = std::filesystem::weakly_canonical(path, failed);
        const std::string key = failed ? path : canonical.string();
        if (const auto found = by_path_.find(key); found != by_path_.end()) return found->second;
        Entry entry = modelled(model::load_profile(path));
        check_name(path, entry.name());
        entries_.push_back(std::move(entry));
        return by_path_[key] = &entries_.back();
    }

  private:
    /// Rows and tables tell fabrics apart by name alone.
    void check_name(const std::string& path, std::string_view name) const {
        const bool shipped = find_named(registry(), name) != nullptr;
        if (!shipped && find_named(entries_, name) == nullptr) return;
        throw UsageError(fmt::format(
            "{}: the name '{}' is taken by {}; give it another with a "
            "line such as name = \"my-{}\"",
            path, name, shipped ? "a fabric of Railyard's own" : "another profile", name));
    }

    std::mutex mutex_;
    std::deque<Entry> entries_;  ///< which stay where they are
    std::map<std::string, const Entry*> by_path_;
};

Loaded& loaded() {
    static Loaded loaded;
    return loaded;
}

}  // namespace

std::span<const Entry> registry() {
    static const std::vector<Entry> entries = all_entries();
    return entries;
}

const Entry* find(std::string_view name) {
    if (model::is_path(name)) return loaded().at(std::string(name));
    if (const Entry* entry = find_named(registry(), name)) return entry;
    return loaded().named(name);
}

}  // namespace railyard::interconnects
