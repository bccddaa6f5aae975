#pragma once
/// All fabrics there are, by name. The only place that knows them all, and a list that one can
/// read.

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "fabric/datasheet.hpp"
#include "fabric/fabric.hpp"
#include "fabric/traits.hpp"

namespace railyard::sim {
class Engine;
}

namespace railyard::interconnects {

struct Entry {
    fabric::Traits traits;
    /// Exactly one of the two is set, as traits.clock says. They throw Error when they cannot.
    std::function<std::unique_ptr<fabric::Fabric>()> open_real;
    std::function<std::unique_ptr<fabric::Fabric>(sim::Engine&)> open_virtual;
    /// What a model is made of. Empty for all others.
    std::function<fabric::Datasheet()> datasheet;

    std::string_view name() const { return traits.name; }
    bool is_virtual() const { return traits.clock == fabric::Clock::virtual_time; }
};

/// In the order in which people should see them. The entries live as long as the program.
std::span<const Entry> registry();

/// Null if there is no such fabric. A name with '/' or ".toml" in it is the path of a profile: it
/// is read at first use, and from then on the fabric is found by path and by the profile's own
/// name. Throws UsageError, with file and line, if that profile is wrong or its name is taken.
const Entry* find(std::string_view name);

}  // namespace railyard::interconnects
