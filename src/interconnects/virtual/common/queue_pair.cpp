#include "interconnects/virtual/common/queue_pair.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "interconnects/virtual/common/endpoint.hpp"

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
        throw Error(
            fmt::format("queue pair: {} lets a process have {} of them, and all are open; "
                        "close some, or raise connection.queue_pairs in a profile",
                        traits.name, traits.max_queue_pairs));
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

End end_of(const NicName& nic) {
    return {.node = nic.node, .nic = nic.nic};
}

/// Takes a settled ask out of the tables of the Nic it was waiting at.
void forget(NicState& nic, const std::shared_ptr<Ask>& ask) {
    if (ask->model == Ask::Model::client_server) {
        const auto listener = nic.listening.find(ask->what);
        if (listener != nic.listening.end()) std::erase(listener->second, ask);
        return;
    }
    if (const auto same = nic.asked.find({ask->from, ask->what}); same != nic.asked.end()) {
        std::erase(same->second, ask);
        if (same->second.empty()) nic.asked.erase(same);
    }
    // Mostly the oldest or none; the others are passed over when their turn comes.
    while (!nic.unseen.empty() && nic.unseen.front()->settled)
        nic.unseen.pop_front();
}

}  // namespace

QueuePair::QueuePair(std::shared_ptr<NicState> nic, const fabric::QueuePairOptions& options)
    : fabric::QueuePair(options.context),
      nic_(nic),
      endpoint_(std::make_shared<Endpoint>(make_setup(std::move(nic), options, this))) {
    own_receives(endpoint_);
    nic_->network->wire->opened(endpoint_->end());
    nic_->spend(HostStep::create_queue_pair);
}

QueuePair::~QueuePair() {
    const Endpoint::Setup setup = endpoint_->setup();
    if (ends_connection()) nic_->owe(HostStep::disconnect);
    nic_->owe(HostStep::destroy_queue_pair);
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
    if (ends_connection()) nic_->spend(HostStep::disconnect);
    Endpoint::Setup setup = endpoint_->setup();
    endpoint_->detach();
    endpoint_ = std::make_shared<Endpoint>(std::move(setup));
    ended_ = false;
    own_receives(endpoint_);
    return true;
}

