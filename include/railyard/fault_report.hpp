#pragma once
/// What scripted faults did to a modelled interconnect, and what it took to get over them.

#include <cstdint>
#include <string>
#include <vector>

namespace railyard::fabric {

struct FaultReport {
    struct Fault {
        std::string what;           ///< "link, node 3, link 0, from 1 ms for 200 us"
        std::uint64_t packets = 0;  ///< that it took, acknowledgments included
    };
    std::vector<Fault> faults;  ///< all of the script, in its order

    std::uint64_t lost = 0;             ///< packets that a fault took ...
    std::uint64_t acknowledgments = 0;  ///< ... and acknowledgments
    std::uint64_t out_of_order = 0;     ///< packets that came behind a lost one, and were dropped
    std::uint64_t duplicates = 0;       ///< packets that had come before, and were dropped
    std::uint64_t retransmitted = 0;    ///< packets that were sent again
    std::uint64_t timeouts = 0;         ///< an acknowledgment did not come in time
    std::uint64_t rerouted = 0;         ///< a node took another way to a peer
    std::uint64_t unreachable = 0;      ///< a node gave a peer up

    /// How many of the script took anything.
    std::uint64_t struck() const {
        std::uint64_t n = 0;
        for (const Fault& fault : faults)
            n += fault.packets > 0 ? 1 : 0;
        return n;
    }
};

}  // namespace railyard::fabric
