#include "interconnects/virtual/common/queue_pair.hpp"

#include <fmt/format.h>

namespace railyard::virtual_time {

using fabric::ConnectionState;

namespace {

/// The state behind a queue that the user names in the options of a queue pair of `nic`.
template <class Queue, class Given>
auto state_of(Given* given, const NicState& nic, const char* what) {
    const auto* queue = dynamic_cast<const Queue*>(given);
    if (!queue || &queue->state()->nic() != &nic)
        throw UsageError(fmt::format("queue pair: {} must be a queue of the same Nic", what));
    return queue->state();
}

Endpoint::Setup make_setup(std::shared_ptr<NicState> nic, const fabric::QueuePairOptions& options,
                           fabric::QueuePair* queue_pair) {
    const fabric::Traits& traits = nic->network->traits;
    if (options.send_depth == 0 || options.send_depth > traits.max_send_depth)
        throw UsageError(fmt::format("queue pair: send_depth {}: {} takes 1 to {}",
                                     options.send_depth, traits.name, traits.max_send_depth));
    if (options.port >= traits.ports)
        throw UsageError(
            fmt::format("queue pair: port {}: {} has {}", options.port, traits.name, traits.ports));
    if (nic->queue_pairs_open == traits.max_queue_pairs)
        throw Error(fmt::format("queue pair: {} has no more than {} a Nic", traits.name,
                                traits.max_queue_pairs));
    Endpoint::Setup setup;
    setup.send_completions =
        state_of<CompletionQueue>(options.send_completions, *nic, "send_completions");
    if (options.receives) {
        setup.receives = state_of<ReceiveQueue>(options.receives, *nic, "receives");
        setup.receive_completions =
            state_of<CompletionQueue>(options.receive_completions, *nic, "receive_completions");
        if (setup.receives->sharing == fabric::ReceiveQueue::Sharing::own &&
            !setup.receives->owner.expired())
            throw UsageError(
                "queue pair: the receive queue has a queue pair already; make it shared");
    }
    setup.number = nic->queue_pairs_made++;
    ++nic->queue_pairs_open;
    setup.queue_pair = queue_pair;
    setup.send_depth = options.send_depth;
    setup.port = options.port;
    setup.receiver_not_ready_timeout = options.receiver_not_ready_timeout;
    setup.nic = std::move(nic);
    return setup;
}

void own_receives(const std::shared_ptr<Endpoint>& endpoint) {
    const auto& receives = endpoint->setup().receives;
    if (receives && receives->sharing == fabric::ReceiveQueue::Sharing::own)
        receives->owner = endpoint;
}

}  // namespace

QueuePair::QueuePair(std::shared_ptr<NicState> nic, const fabric::QueuePairOptions& options)
    : fabric::QueuePair(options.context),
      nic_(nic),
      endpoint_(std::make_shared<Endpoint>(make_setup(std::move(nic), options, this))) {
    own_receives(endpoint_);
    nic_->network->wire->opened(endpoint_->end());
}

QueuePair::~QueuePair() {
    const Endpoint::Setup setup = endpoint_->setup();
    endpoint_->detach();
    setup.send_completions->discard(this);
    if (setup.receive_completions) setup.receive_completions->discard(this);
    if (setup.receives && setup.receives->sharing == fabric::ReceiveQueue::Sharing::own)
        setup.receives->owner.reset();
    --nic_->queue_pairs_open;
    nic_->network->wire->closed(endpoint_->end());
}

/// Ready to connect? What the last connection left under way stays with its own endpoint.
bool QueuePair::renew() {
    if (state() == ConnectionState::connecting || state() == ConnectionState::connected)
        return false;
    Endpoint::Setup setup = endpoint_->setup();
    endpoint_->detach();
    endpoint_ = std::make_shared<Endpoint>(std::move(setup));
    own_receives(endpoint_);
    return true;
}

Status QueuePair::connect(const fabric::Address& to, fabric::Service service,
                          const fabric::PrivateData& data, Time deadline) {
    if (!renew()) return Code::invalid;
    nic_->spend(HostStep::connect);
    return endpoint_->ask(Ask::Model::client_server, NicName::of(to), service, data, deadline);
}

Status QueuePair::accept(fabric::ConnectionRequest& request, const fabric::PrivateData& data) {
    auto* ours = dynamic_cast<ConnectionRequest*>(&request);
    if (!ours || ours->ask()->to != nic_->name || !renew()) return Code::invalid;
    nic_->spend(HostStep::connect);
    return endpoint_->accept(ours->ask(), data);
}

Status QueuePair::connect_peer(const fabric::Address& to, fabric::Discriminator discriminator,
                               const fabric::PrivateData& data, Time deadline) {
    if (!renew()) return Code::invalid;
    nic_->spend(HostStep::connect);
    return endpoint_->ask(Ask::Model::peer_to_peer, NicName::of(to), discriminator, data, deadline);
}

}  // namespace railyard::virtual_time
