#include "launch/job/fabric_between.hpp"

#include "interconnects/registry_entry.hpp"
#include "launch/job/real_rank.hpp"

namespace railyard::job {

std::string_view fabric_between_nodes(const Rank& rank) {
    // Only a real job is on several hosts; models join their nodes themselves.
    const auto* real = dynamic_cast<const RealRank*>(&rank);
    if (real == nullptr || real->plan().fabric_between == nullptr) return {};
    return real->plan().fabric_between->name();
}

}  // namespace railyard::job
