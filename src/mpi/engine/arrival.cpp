// Packets in: what a peer has sent is matched, delivered, or kept until somebody asks for it.

#include <algorithm>
#include <cstring>

#include "base/copy_few.hpp"
#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/communicator.hpp"

namespace railyard::mpi {

namespace {

// Packets of one peer that are taken before the next is looked at.
constexpr int fair_share = 16;

/// The bytes that follow that packet, unasked.
std::size_t followers_of(const Header& header, std::span<const std::byte> payload) {
    if (header.kind != PacketKind::offer) return 0;
    Offer offer;
    std::memcpy(&offer, payload.data(), sizeof offer);
    return offer.whole ? sizeof offer + offer.total - payload.size() : 0;
}

}  // namespace

// The way of a small message comes first, from its end to its beginning, so that it can be compiled
// into one piece.

/// What the receiver's user is told of a message. Returns how many bytes fit.
std::uint64_t ChannelTransport::announce(Request& receive, const Header& header,
                                         std::uint64_t total) {
    receive.result.source = header.source;
    receive.result.tag = header.tag;
    receive.result.cancelled = false;
    receive.result.error = total > receive.bytes ? ErrorClass::truncate : ErrorClass::success;
    const std::uint64_t fits = std::min<std::uint64_t>(total, receive.bytes);
    receive.result.bytes = fits;
    return fits;
}

void ChannelTransport::finish_eager(Request& receive, const Header& header, Payload payload) {
    ground_.toll.receive();
    const std::uint64_t n = announce(receive, header, payload.size());
    if (receive.type == nullptr) [[likely]]
        copy_bytes(receive.data, payload.data(), n);
    else
        receive.write_data(0, payload.data(), n);
    ground_.toll.copy(n);
    ground_.complete(receive);
}

void ChannelTransport::on_message(Channel& channel, const Header& header, Payload payload) {
    Request* receive = matcher_->arrive({header.context, header.source, header.tag});
    ground_.toll.search(*matcher_);
    if (receive == nullptr) return keep(&channel, header, payload, nullptr);
    if (header.kind == PacketKind::eager) [[likely]]
        return finish_eager(*receive, header, payload);
    accept(*receive, channel, header, payload);
}

void ChannelTransport::on_packet(Channel& channel, const Header& header, const std::byte* payload) {
    const Payload bytes(payload, header.length);
    switch (header.kind) {
        case PacketKind::eager:
        case PacketKind::offer:
            return on_message(channel, header, bytes);
        case PacketKind::piece:
            return on_piece(header, payload);
        case PacketKind::follower:
            return on_follower(channel, bytes);
        case PacketKind::acceptance:
            return on_acceptance(channel, bytes);
        case PacketKind::fetched:
            return ground_.complete(ground_.requests.at(header.context));
        case PacketKind::placed: {
            Request& receive = ground_.requests.at(header.context);
            receive.placed = true;
            receive.parts += header.tag;
            return on_placed(receive);
        }
        case PacketKind::hold_eager:
            channel.must_offer = true;
            return;
        case PacketKind::free_eager:
            channel.must_offer = false;
            return;
        case PacketKind::credit:
            return;
    }
}

bool ChannelTransport::drain_ring(Channel& channel) {
    const Cell* cell = channel.in.front();
    if (cell == nullptr) [[likely]]
        return false;
    for (int n = 0; cell != nullptr && n < fair_share; ++n) {
        const Header header = cell->header;
        if (n > 0) channel.in.expect_more();
        if (channel.out.carries_credits()) [[unlikely]]
            channel.out.credit(header.freed);
        on_packet(channel, header, channel.in.payload(*cell));
        if (channel.in.pop(header.length)) channel.return_credits();
        cell = channel.in.front();
    }
    hot_stamp_ = channel.in.next_stamp();
    hot_value_ = channel.in.next_value();
    return true;
}

void ChannelTransport::look() {
    if (!bursts_.empty()) [[unlikely]]
        end_bursts();
    for (Channel* channel : connector_.watched())
        drain_ring(*channel);
    if (moved_by_calls_) routes_.for_each([this](Route& route) { take_completions(route); });
    if (!busy_.empty()) advance_busy();
}

void ChannelTransport::copy_from_self(Request& receive, Request& send) {
    const Header header{
        .context = send.envelope.context, .source = send.envelope.source, .tag = send.envelope.tag};
    const std::uint64_t n = announce(receive, header, send.bytes);
    if (send.type == nullptr) {
        // A rank may send to itself from where it receives.
        if (receive.type == nullptr) {
            if (n != 0) std::memmove(receive.data, send.data, n);
        } else {
            receive.write_data(0, send.data, n);
        }
    } else {
        const auto packed = std::make_unique_for_overwrite<std::byte[]>(n);
        send.read_data(0, packed.get(), n);
        receive.write_data(0, packed.get(), n);
    }
    ground_.toll.copy(n);
    ground_.complete(send);
    ground_.complete(receive);
}

void ChannelTransport::keep(Channel* channel, const Header& header, Payload payload,
                            Request* own_send) {
    const std::size_t follow = followers_of(header, payload);
    Unexpected& message = store_.take(header, payload, payload.size() + follow);
    message.channel = channel;
    message.own_send = own_send;
    ground_.toll.copy(payload.size());
    matcher_->keep(message);
    Counters& counters = ground_.counters;
    ++counters.unexpected;
    counters.unexpected_longest = std::max(counters.unexpected_longest, ++counters.unexpected_now);
    if (channel == nullptr) return;
    if (follow > 0) channel->followed_message = &message;
    channel->held += payload.size();
    hold_if_much_waits(*channel);
}

void ChannelTransport::hold_if_much_waits(Channel& channel) {
    if (channel.told_to_hold || channel.held <= ground_.settings.unexpected_limit.count()) return;
    channel.told_to_hold = true;
    send_control(channel, {.kind = PacketKind::hold_eager}, {});
}

void ChannelTransport::release(Unexpected& message) {
    --ground_.counters.unexpected_now;
    if (Channel* channel = message.channel; channel != nullptr) {
        if (channel->followed_message == &message) channel->followed_message = nullptr;
        channel->held -= message.header.length;
        if (channel->told_to_hold &&
            channel->held <= ground_.settings.unexpected_limit.count() / 2) {
            channel->told_to_hold = false;
            send_control(*channel, {.kind = PacketKind::free_eager}, {});
        }
    }
    store_.give_back(message);
}

void ChannelTransport::start_receive(Request& receive) {
    ground_.toll.request();
    ground_.toll.start_receive();
    if (receive.envelope.source == any_source && ground_.settings.wildcard_connects)
        for (const int peer : receive.communicator->group().world_ranks())
            if (peer != ground_.rank.id()) connector_.open(peer);
    Unexpected* message = matcher_->post(receive);
    ground_.toll.search(*matcher_);
    if (message != nullptr) deliver(receive, *message);
}

void ChannelTransport::deliver(Request& receive, Unexpected& message) {
    const Payload payload(message.payload, message.header.length);
    if (message.own_send != nullptr)
        copy_from_self(receive, *message.own_send);
    else if (message.header.kind == PacketKind::eager)
        finish_eager(receive, message.header, payload);
    else
        accept(receive, *message.channel, message.header, payload);
    release(message);
}

std::size_t size_of(const Unexpected& message) {
    if (message.own_send != nullptr) return message.own_send->bytes;
    if (message.header.kind == PacketKind::eager) return message.header.length;
    Offer offer;
    std::memcpy(&offer, message.payload, sizeof offer);
    return offer.total;
}

}  // namespace railyard::mpi
