// mech.multiport on the models of liu04pcie's adapters, which have two ports: statements of
// docs/mechanisms.md, not figures.

#include <gtest/gtest.h>

#include <map>

#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

constexpr const char* pcie = "infiniband-pcie";
constexpr const char* pcix = "infiniband-pcix";

/// MB/s of messages of one size, by mode; with one port under "one port".
std::map<std::string, double> modes(const char* experiment, const char* fabric, Bytes size) {
    std::map<std::string, double> rates;
    for (const auto& row : measure(experiment, fabric, {.sizes = {size}})) {
        const bool one = integer(row, results::parameter::ports) == 1;
        rates[one ? "one port" : text(row, results::parameter::mode)] = row.value;
    }
    return rates;
}

TEST(PortsOfModels, MP1SmallMessagesUseOnePortEitherWay) {
    for (const char* fabric : {pcie, pcix}) {
        auto rates = modes("bandwidth-uni-two-port", fabric, Bytes(8192));
        EXPECT_DOUBLE_EQ(rates["striping"], rates["one port"]) << fabric;
    }
}

TEST(PortsOfModels, TwoPortsCarryMoreThanOneBehindAWideBus) {
    auto rates = modes("bandwidth-uni-two-port", pcie, Bytes(1 << 20));
    EXPECT_GT(rates["striping"], 1.4 * rates["one port"]);
}

TEST(PortsOfModels, MP6StripingGainsNothingBehindASaturatedBus) {
    auto rates = modes("bandwidth-uni-two-port", pcix, Bytes(1 << 20));
    EXPECT_LT(rates["striping"], rates["one port"]);
}

TEST(PortsOfModels, MP5OneProcessIsBetterStriped) {
    auto rates = modes("bandwidth-bi-two-port", pcie, Bytes(1 << 20));
    EXPECT_GT(rates["striping"], 1.1 * rates["binding"]);
}

TEST(PortsOfModels, MP5TwoProcessesAreBetterBound) {
    for (const char* experiment : {"bandwidth-uni-two-process", "bandwidth-bi-two-process"}) {
        auto rates = modes(experiment, pcie, Bytes(8192));
        // Both ways, windows of two processes may fall into step, and then gain less.
        EXPECT_GT(rates["binding"], 1.05 * rates["striping"])
            << experiment << ": striping leaves one port idle";
    }
    auto rates = modes("bandwidth-bi-two-process", pcie, Bytes(1 << 20));
    EXPECT_GT(rates["binding"], rates["striping"]);
}

TEST(PortsOfModels, TwoProcessesDoNotGetMoreOutOfOnePortThanItHas) {
    for (const char* fabric : {pcie, pcix}) {
        auto one = modes("bandwidth-uni-two-port", fabric, Bytes(256 << 10));
        auto two = modes("bandwidth-uni-two-process", fabric, Bytes(256 << 10));
        EXPECT_NEAR(two["one port"], one["one port"], 0.02 * one["one port"]) << fabric;
    }
}

TEST(PortsOfModels, MP4BoundDirectionsOfOneProcessDoNotShareAPort) {
    auto rates = modes("bandwidth-bi-two-port", pcie, Bytes(1 << 20));
    auto uni = modes("bandwidth-uni-two-port", pcie, Bytes(1 << 20));
    EXPECT_NEAR(rates["binding"], 2 * uni["one port"], 0.02 * rates["binding"]);
}

}  // namespace
}  // namespace railyard::experiments
