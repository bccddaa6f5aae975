#include "launch/job/fabric_pair.hpp"

#include "interconnects/registry_real.hpp"
#include "launch/job/find_entry.hpp"

namespace railyard::job {

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
    for (const interconnects::Entry& entry : interconnects::real_fabrics())
        if (entry.traits.crosses_nodes) {
            pair.between = &entry;
            break;
        }
    return pair;
}

}  // namespace railyard::job
