#include "mpi/engine/channel_transport.hpp"

#include <fmt/format.h>

#include "mpi/engine/communicator.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

std::unique_ptr<Matcher> make_matcher(Matching matching) {
    return matching == Matching::list ? make_list_matcher() : make_hashed_matcher();
}

}  // namespace

ChannelTransport::ChannelTransport(const Ground& ground)
    : ground_(ground),
      routes_(ground),
      matcher_(make_matcher(ground.settings.matching)),
      connector_(ground, routes_) {
    moved_by_calls_ = ground.settings.gather && ground.settings.watched_rings == 0;
    connect_at_start();
}

void ChannelTransport::connect_at_start() {
    switch (ground_.settings.connections) {
        case Connections::on_demand:
            return;
        case Connections::static_peer:
            for (int peer = 0; peer < ground_.rank.size(); ++peer)
                if (peer != ground_.rank.id()) connector_.open(peer);
            ground_.host.wait_until([this] {
                progress();
                return !connector_.is_connecting();
            });
            return;
        case Connections::static_client_server:
            connector_.connect_all_as_client_and_server();
            return;
    }
}

void ChannelTransport::progress() {
    look();
    if (!moved_by_calls_) routes_.for_each([this](Route& route) { take_completions(route); });
    connector_.advance([this](Channel& channel) {
        if (!channel.backlog.empty()) set_busy(channel);
    });
    if (!busy_.empty()) advance_busy();
}

void ChannelTransport::take_completions(Route& route) {
    for (;;) {
        const std::size_t n = route.completions->poll(batch_);
        for (std::size_t i = 0; i < n; ++i)
            on_completion(batch_[i]);
        if (n < batch_.size()) return;
    }
}

void ChannelTransport::on_completion(const fabric::Completion& completion) {
    auto& channel = *static_cast<Channel*>(completion.queue_pair->context());
    if (!completion.status.ok()) lost(channel, completion.status);
    PostOffice& office = channel.route.office;
    const auto which = static_cast<std::uint32_t>(completion.id);
    switch (static_cast<Job>(completion.id >> 32)) {
        case Job::mail_sent:
            if (const auto request = office.sent(which))
                ground_.complete(ground_.requests.at(*request));
            return;
        case Job::moved:
            return on_moved(ground_.requests.at(which));
        case Job::mail_came:
            break;
    }
    if (completion.has_immediate) {
        office.emptied(which);
        Request& receive = ground_.requests.at(completion.immediate);
        --receive.parts;
        return on_placed(receive);
    }
    std::size_t at = 0;
    for (bool first = true;; first = false) {
        const auto packet = office.next_packet(which, completion.length.count(), at);
        if (!packet) break;
        if (first) count_credits(channel, packet->header);
        on_packet(channel, packet->header, packet->payload);
    }
    office.emptied(which);
}

void ChannelTransport::count_credits(Channel& channel, const Header& header) {
    channel.mail_credits += header.freed;
    // A packet that only returns credits needs none itself.
    if (header.kind == PacketKind::credit) return;
    ++channel.mail_freed;
    channel.has_mailed = true;
    if (owes_credits(channel)) set_busy(channel);
}

void ChannelTransport::set_busy(Channel& channel) {
    if (std::exchange(channel.is_busy, true)) return;
    busy_.push_back(&channel);
}

void ChannelTransport::advance_busy() {
    for (std::size_t i = 0; i < busy_.size();) {
        Channel& channel = *busy_[i];
        if (!advance(channel)) {
            ++i;
            continue;
        }
        channel.is_busy = false;
        busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

std::uint64_t ChannelTransport::used_connections() const {
    std::uint64_t used = 0;
    for (const auto& channel : connector_.channels())
        used += channel->was_used() ? 1 : 0;
    return used;
}

bool ChannelTransport::is_drained() const {
    if (!busy_.empty() || !bursts_.empty()) return false;
    bool mailed = true;
    routes_.for_each([&](const Route& route) { mailed = mailed && route.office.has_sent_all(); });
    if (!mailed) return false;
    // A connection that nothing waits for may stay unmade: the peer may be at its end already.
    for (const auto& channel : connector_.channels())
        if (!channel->backlog.empty() || channel->moving != 0) return false;
    return true;
}

void ChannelTransport::lost(const Channel& channel, railyard::Status status) {
    // What was flushed tells less than why it was.
    for (const auto& rail : channel.rails)
        if (rail && rail->reason().code() == Code::timed_out)
            throw PeerLost(
                fmt::format("cannot reach rank {}: its adapter does not answer", channel.peer));
    throw PeerLost(fmt::format("lost the connection to rank {}: {}", channel.peer, status.name()));
}

bool ChannelTransport::cancel(Request& receive) {
    return matcher_->withdraw(receive);
}

std::optional<Status> ChannelTransport::probe(const Envelope& wanted, Communicator&) {
    const Unexpected* message = matcher_->find(wanted);
    ground_.toll.search(*matcher_);
    if (message == nullptr) return std::nullopt;
    Status status;
    status.source = message->header.source;
    status.tag = message->header.tag;
    status.bytes = size_of(*message);
    return status;
}

bool ChannelTransport::take(const Envelope& wanted, Communicator&, Message& message) {
    Unexpected* found = matcher_->find(wanted);
    ground_.toll.search(*matcher_);
    if (found == nullptr) return false;
    matcher_->withdraw(*found);
    message.unexpected = found;
    message.status.source = found->header.source;
    message.status.tag = found->header.tag;
    message.status.bytes = size_of(*found);
    return true;
}

void ChannelTransport::start_receive(Request& receive, Message& message) {
    deliver(receive, *message.unexpected);
}

std::unique_ptr<Transport> make_channel_transport(const Ground& ground) {
    return std::make_unique<ChannelTransport>(ground);
}

}  // namespace railyard::mpi
