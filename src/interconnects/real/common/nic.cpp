#include "interconnects/real/common/nic.hpp"

#include <utility>

#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::real {

namespace {

using OpenNic =
    std::function<std::unique_ptr<fabric::Nic>(hosts::RealHost&, const fabric::Traits&)>;

class Fabric final : public fabric::Fabric, public fabric::Adapter {
  public:
    Fabric(fabric::Traits traits, OpenNic open_nic)
        : traits_(std::move(traits)), open_nic_(std::move(open_nic)) {}

    const fabric::Traits& traits() const override { return traits_; }
    fabric::Adapter& adapter(fabric::NodeId) override { return *this; }
    std::unique_ptr<fabric::Nic> open(fabric::Host& host) override {
        auto* const real = dynamic_cast<hosts::RealHost*>(&host);
        if (real == nullptr)
            throw UsageError(fmt::format(
                "{} runs in real time; this rank stands on a virtual clock", traits_.name));
        return open_nic_(*real, traits_);
    }

  private:
    fabric::Traits traits_;
    OpenNic open_nic_;
};

}  // namespace

std::unique_ptr<fabric::Fabric> make_fabric(fabric::Traits traits, OpenNic open_nic) {
    return std::make_unique<Fabric>(std::move(traits), std::move(open_nic));
}

}  // namespace railyard::real
