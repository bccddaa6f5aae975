#include "interconnects/quadrics/elite/network.hpp"

#include "interconnects/quadrics/elite/flit_network.hpp"
#include "interconnects/quadrics/elite/packet_network.hpp"

namespace railyard::elite {

std::unique_ptr<Network> make_network(sim::Engine& engine, const Parameters& parameters) {
    if (parameters.detail == Detail::flits)
        return std::make_unique<FlitNetwork>(engine, parameters);
    return std::make_unique<PacketNetwork>(engine, parameters);
}

}  // namespace railyard::elite
