#pragma once
/// A Nic of the module as the rest of the program sees it: what the module says went wrong is
/// thrown here. Queues and regions are the module's own, so nothing stands on a message's way.

#include <memory>
#include <optional>
#include <utility>

#include "interconnects/real/ofi/loader/module.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

[[noreturn]] void throw_failure(const Failure& failure);

/// Likewise its tagged port.
class LoadedTaggedPort final : public fabric::TaggedPort {
  public:
    explicit LoadedTaggedPort(fabric::TaggedPort& port) : port_(port) {}

    Bytes taken_at_once() const override { return port_.taken_at_once(); }
    fabric::TaggedPeer peer(const fabric::Address& address) override {
        const fabric::TaggedPeer peer = port_.peer(address);
        if (peer == fabric::any_peer)
            throw Error(
                "ofi: that is no address of the provider that is used here; all ranks need the "
                "same: set RAILYARD_OFI_PROVIDER for all, or name it as ofi:PROVIDER");
        return peer;
    }
    Status send(const fabric::TaggedSend& request) override { return port_.send(request); }
    Status receive(const fabric::TaggedReceive& request) override { return port_.receive(request); }
    bool cancel(std::uint64_t receive_id) override { return port_.cancel(receive_id); }
    void cancel_send(std::uint64_t send_id) override { port_.cancel_send(send_id); }
    std::optional<fabric::TaggedCompletion> probe(fabric::TaggedPeer from, fabric::MatchBits bits,
                                                  fabric::MatchBits mask) override {
        return port_.probe(from, bits, mask);
    }
    std::size_t poll(std::span<fabric::TaggedCompletion> out) override { return port_.poll(out); }

  private:
    fabric::TaggedPort& port_;
};

class LoadedNic final : public fabric::Nic {
  public:
    LoadedNic(const Module& module, std::unique_ptr<fabric::Nic> nic)
        : module_(module), nic_(std::move(nic)) {
        if (nic_->tagged_port() != nullptr) tagged_port_.emplace(*nic_->tagged_port());
    }

    fabric::Host& host() override { return nic_->host(); }
    const fabric::Traits& traits() const override { return nic_->traits(); }
    const fabric::Address& address() const override { return nic_->address(); }
    void progress() override { nic_->progress(); }
    fabric::TaggedPort* tagged_port() override { return tagged_port_ ? &*tagged_port_ : nullptr; }
    std::optional<fabric::PeerRequest> poll_peer_request() override {
        return nic_->poll_peer_request();
    }

    std::unique_ptr<fabric::Region> register_memory(std::span<std::byte> memory,
                                                    fabric::Access access) override {
        return call(module_.register_memory, memory, access);
    }
    std::unique_ptr<fabric::Region> allocate(Bytes size, fabric::Access access,
                                             fabric::Home home) override {
        return call(module_.allocate, size, access, home);
    }
    std::unique_ptr<fabric::RemoteRegion> import_region(const fabric::RegionBlob& blob) override {
        return call(module_.import_region, blob);
    }
    std::unique_ptr<fabric::CompletionQueue> create_completion_queue(std::uint32_t depth) override {
        return call(module_.create_completion_queue, depth);
    }
    std::unique_ptr<fabric::ReceiveQueue> create_receive_queue(
        std::uint32_t depth, fabric::ReceiveQueue::Sharing sharing) override {
        return call(module_.create_receive_queue, depth, sharing);
    }
    std::unique_ptr<fabric::QueuePair> create_queue_pair(
        const fabric::QueuePairOptions& options) override {
        return call(module_.create_queue_pair, options);
    }
    std::unique_ptr<fabric::Listener> listen(fabric::Service service) override {
        return call(module_.listen, service);
    }

  private:
    template <class Made, class... Parameters, class... Arguments>
    Made call(Made (*function)(Parameters...), Arguments&&... arguments) {
        Failure failure;
        Made made = function(*nic_, std::forward<Arguments>(arguments)..., failure);
        if (made == nullptr) throw_failure(failure);
        return made;
    }

    const Module& module_;
    std::unique_ptr<fabric::Nic> nic_;
    std::optional<LoadedTaggedPort> tagged_port_;
};

}  // namespace railyard::ofi
