#include "mpi/engine/netmod.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <span>

namespace railyard::mpi {

namespace {

constexpr std::uint32_t completion_depth = 256;

RingGeometry geometry_for(const Settings& settings, const fabric::Traits& traits) {
    if (traits.maps_allocated)
        return {settings.ring_cells, static_cast<std::uint32_t>(settings.ring_bytes.count()), 0};
    return {settings.ring_cells, static_cast<std::uint32_t>(in_lines(settings.packet_limit())), 1};
}

/// What one connection needs where receives are its own, so that no packet ever comes without one:
/// a receive for each credit; for packets that only return credits, which take none, and of which
/// the peer sends one whenever it owes half of them; and one for the packet that is being looked
/// at, whose credit may have left already.
std::uint32_t own_buffers(const Settings& settings) {
    const std::uint32_t credits = settings.credits;
    return credits + credits / (credits / 2) + 1;
}

/// Nothing may come that finds no room: of a shared pool there are few, of own ones as many as
/// peers.
std::uint32_t completions_of(const Settings& settings, const fabric::Traits& traits, int ranks) {
    if (traits.shared_receives) return completion_depth;
    constexpr std::uint64_t most = 1 << 24;
    return static_cast<std::uint32_t>(
        std::min(most, completion_depth + std::uint64_t{2} * own_buffers(settings) *
                                              static_cast<std::uint64_t>(ranks)));
}

bool outsiders_can_connect(const fabric::Traits& traits) {
    return traits.clock == fabric::Clock::real && traits.crosses_nodes;
}

constexpr std::string_view token_key = "mpi.token";

/// By the first rank; outsiders do not see the bootstrap exchange.
void make_token(job::Rank& rank) {
    if (rank.id() != 0) return;
    Token token;
    std::random_device source;
    std::ranges::generate(token, std::ref(source));
    rank.bootstrap().put(token_key, std::as_bytes(std::span(token)));
}

}  // namespace

Netmod::Netmod(fabric::Nic& its_nic, const Settings& its_settings, Counters& counters, int ranks,
               std::string_view key)
    : nic(its_nic),
      settings(its_settings),
      completions(nic.create_completion_queue(completions_of(settings, nic.traits(), ranks))),
      eager(nic.traits().shared_receives
                ? std::make_unique<EagerBuffers>(nic, EagerBuffers::Sharing::shared,
                                                 settings.srq_buffers, settings.packet_limit(),
                                                 settings.coalescing)
                : nullptr),
      registrations(nic, settings.registration_cache, counters),
      geometry(geometry_for(settings, nic.traits())),
      longest_rdma(std::min(settings.bulk_segment, nic.traits().max_message).count()),
      address_key(key) {}

std::unique_ptr<EagerBuffers> Netmod::make_own_buffers() const {
    return std::make_unique<EagerBuffers>(nic, EagerBuffers::Sharing::own, own_buffers(settings),
                                          settings.packet_limit(), settings.coalescing);
}

const Token& Netmod::token() {
    if (asks_for_token != nullptr) [[unlikely]] {
        const auto bytes = asks_for_token->bootstrap().get(0, token_key);
        std::memcpy(token_.data(), bytes.data(), std::min(bytes.size(), sizeof token_));
        asks_for_token = nullptr;
    }
    return token_;
}

Netmods::Netmods(const EngineState& engine)
    : rank_(engine.rank),
      intra_node_(engine.rank.nic(), engine.settings, engine.counters, rank_.size(), address_key) {
    if (outsiders_can_connect(intra_node_.nic.traits())) {
        make_token(rank_);
        intra_node_.asks_for_token = &rank_;
    }
    const std::string_view fabric = rank_.fabric_between_nodes();
    if (fabric.empty()) return;
    inter_nic_ = rank_.open(fabric);
    inter_settings_ = common_settings(rank_, inter_nic_->traits());
    inter_node_.emplace(*inter_nic_, *inter_settings_, engine.counters, rank_.size(),
                        "mpi.address.between");
    if (intra_node_.asks_for_token == nullptr) make_token(rank_);
    inter_node_->asks_for_token = &rank_;
}

}  // namespace railyard::mpi
