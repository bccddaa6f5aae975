#pragma once
/// The hosts of a job, and which rank is on which.

#include <string>
#include <vector>

#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::cluster {

struct HostSlots {
    std::string name;
    int slots = 1;  ///< how many ranks it takes before it is the next one's turn

    friend bool operator==(const HostSlots&, const HostSlots&) = default;
};

struct HostOptions {
    std::vector<HostSlots> list{};  ///< empty: this host alone
    /// What starts a command on another host: these words, the host's name, and the command's.
    /// "fork": all hosts are this one.
    std::vector<std::string> launcher{"ssh"};
    /// The command that becomes the agent of a host (see agent.hpp); no word of it needs quotes.
    std::vector<std::string> agent{};
    std::string listen{};  ///< the address where agents call; empty: all, and any port
    Duration heartbeat = Duration::s(5);  ///< after how long a silent host is lost
};

/// The hosts that have ranks, and where each rank is, by its number in that list.
struct Placement {
    std::vector<std::string> hosts;
    std::vector<fabric::NodeId> nodes;  ///< one a rank

    std::vector<int> ranks_on(fabric::NodeId node) const;
};
/// Host by host as they are listed, and again from the first when all slots are taken. A host that
/// is named twice is one host.
Placement place_ranks(const std::vector<HostSlots>& hosts, int ranks);

/// Whether that is a name of this host.
bool is_here(const std::string& host);

}  // namespace railyard::cluster
