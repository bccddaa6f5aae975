#include "job/fabric_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/error.hpp"
#include "base/suggest.hpp"

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

std::unique_ptr<fabric::Nic> FabricSet::open_nic(std::string_view name, fabric::NodeId node,
                                                 fabric::Host& host) {
    auto found = fabrics_.find(name);
    if (found == fabrics_.end()) {
        const interconnects::Entry& entry = find_entry(name);
        if (entry.is_virtual() != (engine_ != nullptr))
            throw UsageError(fmt::format(
                "fabric '{}' runs in {} time and this job in {} time: they cannot meet", name,
                entry.is_virtual() ? "virtual" : "real", engine_ != nullptr ? "virtual" : "real"));
        auto opened = engine_ != nullptr ? entry.open_virtual(*engine_) : entry.open_real();
        found = fabrics_.emplace(name, std::move(opened)).first;
    }
    return found->second->adapter(node).open(host);
}

}  // namespace railyard::job
