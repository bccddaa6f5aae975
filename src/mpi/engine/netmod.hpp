#pragma once
/// A network module (MPICH's netmod): one Nic of the rank, and what all channels over it share. A
/// rank has one for all peers; or, where its fabric ends at the node, one for the ranks of its own
/// node and one for all others. Which, is decided once a channel.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "mpi/engine/eager_buffers.hpp"
#include "mpi/engine/registration_cache.hpp"
#include "mpi/engine/ring.hpp"
#include "mpi/engine/settings.hpp"
#include "mpi/engine/transport.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

/// What a completion is about: the upper half of its id. The lower half is a buffer or a request.
enum class CompletionKind : std::uint32_t {
    received = 1,
    sent = 2,
    rdma = 3,
    unsignalled = 4,  ///< a send that completes only if it fails
};
constexpr std::uint64_t completion_id(CompletionKind kind, std::uint32_t which) {
    return static_cast<std::uint64_t>(kind) << 32 | which;
}

/// Posts, and waits for room while the send queue is full: it empties by itself. Throws nothing;
/// any other refusal is returned. What `work` points to stays the caller's.
inline railyard::Status post_blocking(fabric::Nic& nic, fabric::QueuePair& queue_pair,
                                      const fabric::WorkRequest& work) {
    for (;;) {
        const railyard::Status status = queue_pair.post(work);
        if (!status.again()) [[likely]]
            return status;
        const auto ticket = nic.host().prepare_wait();
        nic.progress();
        const railyard::Status second = queue_pair.post(work);
        if (!second.again()) {
            nic.host().cancel_wait();
            return second;
        }
        nic.host().wait(ticket, Time::never(), fabric::Wait::spin_then_sleep);
    }
}

/// By which ranks of one job know each other where outsiders can connect, too.
using Token = std::array<std::uint32_t, 4>;

struct Netmod {
    Netmod(fabric::Nic& its_nic, const Settings& its_settings, Counters& counters, int ranks,
           std::string_view key);

    /// A pool for one connection, where receives cannot be shared.
    std::unique_ptr<EagerBuffers> make_own_buffers() const;

    fabric::Nic& nic;
    const Settings& settings;  ///< as they suit this fabric
    std::unique_ptr<fabric::CompletionQueue> completions;
    std::unique_ptr<EagerBuffers> eager;  ///< all channels'; null: each has its own
    RegistrationCache registrations;
    RingGeometry geometry;
    const std::uint64_t longest_rdma;  ///< what one operation carries
    std::uint32_t rings = 0;           ///< proposed or in use
    std::uint32_t queue_pairs = 0;     ///< open
    /// Under which its Nic's address is found.
    const std::string_view address_key;
    /// Zero where outsiders cannot connect. Asked for at first contact.
    const Token& token();

    job::Rank* asks_for_token = nullptr;  ///< null: it needs none, or has it

  private:
    Token token_{};
};

class Netmods {
  public:
    explicit Netmods(const EngineState& engine);

    Netmod& to(int peer) {
        return inter_node_ && rank_.node_of(peer) != rank_.node() ? *inter_node_ : intra_node_;
    }
    template <class Do>
    void for_each(Do&& each) {
        each(intra_node_);
        if (inter_node_) [[unlikely]]
            each(*inter_node_);
    }
    template <class Do>
    void for_each(Do&& each) const {
        each(intra_node_);
        if (inter_node_) each(*inter_node_);
    }

  private:
    job::Rank& rank_;
    Netmod intra_node_;
    // In this order: a netmod goes before its Nic.
    std::unique_ptr<fabric::Nic> inter_nic_;
    std::shared_ptr<const Settings> inter_settings_;
    std::optional<Netmod> inter_node_;
};

}  // namespace railyard::mpi
