#pragma once
/// A line of the registry: what a fabric is like, and how to open it.

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

}  // namespace railyard::interconnects
