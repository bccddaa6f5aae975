#include "launch/job/fabrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "interconnects/registry.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

const interconnects::Entry& find_real_entry(std::string_view name) {
    if (const auto* entry = interconnects::find_real(name)) return *entry;
    std::string names;
    for (const auto& entry : interconnects::real_fabrics())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name());
    throw UsageError(
        fmt::format("there is no fabric '{}' that moves bytes; there are: {}", name, names));
}

std::string FabricPair::text() const {
    std::string name(inside->name());
    return between == nullptr ? name : name + "+" + std::string(between->name());
}

FabricPair FabricPair::parse(std::string_view text) {
    const auto plus = text.find('+');
    FabricPair pair{.inside = &find_real_entry(text.substr(0, plus))};
    if (plus != std::string_view::npos) pair.between = &find_real_entry(text.substr(plus + 1));
    return pair;
}

FabricPair FabricPair::for_hosts(std::string_view inside) {
    FabricPair pair{.inside = &find_real_entry(inside)};
    if (pair.inside->traits.crosses_nodes) return pair;
    for (const interconnects::Entry& entry : interconnects::real_fabrics()) {
        if (!entry.traits.crosses_nodes) continue;
        if (entry.finds_hardware && entry.finds_hardware()) {
            pair.between = &entry;
            break;
        }
        if (!entry.finds_hardware && pair.between == nullptr) pair.between = &entry;
    }
    return pair;
}

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

std::uint64_t FabricSet::receiver_not_ready() const {
    std::uint64_t all = 0;
    for (const auto& [name, fabric] : fabrics_)
        all += fabric->receiver_not_ready();
    return all;
}

}  // namespace railyard::job
