#include "interconnects/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "faults/script.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "interconnects/virtual/ideal/fabric.hpp"
#include "interconnects/virtual/own/fabric.hpp"
#include "profiles/profile.hpp"
#include "profiles/schema.hpp"
#include "railyard/base/error.hpp"
#include "sim/engine.hpp"

namespace railyard::interconnects {

namespace {

Faulty with_faults(const std::shared_ptr<const virtual_time::Described>& described,
                   const std::string& path, fabric::NodeId nodes) {
    const auto report = std::make_shared<fabric::FaultReport>();
    return {[described, script = faults::load_script(path, described->layout(nodes)), nodes,
             report](sim::Engine& engine) {
                return described->open_with_faults(engine, nodes, script, report);
            },
            report};
}

Entry modelled(profiles::Profile profile) {
    const auto kept = std::make_shared<const virtual_time::Described>(described(profile));
    Entry entry{kept->traits, nullptr, kept->open,
                [shown = std::move(profile)] { return profiles::datasheet(shown); }};
    if (kept->open_with_faults)
        entry.with_faults = [kept](const std::string& script, fabric::NodeId nodes) {
            return with_faults(kept, script, nodes);
        };
    return entry;
}

Entry ideal_entry() {
    return {ideal::traits(), nullptr,
            [](sim::Engine& engine, fabric::NodeId) { return ideal::open(engine); }, nullptr};
}

/// What is part of the program. An entry is made when it is first asked for: most runs are on one
/// fabric, and reading a profile takes its time.
class Shipped {
  public:
    Shipped() {
        for (const Entry& entry : real_fabrics())
            lines_.push_back({entry.traits.name, [&entry] { return entry; }});
        // To add a virtual fabric, add its line. A model needs none: it is a file in profiles/.
        lines_.push_back({"ideal", ideal_entry});
        for (const profiles::Shipped& shipped : profiles::shipped_texts())
            lines_.push_back({std::string(shipped.name), [name = shipped.name] {
                                  return modelled(profiles::shipped_profile(language(), name));
                              }});
        entries_.resize(lines_.size());
    }

    const Entry* named(std::string_view name) {
        const auto found = std::ranges::find(lines_, name, &Line::name);
        if (found == lines_.end()) return nullptr;
        const std::lock_guard lock(mutex_);
        return &make(static_cast<std::size_t>(found - lines_.begin()));
    }

    std::span<const Entry> all() {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < lines_.size(); ++i)
            make(i);
        return entries_;
    }

    bool has(std::string_view name) const {
        return std::ranges::find(lines_, name, &Line::name) != lines_.end();
    }

  private:
    struct Line {
        std::string name;
        std::function<Entry()> make;
        bool made = false;
    };

    Entry& make(std::size_t line) {
        if (!lines_[line].made) entries_[line] = lines_[line].make();
        lines_[line].made = true;
        return entries_[line];
    }

    std::mutex mutex_;  ///< guards entries_ and Line::made
    std::vector<Line> lines_;
    std::vector<Entry> entries_;  ///< which stay where they are
};

Shipped& shipped() {
    static Shipped shipped;
    return shipped;
}

/// The users' own: profiles that were asked for so far, and fabrics that were added.
class Loaded {
  public:
    void add(Entry entry) {
        const std::lock_guard lock(mutex_);
        const std::string_view name = entry.name();
        if (name.empty() || profiles::is_path(name) || name.find_first_of("+, ") != name.npos)
            throw UsageError(
                fmt::format("'{}' cannot be the name of a fabric: it has at least one character, "
                            "and none of '/', '+', ',' and ' '",
                            name));
        check_name("a fabric of the program's own", name);
        added_.push_back(&entries_.emplace_back(std::move(entry)));
    }
    std::vector<const Entry*> added() {
        const std::lock_guard lock(mutex_);
        return added_;
    }

    const Entry* named(std::string_view name) {
        const std::lock_guard lock(mutex_);
        return find(name);
    }

    const Entry* at(const std::string& path) {
        const std::lock_guard lock(mutex_);
        std::error_code failed;
        const auto canonical = std::filesystem::weakly_canonical(path, failed);
        const std::string key = failed ? path : canonical.string();
        if (const auto found = by_path_.find(key); found != by_path_.end()) return found->second;
        Entry entry = modelled(profiles::load_profile(language(), path));
        check_name(path, entry.name());
        entries_.push_back(std::move(entry));
        return by_path_[key] = &entries_.back();
    }

  private:
    /// Rows and tables tell fabrics apart by name alone.
    void check_name(const std::string& path, std::string_view name) const {
        const bool taken_by_ours = shipped().has(name);
        if (!taken_by_ours && find(name) == nullptr) return;
        throw UsageError(fmt::format(
            "{}: the name '{}' is taken by {}; give it another with a "
            "line such as name = \"my-{}\"",
            path, name, taken_by_ours ? "a fabric of Railyard's own" : "another profile or fabric",
            name));
    }

    const Entry* find(std::string_view name) const {
        const auto found = std::ranges::find(entries_, name, &Entry::name);
        return found != entries_.end() ? &*found : nullptr;
    }

    std::mutex mutex_;
    std::deque<Entry> entries_;  ///< which stay where they are
    std::map<std::string, const Entry*> by_path_;
    std::vector<const Entry*> added_;
};

Loaded& loaded() {
    static Loaded loaded;
    return loaded;
}

}  // namespace

std::span<const Entry> registry() {
    return shipped().all();
}

const Entry* find(std::string_view name) {
    if (profiles::is_path(name)) return loaded().at(std::string(name));
    if (const Entry* entry = shipped().named(name)) return entry;
    if (const Entry* entry = find_real(name)) return entry;
    return loaded().named(name);
}

void add(Entry entry) {
    loaded().add(std::move(entry));
}

std::vector<const Entry*> added() {
    return loaded().added();
}

Entry of_network(fabric::Traits traits,
                 std::function<std::unique_ptr<fabric::Network>(fabric::NodeId)> make) {
    const fabric::Traits whole = own::completed(std::move(traits));
    return {whole, nullptr,
            [whole, make = std::move(make)](sim::Engine& engine, fabric::NodeId nodes) {
                return own::open(engine, whole, make(nodes));
            },
            nullptr};
}

std::unique_ptr<fabric::Fabric> open_node_memory(sim::Engine& engine) {
    return ideal::open_node_memory(engine);
}

}  // namespace railyard::interconnects
