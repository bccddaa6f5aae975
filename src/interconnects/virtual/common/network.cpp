#include "interconnects/virtual/common/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "interconnects/virtual/common/endpoint.hpp"
#include "interconnects/virtual/common/tagged_port.hpp"
#include "railyard/base/error.hpp"

namespace railyard::virtual_time {

namespace {
// FNV-1a: short, and the same everywhere. Never 0, which is what an empty blob says.
std::uint32_t hash(std::string_view text) {
    std::uint32_t value = 2'166'136'261;
    for (const char c : text)
        value = (value ^ static_cast<unsigned char>(c)) * 16'777'619;
    return value | 1;
}
}  // namespace

Network::Network(sim::Engine& its_engine, const fabric::Traits& its_traits,
                 std::shared_ptr<Wire> its_wire)
    : engine(its_engine),
      traits(its_traits),
      wire(std::move(its_wire)),
      id(hash(traits.name)),
      requests(std::make_unique<RequestPool>()) {
    if (wire->can_break())
        wire->tell_when_given_up(
            [this](fabric::NodeId from, fabric::NodeId to) { peer_loss.give_up(from, to); });
}

Network::~Network() = default;

NicName Network::name_of(const fabric::Address& address) const {
    const NicName name = NicName::of(address);
    const auto node = nics.find(name.node);
    if (name.fabric != id || node == nics.end() || name.nic >= node->second.size())
        throw UsageError(fmt::format(
            "tagged port: the address is of no Nic on {}; give what Nic::address() of one says",
            traits.name));
    return name;
}

std::shared_ptr<NicState> Network::find(const NicName& nic_name) const {
    const auto node = nics.find(nic_name.node);
    if (nic_name.fabric != id || node == nics.end() || nic_name.nic >= node->second.size())
        return nullptr;
    std::shared_ptr<NicState> nic = node->second[nic_name.nic].lock();
    return nic && nic->host ? nic : nullptr;
}

std::optional<Extent> Network::find_extent(const RegionKey& key, Bytes offset, Bytes length) const {
    const auto piece = [&](Bytes size, fabric::Home home) -> std::optional<Extent> {
        if (offset > size || length > size - offset) return {};
        return Extent{key.id, offset, length, home, size};
    };
    // Where all memory is alike, what the key says of it is enough to go by.
    if (!traits.adapter_memory) return piece(key.size, fabric::Home::host);
    const std::shared_ptr<NicState> nic = find(key.nic);
    if (!nic) return {};
    const auto region = nic->regions.find(key.id);
    if (region == nic->regions.end()) return {};
    return piece(region->second->size, region->second->home);
}

Status NicState::check(const RegionKey& key, Bytes offset, Bytes length, fabric::Access access,
                       std::shared_ptr<RegionState>& region) const {
    if (key.nic != name || key.id == 0 || key.id >= next_region) return Code::bad_key;
    const auto found = regions.find(key.id);
    if (found == regions.end() || !found->second->usable_by_peers()) return Code::region_gone;
    const RegionState& state = *found->second;
    if (offset > state.size || length > state.size - offset) return Code::out_of_bounds;
    if (!fabric::allows(state.access, access)) return Code::no_right;
    region = found->second;
    return {};
}

void NicState::spend(HostStep step, Bytes size, std::size_t times) const {
    if (times == 0 || !host || !network->engine.current()) return;
    const Duration cost = network->wire->host_cost(step, size);
    if (cost > Duration{})
        host->compute(cost * static_cast<std::int64_t>(times));
    else
        host->settle();
}

void NicState::copy(Bytes size, Bytes waited, const std::byte* to, const std::byte* from) const {
    if (!host || !network->engine.current()) return;
    waited = std::min(size, waited);
    host->compute(host->copy_time(waited.count(), to, from));
    if (waited == size) return;
    const auto rest = [&](const std::byte* buffer) {
        return buffer != nullptr ? buffer + waited.count() : nullptr;
    };
    host->copy_time((size - waited).count(), rest(to), rest(from));
}

void NicState::touch(Bytes size, const std::byte* to, const std::byte* from) const {
    if (host && network->engine.current()) host->compute(host->memory_time(size.count(), to, from));
}

namespace {

template <class T, class Gone>
void add_to(std::vector<std::weak_ptr<T>>& all, std::size_t& limit, std::weak_ptr<T> one,
            Gone gone) {
    if (all.size() == limit) {
        std::erase_if(all, gone);
        limit = std::max<std::size_t>(64, 2 * all.size());
    }
    all.push_back(std::move(one));
}

}  // namespace

void PeerLossListeners::add(std::weak_ptr<Endpoint> endpoint) {
    add_to(endpoints_, endpoints_limit_, std::move(endpoint),
           [](const std::weak_ptr<Endpoint>& one) { return one.expired(); });
}

void PeerLossListeners::add(const std::shared_ptr<TaggedMessage>& message) {
    add_to(messages_, messages_limit_, std::weak_ptr(message),
           [](const std::weak_ptr<TaggedMessage>& one) {
               const std::shared_ptr<TaggedMessage> held = one.lock();
               return !held || held->told;
           });
}

void PeerLossListeners::give_up(fabric::NodeId from, fabric::NodeId to) {
    // Copies, of those that are there now: who hears of it may add others, which moves the lists.
    const std::vector<std::weak_ptr<Endpoint>> endpoints = endpoints_;
    for (const std::weak_ptr<Endpoint>& held : endpoints)
        if (const std::shared_ptr<Endpoint> one = held.lock()) {
            one->given_up(from, to, true);
            one->given_up(to, from, false);
        }
    const std::vector<std::weak_ptr<TaggedMessage>> messages = messages_;
    for (const std::weak_ptr<TaggedMessage>& one : messages)
        if (const std::shared_ptr<TaggedMessage> message = one.lock())
            TaggedPort::give_up(message, from, to);
}

}  // namespace railyard::virtual_time
