#include "launch/agents/host_list.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace railyard::cluster {

Placement place_ranks(const std::vector<HostSlots>& hosts, int ranks) {
    Placement placement;
    while (static_cast<int>(placement.nodes.size()) < ranks)
        for (const HostSlots& host : hosts) {
            const int left = ranks - static_cast<int>(placement.nodes.size());
            if (left == 0) break;
            const auto known = std::ranges::find(placement.hosts, host.name);
            const auto node = static_cast<fabric::NodeId>(known - placement.hosts.begin());
            if (known == placement.hosts.end()) placement.hosts.push_back(host.name);
            placement.nodes.insert(placement.nodes.end(),
                                   static_cast<std::size_t>(std::min(host.slots, left)), node);
        }
    return placement;
}

std::vector<int> Placement::ranks_on(fabric::NodeId node) const {
    std::vector<int> found;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
        if (nodes[rank] == node) found.push_back(static_cast<int>(rank));
    return found;
}

bool is_here(const std::string& host) {
    std::array<char, 256> own{};
    return host == "localhost" ||
           (::gethostname(own.data(), own.size() - 1) == 0 && host == own.data());
}

}  // namespace railyard::cluster
