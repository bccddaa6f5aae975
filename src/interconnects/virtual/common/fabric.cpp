#include "interconnects/virtual/common/fabric.hpp"

#include <fmt/format.h>

#include "interconnects/virtual/common/nic.hpp"

namespace railyard::virtual_time {

std::unique_ptr<fabric::Nic> Adapter::open(fabric::Host& host) {
    auto* ours = dynamic_cast<hosts::VirtualHost*>(&host);
    if (!ours || &ours->engine() != &network_->engine)
        throw UsageError(
            fmt::format("{} runs in virtual time: open it on a VirtualHost of its engine",
                        network_->traits.name));
    return std::make_unique<Nic>(network_, node_, *ours);
}

fabric::Adapter& Fabric::adapter(fabric::NodeId node) {
    return adapters_.try_emplace(node, network_, node).first->second;
}

}  // namespace railyard::virtual_time
