#include "mpi/engine/channel_transport.hpp"

#include <fmt/format.h>

#include "mpi/engine/netmod.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

std::unique_ptr<Matcher> make_matcher(Matching matching) {
    return matching == Matching::list ? make_list_matcher() : make_hashed_matcher();
}

Status status_of(const Unexpected& message) {
    return {.source = message.header.source,
            .tag = message.header.tag,
            .error = ErrorClass::success,
            .cancelled = false,
            .bytes = size_of(message)};
}

}  // namespace

ChannelTransport::ChannelTransport(const EngineState& engine)
    : engine_(engine),
      netmods_(engine),
      matcher_(make_matcher(engine.settings.matching)),
      receives_connect_(engine.settings.connections == Connections::on_demand &&
                        (engine.settings.receive_connects || engine.settings.wildcard_connects)),
      connector_(engine, netmods_) {
    completion_driven_ = engine.settings.coalescing && engine.settings.watched_rings == 0;
    connect_at_start();
}

void ChannelTransport::connect_at_start() {
    if (engine_.settings.connections != Connections::on_demand) connector_.expect_room_for_all();
    switch (engine_.settings.connections) {
        case Connections::on_demand:
            return;
        case Connections::static_peer:
            for (int peer = 0; peer < engine_.rank.size(); ++peer)
                if (peer != engine_.rank.id()) connector_.open(peer);
            engine_.host.wait_until([this] {
                do
                    progress();
                while (has_left_);
                return !connector_.is_connecting();
            });
            return;
        case Connections::static_client_server:
            connector_.connect_all_as_client_and_server();
            for (const auto& channel : connector_.channels())
                if (owes_credits(*channel)) set_busy(*channel);
            return;
    }
}

void ChannelTransport::progress() {
    has_left_ = false;
    poll();
    if (!completion_driven_)
        netmods_.for_each([this](Netmod& netmod) { take_completions(netmod); });
    connector_.advance([this](Channel& channel) {
        // Its ring was not looked at above, and the peer may have written there long ago.
        has_left_ = true;
        if (!channel.is_idle() || owes_credits(channel)) set_busy(channel);
        start_waiting_rdma(channel);
    });
    if (!busy_.empty()) advance_busy();
    if (!closing_.empty() || connector_.is_full()) [[unlikely]]
        advance_closing();
}

void ChannelTransport::take_completions(Netmod& netmod) {
    for (;;) {
        const std::size_t n = netmod.completions->poll(batch_);
        for (std::size_t i = 0; i < n; ++i)
            on_completion(batch_[i]);
        if (n < batch_.size()) return;
    }
}

void ChannelTransport::on_completion(const fabric::Completion& completion) {
    auto& channel = *static_cast<Channel*>(completion.queue_pair->context());
    EagerBuffers& eager = *channel.buffers;
    const auto which = static_cast<std::uint32_t>(completion.id);
    const auto kind = static_cast<CompletionKind>(completion.id >> 32);
    if (kind == CompletionKind::sent) --channel.sends_under_way;
    if (!completion.status.ok() || channel.lost) [[unlikely]] {
        if (kind == CompletionKind::sent) eager.sent(which);  // its buffer is free again
        if (channel.lost || channel.is_over()) return;
        throw_lost(channel, completion.status);
    }
    switch (kind) {
        case CompletionKind::unsignalled:
            return;
        case CompletionKind::sent:
            if (const auto request = eager.sent(which))
                engine_.complete(engine_.requests.at(*request));
            return;
        case CompletionKind::rdma:
            return on_rdma_done(engine_.requests.at(which));
        case CompletionKind::received:
            connector_.used(channel);
            break;
    }
    if (completion.has_immediate) {
        eager.repost(which);
        Request& receive = engine_.requests.at(completion.immediate);
        --receive.stripes;
        return finish_if_written(receive);
    }
    std::size_t at = 0;
    for (bool first = true;; first = false) {
        const auto packet = eager.next_packet(which, completion.length.count(), at);
        if (!packet) break;
        if (first) count_credits(channel, packet->header);
        on_packet(channel, packet->header, packet->payload);
    }
    eager.repost(which);
}

