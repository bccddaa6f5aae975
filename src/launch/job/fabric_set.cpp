#include "launch/job/fabric_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "railyard/base/error.hpp"

namespace railyard::job {

std::unique_ptr<fabric::Nic> FabricSet::open_nic(std::string_view name, fabric::NodeId node,
                                                 fabric::Host& host) {
    auto found = fabrics_.find(name);
    if (found == fabrics_.end()) {
        const interconnects::Entry& entry = find_(name);
        if (entry.is_virtual() != (engine_ != nullptr))
            throw UsageError(fmt::format(
                "fabric '{}' runs in {} time and this job in {} time: they cannot meet", name,
                entry.is_virtual() ? "virtual" : "real", engine_ != nullptr ? "virtual" : "real"));
        auto opened = engine_ != nullptr ? entry.open_virtual(*engine_, nodes_) : entry.open_real();
        found = fabrics_.emplace(name, std::move(opened)).first;
    }
    return found->second->adapter(node).open(host);
}

std::vector<fabric::PartUse> FabricSet::parts() const {
    std::vector<fabric::PartUse> all;
    for (const auto& [name, fabric] : fabrics_) {
        std::vector<fabric::PartUse> its = fabric->parts();
        std::move(its.begin(), its.end(), std::back_inserter(all));
    }
    return all;
}

}  // namespace railyard::job
