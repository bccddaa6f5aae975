#include "interconnects/virtual/own/fabric.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "interconnects/virtual/common/fabric.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::own {

namespace {

using virtual_time::HostStep;
using virtual_time::Kind;

fabric::NetworkMessage::Kind kind_of(Kind kind) {
    switch (kind) {
        case Kind::read_request:
        case Kind::atomic_request:
        case Kind::tagged_request:
        case Kind::tagged_pull:
            return fabric::NetworkMessage::Kind::request;
        case Kind::acknowledgment:
            return fabric::NetworkMessage::Kind::acknowledgment;
        case Kind::control:
            return fabric::NetworkMessage::Kind::control;
        default:
            return fabric::NetworkMessage::Kind::data;
    }
}

/// Nothing where the user is not asked.
std::optional<fabric::HostWork> work_of(HostStep step) {
    switch (step) {
        case HostStep::post_send:
        case HostStep::tagged_send:
            return fabric::HostWork::post_send;
        case HostStep::post_receive:
        case HostStep::tagged_receive:
            return fabric::HostWork::post_receive;
        case HostStep::poll_empty:
            return fabric::HostWork::poll_empty;
        case HostStep::reap_send:
        case HostStep::reap_receive:
        case HostStep::tagged_reap:
            return fabric::HostWork::reap;
        case HostStep::register_memory:
            return fabric::HostWork::register_memory;
        default:
            return std::nullopt;
    }
}

class Wire final : public virtual_time::Wire {
  public:
    Wire(sim::Engine& engine, const fabric::Traits& traits,
         std::unique_ptr<fabric::Network> network)
        : engine_(engine), network_(std::move(network)) {
        rules_.inline_limit = traits.max_inline;
        rules_.eager_limit = traits.bulk_threshold;
    }

    void carry(const virtual_time::Transfer& transfer, sim::Action arrived) override {
        const fabric::NetworkMessage message{.kind = kind_of(transfer.kind),
                                             .from = transfer.from.node,
                                             .to = transfer.to.node,
                                             .port = transfer.from.port,
                                             .size = transfer.size};
        // From node to node in order: more than a Wire has to promise, and what users expect.
        Time& last = last_[std::uint64_t{message.from} << 32 | message.to];
        last = std::max({network_->arrival(message, engine_.now()), engine_.now(), last});
        engine_.schedule_on(message.to, last, std::move(arrived));
    }
    virtual_time::TaggedRules tagged_rules() const override { return rules_; }
    Duration host_cost(HostStep step, Bytes size) const override {
        const auto work = work_of(step);
        return work ? std::max(network_->host_cost(*work, size), Duration()) : Duration();
    }

  private:
    sim::Engine& engine_;
    std::unique_ptr<fabric::Network> network_;
    virtual_time::TaggedRules rules_;
    std::unordered_map<std::uint64_t, Time> last_;  ///< arrival, by both nodes
};

}  // namespace

fabric::Traits completed(fabric::Traits traits) {
    using namespace literals;
    const auto unless_set = [](auto& value, auto otherwise) {
        if (value == std::remove_reference_t<decltype(value)>{}) value = otherwise;
    };
    traits.clock = fabric::Clock::virtual_time;
    traits.progress = fabric::Progress::hardware;
    traits.placement = fabric::Placement::last_byte_last;
    traits.coherent_atomics = true;
    traits.crosses_nodes = true;
    traits.tagged = true;
    traits.maps_allocated = false;
    traits.adapter_memory = false;
    traits.network_barrier = false;
    traits.network_broadcast = false;
    traits.waits_for_receives = true;
    unless_set(traits.max_message, 1_GiB);
    unless_set(traits.max_inline, 64_B);
    unless_set(traits.bulk_threshold, 16_KiB);
    unless_set(traits.max_send_depth, std::uint32_t{4096});
    unless_set(traits.max_queue_pairs, std::uint32_t{65'536});
    if (traits.max_slices <= 1) traits.max_slices = 16;
    return traits;
}

std::unique_ptr<fabric::Fabric> open(sim::Engine& engine, const fabric::Traits& traits,
                                     std::unique_ptr<fabric::Network> network) {
    if (network == nullptr)
        throw UsageError("network '" + traits.name + "': what makes it has given nothing");
    return std::make_unique<virtual_time::Fabric>(
        engine, traits, std::make_shared<Wire>(engine, traits, std::move(network)));
}

}  // namespace railyard::own
