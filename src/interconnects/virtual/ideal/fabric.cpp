#include "interconnects/virtual/ideal/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ideal {

/// The timing of the ideal fabric: a message waits until its Nic's sending link is free, takes it
/// for size / bandwidth, and arrives one latency later. Acknowledgments neither wait nor take it.
class Wire final : public virtual_time::Wire {
  public:
    Wire(sim::Engine& engine, const Parameters& parameters)
        : engine_(engine), parameters_(parameters) {}

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override;
    virtual_time::TaggedRules tagged_rules() const override {
        return {.inline_limit = traits().max_inline, .eager_limit = traits().bulk_threshold};
    }

    std::vector<fabric::PartUse> parts() const override;

  private:
    struct SendLink {
        Time free_at;
        Duration busy;  ///< in all, so far
    };
    sim::Engine& engine_;
    Parameters parameters_;
    std::unordered_map<std::uint64_t, SendLink> send_links_;  ///< by node and Nic
};

void Wire::carry(const virtual_time::Transfer& transfer, sim::Action arrived) {
    Time leaves = engine_.now();
    if (transfer.kind != virtual_time::Kind::acknowledgment) {
        SendLink& out = send_links_[std::uint64_t{transfer.from.node} << 32 | transfer.from.nic];
        const Duration time = transfer.size / parameters_.bandwidth;
        leaves = std::max(leaves, out.free_at) + time;
        out.free_at = leaves;
        out.busy += time;
    }
    engine_.schedule_on(transfer.to.node, leaves + parameters_.latency, std::move(arrived));
}

std::vector<fabric::PartUse> Wire::parts() const {
    // The map's own order differs between machines.
    std::vector<std::pair<std::uint64_t, Duration>> busy;
    for (const auto& [end, out] : send_links_)
        if (out.busy > Duration{}) busy.emplace_back(end, out.busy);
    std::sort(busy.begin(), busy.end());
    std::vector<fabric::PartUse> all;
    for (const auto& [end, time] : busy)
        all.push_back({fabric::PartKind::link,
                       fmt::format("node {}, Nic {} out", end >> 32, end & 0xffff'ffff), time});
    return all;
}

const fabric::Traits& traits() {
    using namespace literals;
    static const fabric::Traits traits{
        .name = "ideal",
        .description = "fixed latency and bandwidth, nothing else, in virtual time",
        .clock = fabric::Clock::virtual_time,
        .placement = fabric::Placement::last_byte_last,
        .progress = fabric::Progress::hardware,
        .bulk = fabric::Bulk::write,
        .coherent_atomics = true,
        .connectionless = false,
        .crosses_nodes = true,
        .tagged = true,
        .adapter_memory = false,
        .maps_allocated = false,
        .ports = 1,
        .max_message = 1_GiB,
        .max_inline = 64_B,
        .max_slices = 16,
        .max_send_depth = 4096,
        .max_queue_pairs = 65'536,
        .bulk_threshold = 16_KiB,
    };
    return traits;
}

namespace {

std::unique_ptr<fabric::Fabric> open_as(const fabric::Traits& traits, sim::Engine& engine,
                                        const Parameters& parameters) {
    if (parameters.latency < Duration{}) throw UsageError("ideal: a latency below 0");
    if (parameters.bandwidth == Rate{}) throw UsageError("ideal: a bandwidth of 0 moves nothing");
    return std::make_unique<virtual_time::Fabric>(engine, traits,
                                                  std::make_unique<Wire>(engine, parameters));
}

using profiles::row;

constexpr std::array<profiles::Section, 1> sections{{{"ideal", "all that it has"}}};
constexpr std::array rows{
    row<&Parameters::latency>("ideal", "latency", "from the last byte's leaving to its arrival"),
    row<&Parameters::bandwidth>("ideal", "bandwidth", "of each Nic's way out; the way in is free")
        .from(1),
};
constexpr auto keys = profiles::keys_of(rows);

virtual_time::Described described(const profiles::Profile& profile) {
    Parameters parameters;
    profiles::fill<Parameters>(parameters, profile, rows);
    fabric::Traits own = traits();
    own.name = profile.name;
    own.description = profile.description;
    own.sections = profile.sections;
    return {.traits = own, .open = [own, parameters](sim::Engine& engine, fabric::NodeId) {
                return open_as(own, engine, parameters);
            }};
}

}  // namespace

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const Parameters& parameters) {
    return open_as(traits(), engine, parameters);
}

std::unique_ptr<fabric::Fabric> open_node_memory(sim::Engine& engine) {
    static const fabric::Traits own = [] {
        fabric::Traits made = traits();
        made.name = "node memory";
        made.description = "what ranks of one node share, in virtual time";
        // A receive may be served by it or by the network beside it, so neither matches.
        made.tagged = false;
        return made;
    }();
    constexpr double bytes_per_second = 11e9;
    return open_as(
        own, engine,
        {.latency = Duration::ns(200), .bandwidth = Rate::bytes_per_second(bytes_per_second)});
}

virtual_time::Engine engine() {
    return {{"ideal", "fixed latency and bandwidth, nothing else", {{sections, keys}}}, &described};
}

}  // namespace railyard::ideal
