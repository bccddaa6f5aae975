#include "launch/job/own_fabrics.hpp"

#include <utility>

#include "interconnects/registry.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

void add_network(fabric::Traits traits,
                 std::function<std::unique_ptr<fabric::Network>(fabric::NodeId nodes)> make) {
    if (!make) throw UsageError("network '" + traits.name + "': there is nothing that makes it");
    interconnects::add(interconnects::of_network(std::move(traits), std::move(make)));
}

void add_fabric(const fabric::Traits& traits,
                std::function<std::unique_ptr<fabric::Fabric>()> open) {
    if (!open) throw UsageError("fabric '" + traits.name + "': there is nothing that opens it");
    if (traits.clock != fabric::Clock::real)
        throw UsageError("fabric '" + traits.name +
                         "': one in virtual time is a network, to be added by add_network()");
    interconnects::add({traits, std::move(open), nullptr, nullptr});
}

std::vector<fabric::Traits> added_fabrics() {
    std::vector<fabric::Traits> all;
    for (const interconnects::Entry* entry : interconnects::added())
        all.push_back(entry->traits);
    return all;
}

}  // namespace railyard::job
