#include "launch/job/find_entry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "base/suggest.hpp"
#include "interconnects/registry.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

const interconnects::Entry& find_entry(std::string_view name) {
    if (const auto* entry = interconnects::find(name)) return *entry;
    std::vector<std::string> names;
    for (const auto& entry : interconnects::registry())
        names.emplace_back(entry.name());
    if (const auto guess = nearest(name, names))
        throw UsageError(fmt::format("there is no fabric '{}'; did you mean '{}'?", name, *guess));
    throw UsageError(
        fmt::format("there is no fabric '{}'; there are: {}", name, fmt::join(names, ", ")));
}

}  // namespace railyard::job
