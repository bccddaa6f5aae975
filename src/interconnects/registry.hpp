#pragma once
/// All fabrics there are, by name, and the engines that run profiles. The only place that knows
/// them all, and lists that one can read: registry_real.cpp has those that move bytes, apart, since
/// a program that runs on nothing else need not carry the models; registry.cpp the virtual ones;
/// engines.cpp the engines.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/datasheet.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "railyard/network.hpp"
#include "railyard/traits.hpp"

namespace railyard::sim {
class Engine;
}

namespace railyard::profiles {
class Language;
struct Profile;
}  // namespace railyard::profiles

namespace railyard::virtual_time {
struct Described;
struct Engine;
}  // namespace railyard::virtual_time

namespace railyard::interconnects {

/// A virtual fabric that faults will strike, and what they have done so far.
struct Faulty {
    std::function<std::unique_ptr<fabric::Fabric>(sim::Engine&)> open;
    std::shared_ptr<const fabric::FaultReport> report;
};

/// A line of the registry: what a fabric is like, and how to open it.
struct Entry {
    fabric::Traits traits;
    /// Exactly one of the two is set, as traits.clock says. They throw Error when they cannot. A
    /// virtual one is told how many nodes there will be.
    std::function<std::unique_ptr<fabric::Fabric>()> open_real;
    std::function<std::unique_ptr<fabric::Fabric>(sim::Engine&, fabric::NodeId nodes)> open_virtual;
    /// What a model is made of. Empty for all others.
    std::function<fabric::Datasheet()> datasheet;
    /// The same fabric with the faults of a script, for that many nodes. Throws UsageError if the
    /// script is wrong. Empty where faults are unknown: all but models.
    std::function<Faulty(const std::string& script, fabric::NodeId nodes)> with_faults{};
    /// What is better done once, before there are ranks: loading a library that takes its time, and
    /// setting variables that it reads. Mostly empty.
    std::function<void()> prepare{};
    /// Whether this host has hardware for it that is better than the network of every host. Empty
    /// where it needs none.
    std::function<bool()> finds_hardware{};
    /// What this host has for it, for people to read. Throws Error. Mostly empty.
    std::function<std::string()> survey{};

    std::string_view name() const { return traits.name; }
    bool is_virtual() const { return traits.clock == fabric::Clock::virtual_time; }
};

/// In the order in which people should see them. All entries live as long as the program.
std::span<const Entry> registry();

/// Null if there is no such fabric. A name with '/' or ".toml" in it is the path of a profile: it
/// is read at first use, and from then on the fabric is found by path and by the profile's own
/// name. Throws UsageError, with file and line, if that profile is wrong or its name is taken.
const Entry* find(std::string_view name);

/// In virtual time: what ranks of one node share beside a fabric, and nobody chooses by name.
std::unique_ptr<fabric::Fabric> open_node_memory(sim::Engine& engine);

/// Lists a further fabric, of whoever uses us as a library, for as long as the program runs. Throws
/// UsageError for a name that is taken, or that cannot be one.
void add(Entry entry);
/// Those, in the order of adding.
std::vector<const Entry*> added();
/// The line of a network in virtual time that is not ours; `make` is told the number of nodes.
Entry of_network(fabric::Traits traits,
                 std::function<std::unique_ptr<fabric::Network>(fabric::NodeId)> make);

/// The part of the registry that a rank of a real job needs.
std::span<const Entry> real_fabrics();
/// Null if there is no such fabric, or it runs in virtual time.
const Entry* find_real(std::string_view name);

/// What can run a profile. The first runs the profiles that name none.
std::span<const virtual_time::Engine> engines();
/// What profiles may say. Lives as long as the program.
const profiles::Language& language();
/// As the engine that it names reads it.
virtual_time::Described described(const profiles::Profile& profile);

}  // namespace railyard::interconnects