void ChannelTransport::count_credits(Channel& channel, const Header& header) {
    channel.credits += header.freed;
    // A packet that only returns credits needs none itself.
    if (header.kind == PacketKind::credit) return;
    ++channel.owed_credits;
    channel.used_sends = true;
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

bool ChannelTransport::is_connected(int peer) {
    const Channel* const channel = connector_.find(peer);
    return channel != nullptr && channel->state == ChannelState::connected;
}

bool ChannelTransport::access_now(fabric::Op op, const fabric::RemoteSlice& remote,
                                  std::span<std::byte> local, int peer) {
    Channel* const channel = connector_.find(peer);
    if (channel == nullptr || channel->rails.empty()) return false;
    connector_.used(*channel);
    fabric::QueuePair& queue_pair = *channel->rails[0];
    const railyard::Status status = op == fabric::Op::rdma_write
                                        ? queue_pair.write_now(remote, local)
                                        : queue_pair.read_now(local, remote);
    return status.ok();
}

bool ChannelTransport::is_drained() const {
    if (!busy_.empty() || !bursts_.empty()) return false;
    // A connection that nothing waits for may stay unmade: the peer may be at its end already.
    for (const auto& channel : connector_.channels()) {
        if (channel->buffers != nullptr && !channel->buffers->has_sent_all()) return false;
        if (!channel->lost && !channel->is_idle()) return false;
    }
    return true;
}

void ChannelTransport::fail_requests(Channel& channel) {
    channel.lost = true;
    while (!channel.backlog.empty())
        channel.backlog.pop_front();
    while (!channel.streams.empty())
        channel.streams.pop_front();
    while (!channel.rdma_waiting.empty())
        channel.rdma_waiting.pop_front();
    channel.segmented_receive = nullptr;
    channel.bulk.forget();
    engine_.requests.for_each_pending([&](Request& request) {
        const bool is_send = request.kind == Request::Kind::send;
        if (is_send ? request.peer != channel.peer : request.channel != &channel) return;
        std::erase(complete_at_flush_, &request);
        request.result.error = ErrorClass::other;
        request.result.bytes = 0;
        engine_.complete(request);
    });
}

void ChannelTransport::throw_lost(Channel& channel, railyard::Status status) {
    if (!channel.lost) fail_requests(channel);
    // What was flushed tells less than why it was.
    for (const auto& rail : channel.rails)
        if (rail && rail->reason().code() == Code::timed_out)
            throw PeerLost(
                fmt::format("cannot reach rank {}: its adapter does not answer", channel.peer));
    throw PeerLost(fmt::format("lost the connection to rank {}: {}", channel.peer, status.name()));
}

std::optional<Status> ChannelTransport::probe(const Envelope& wanted, Communicator& comm) {
    if (receives_connect_) connect_to_source(wanted.source, comm);
    const Unexpected* found = matcher_->find(wanted);
    engine_.overhead.search(*matcher_);
    if (found == nullptr) return std::nullopt;
    return status_of(*found);
}

bool ChannelTransport::matched_probe(const Envelope& wanted, Communicator& comm, Message& message) {
    if (receives_connect_) connect_to_source(wanted.source, comm);
    Unexpected* found = matcher_->find(wanted);
    engine_.overhead.search(*matcher_);
    if (found == nullptr) return false;
    matcher_->withdraw(*found);
    message.unexpected = found;
    message.status = status_of(*found);
    return true;
}

void ChannelTransport::start_receive(Request& receive, Message& message) {
    deliver(receive, *message.unexpected);
}

std::unique_ptr<Transport> make_channel_transport(const EngineState& engine) {
    return std::make_unique<ChannelTransport>(engine);
}

}  // namespace railyard::mpi
