#pragma once
/// What the Nics of real fabrics have in common: what they make, with the checks of its arguments,
/// and the queue pairs that are being connected.
///
/// A fabric gives its classes in a struct `Parts`: Nic, QueuePair, PostedReceive (queues.hpp),
/// LocalRegion (made of a Nic, memory or a size, and rights) and ImportedRegion (of a Nic and a
/// blob). Its Nic adds
///
/// - guard(): what is held while the Nic is worked on; nothing where one thread does all
/// - progress_once(): make_progress(), under that guard
/// - wake_rule_changed(): a completion queue wakes for other arrivals than before
/// - connection_requests(): listen(service) and poll_peer_request(), under the guard
///
/// and attaches itself to its Host when it is complete.

#include <fmt/format.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hosts/real_host.hpp"
#include "interconnects/real/common/queues.hpp"
#include "railyard/base/error.hpp"
#include "railyard/fabric.hpp"
#include "railyard/nic.hpp"

namespace railyard::real {

template <class Parts>
class Nic : public fabric::Nic, public hosts::Source {
    using Self = typename Parts::Nic;

  public:
    fabric::Host& host() final { return host_; }
    const fabric::Traits& traits() const final { return traits_; }
    const fabric::Address& address() const final { return address_; }
    void progress() final { self().make_progress(); }

    std::unique_ptr<fabric::Region> register_memory(std::span<std::byte> memory,
                                                    fabric::Access access) final {
        return std::make_unique<typename Parts::LocalRegion>(self(), memory, access);
    }
    std::unique_ptr<fabric::Region> allocate(Bytes size, fabric::Access access,
                                             fabric::Home home) final {
        if (home == fabric::Home::adapter)
            throw Error(
                fmt::format("{}: there is no adapter with memory of its own; ask for Home::host",
                            traits_.name));
        return std::make_unique<typename Parts::LocalRegion>(self(), size, access);
    }
    std::unique_ptr<fabric::RemoteRegion> import_region(const fabric::RegionBlob& blob) final {
        return std::make_unique<typename Parts::ImportedRegion>(self(), blob);
    }
    std::unique_ptr<fabric::CompletionQueue> create_completion_queue(std::uint32_t depth) final {
        if (depth == 0) throw UsageError("a completion queue holds at least one completion");
        return std::make_unique<CompletionQueue<Parts>>(self(), depth);
    }
    std::unique_ptr<fabric::ReceiveQueue> create_receive_queue(
        std::uint32_t depth, fabric::ReceiveQueue::Sharing sharing) final {
        if (depth == 0) throw UsageError("a receive queue holds at least one receive");
        return std::make_unique<ReceiveQueue<Parts>>(self(), depth, sharing);
    }
    std::unique_ptr<fabric::QueuePair> create_queue_pair(
        const fabric::QueuePairOptions& options) final {
        return std::make_unique<typename Parts::QueuePair>(self(), options);
    }
    std::unique_ptr<fabric::Listener> listen(fabric::Service service) final {
        [[maybe_unused]] const auto held = self().guard();
        return self().connection_requests().listen(service);
    }
    std::optional<fabric::PeerRequest> poll_peer_request() final {
        [[maybe_unused]] const auto held = self().guard();
        self().progress_once();
        return self().connection_requests().poll_peer_request();
    }

    // For the queue pairs that are being connected.

    void set_connecting(typename Parts::QueuePair& queue_pair) {
        connecting_.push_back(&queue_pair);
    }
    void forget_connecting(typename Parts::QueuePair& queue_pair) {
        std::erase(connecting_, &queue_pair);
    }
    const std::vector<typename Parts::QueuePair*>& connecting() const { return connecting_; }

  protected:
    Nic(hosts::RealHost& host, const fabric::Traits& traits) : host_(host), traits_(traits) {}

    hosts::RealHost& host_;
    const fabric::Traits& traits_;
    fabric::Address address_;
    std::vector<typename Parts::QueuePair*> connecting_;

  private:
    Self& self() { return static_cast<Self&>(*this); }
};

/// A guard where a Nic serves one thread and needs none.
struct NoGuard {};

/// A real fabric as its registry line opens it. It has one adapter for all nodes, since a rank of a
/// real job is where it is, whatever nodes the job pretends to have. `open_nic`: opens a Nic on a
/// rank's Host. The Traits live as long as the fabric.
std::unique_ptr<fabric::Fabric> make_fabric(
    fabric::Traits traits,
    std::function<std::unique_ptr<fabric::Nic>(hosts::RealHost&, const fabric::Traits&)> open_nic);

}  // namespace railyard::real