void QueuePair::close() {
    nic_->settle();
    if (ends_connection()) nic_->spend(HostStep::disconnect);
    endpoint_->close();
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

Status Endpoint::ask(Ask::Model model, const NicName& to, std::uint64_t what,
                     const fabric::PrivateData& data, Time deadline) {
    NicState& nic = *setup_.nic;
    if (to.fabric != network().id) return Code::invalid;
    const PeerKey key{to, what};
    // Two that ask the same at once could be paired crosswise. On one and the same Nic it takes
    // two.
    if (model == Ask::Model::peer_to_peer && to != nic.name && nic.asking.contains(key))
        return Code::invalid;

    state_ = ConnectionState::connecting;
    ask_ = std::make_shared<Ask>();
    ask_->model = model;
    ask_->from = nic.name;
    ask_->to = to;
    ask_->what = what;
    ask_->data = std::make_unique<fabric::PrivateData>(data);
    ask_->endpoint = weak_from_this();
    hear_when_given_up();
    wire().carry(transfer(Kind::control, end_of(to)),
                 [shared = nic.network, ask = ask_] { asked(*shared, ask); });
    if (model == Ask::Model::peer_to_peer) {
        // If the peer asked first, our own ask is its answer.
        if (match_earlier_ask()) return {};
        nic.asking[key].push_back(weak_from_this());
    }
    connect_timer_ = engine().schedule(deadline, [self = shared_from_this()] {
        if (self->state_ == ConnectionState::connecting) self->fail(Code::timed_out, {});
    });
    return {};
}

bool Endpoint::match_earlier_ask() {
    const auto waiting = setup_.nic->asked.find({ask_->to, ask_->what});
    if (waiting == setup_.nic->asked.end()) return false;
    for (const std::shared_ptr<Ask>& theirs : waiting->second) {
        const Ref peer = theirs->endpoint.lock();
        if (!peer || peer.get() == this) continue;
        const std::shared_ptr<Ask> matched = theirs;
        matched->settled = true;
        matched->matched = weak_from_this();
        forget(*setup_.nic, matched);
        connected_to(peer, *matched->data);
        matched->data = nullptr;
        return true;
    }
    return false;
}

/// An ask has reached its Nic.
void Endpoint::asked(Network& network, const std::shared_ptr<Ask>& ask) {
    const std::shared_ptr<NicState> nic = network.find(ask->to);
    if (!nic) return reject(network, ask);
    if (ask->model == Ask::Model::client_server) {
        const auto listener = nic->listening.find(ask->what);
        if (listener == nic->listening.end()) return reject(network, ask);
        listener->second.push_back(ask);
        return nic->notify();
    }
    const Ref who = ask->endpoint.lock();
    const PeerKey key{ask->from, ask->what};
    if (const auto asking = nic->asking.find(key); asking != nic->asking.end()) {
        for (const std::weak_ptr<Endpoint>& waiting : asking->second) {
            const Ref peer = waiting.lock();
            if (!who || !peer || peer == who) continue;
            ask->settled = true;
            ask->matched = peer;
            peer->connected_to(who, *ask->data);
            ask->data = nullptr;
            return;
        }
    }
    nic->asked[key].push_back(ask);
    nic->unseen.push_back(ask);
    nic->notify();
}

Status Endpoint::accept(const std::shared_ptr<Ask>& ask, const fabric::PrivateData& data) {
    if (ask->to != setup_.nic->name) return Code::invalid;
    const Ref client = ask->endpoint.lock();
    if (ask->settled || !client) return Code::remote_closed;
    ask->settled = true;
    ask->matched = weak_from_this();
    hear_when_given_up();
    ask->reply = std::make_unique<fabric::PrivateData>(data);
    connected_to(client, *ask->data);
    ask->data = nullptr;
    wire().carry(transfer(Kind::control, client->end()),
                 [client, self = shared_from_this()] { client->accepted_by(self); });
    return {};
}

void Endpoint::accepted_by(const Ref& peer) {
    // If it has given up meanwhile, the peer hears of that.
    if (state_ != ConnectionState::connecting || ask_->matched.lock() != peer) return;
    connected_to(peer, *ask_->reply);
    ask_->reply = nullptr;
}

void Endpoint::reject(Network& network, const std::shared_ptr<Ask>& ask) {
    ask->settled = true;
    Transfer message;
    message.message = network.messages++;
    message.kind = Kind::control;
    message.from = end_of(ask->to);
    message.to = end_of(ask->from);
    network.wire->carry(message, [ask] {
        if (const Ref who = ask->endpoint.lock()) who->rejected(ask);
    });
}

void Endpoint::rejected(const std::shared_ptr<Ask>& ask) {
    if (state_ != ConnectionState::connecting || ask_ != ask) return;
    if (ask->reply) peer_data_ = *ask->reply;
    stop_asking();
    ask_ = nullptr;
    fail(Code::refused, {});
}

void Endpoint::connected_to(const Ref& peer, const fabric::PrivateData& data) {
    state_ = ConnectionState::connected;
    used_ = true;
    peer_ = peer;
    peer_data_ = data;
    engine().cancel(connect_timer_);
    stop_asking();
    setup_.nic->notify();
}

void Endpoint::stop_asking() {
    if (!ask_ || ask_->model != Ask::Model::peer_to_peer) return;
    auto& asking = setup_.nic->asking;
    const auto found = asking.find({ask_->to, ask_->what});
    if (found == asking.end()) return;
    std::erase_if(found->second, [this](const auto& waiting) {
        const Ref endpoint = waiting.lock();
        return !endpoint || endpoint.get() == this;
    });
    if (found->second.empty()) asking.erase(found);
}

void Endpoint::hear_when_given_up() {
    if (wire().can_break()) network().peer_loss.add(weak_from_this());
}

/// The end whose node has given up fails. The other one cannot know, but what it still waits for
/// will not come: its own retries would end the same.
void Endpoint::given_up(fabric::NodeId node, fabric::NodeId peer_node, bool by_this_node) {
    if (setup_.nic->name.node != node) return;
    if (state_ == ConnectionState::connecting && ask_ && ask_->to.node == peer_node)
        return fail(Code::timed_out, {});
    if (state_ != ConnectionState::connected || peer_->setup_.nic->name.node != peer_node) return;
    if (by_this_node || !sends_.empty()) fail(Code::timed_out, Code::timed_out);
}

/// This end is finished: the peer must know, and so must whoever still has, or has answered, our
/// ask.
void Endpoint::tell_gone(const Ref& peer) {
    if (!peer && !ask_) return;
    wire().carry(transfer(Kind::control, peer ? peer->end() : end_of(ask_->to)),
                 [self = shared_from_this(), peer] { gone(self, peer); });
}

void Endpoint::gone(const Ref& who, const Ref& peer) {
    if (peer) peer->peer_closed(who);
    const std::shared_ptr<Ask> ask = std::exchange(who->ask_, nullptr);
    if (!ask) return;
    if (const Ref matched = ask->matched.lock()) return matched->peer_closed(who);
    if (std::exchange(ask->settled, true)) return;
    if (const std::shared_ptr<NicState> nic = who->network().find(ask->to)) forget(*nic, ask);
}

ConnectionRequest::ConnectionRequest(std::shared_ptr<Network> network, std::shared_ptr<Ask> ask)
    : network_(std::move(network)),
      ask_(std::move(ask)),
      from_(ask_->from.address()),
      data_(*ask_->data) {}

ConnectionRequest::~ConnectionRequest() {
    reject({});
}

void ConnectionRequest::reject(const fabric::PrivateData& reason) {
    if (ask_->settled) return;
    ask_->reply = std::make_unique<fabric::PrivateData>(reason);
    Endpoint::reject(*network_, ask_);
}

Listener::Listener(std::shared_ptr<NicState> nic, fabric::Service service)
    : nic_(std::move(nic)), service_(service) {
    if (!nic_->listening.try_emplace(service).second)
        throw Error("listen: this Nic has a listener for that service already");
}

Listener::~Listener() {
    const auto found = nic_->listening.find(service_);
    const auto waiting = std::move(found->second);
    nic_->listening.erase(found);
    for (const std::shared_ptr<Ask>& ask : waiting)
        Endpoint::reject(*nic_->network, ask);
}

std::unique_ptr<fabric::ConnectionRequest> Listener::poll() {
    nic_->settle();
    auto& waiting = nic_->listening.at(service_);
    if (waiting.empty()) return nullptr;
    std::shared_ptr<Ask> ask = std::move(waiting.front());
    waiting.pop_front();
    return std::make_unique<ConnectionRequest>(nic_->network, std::move(ask));
}

}  // namespace railyard::virtual_time
