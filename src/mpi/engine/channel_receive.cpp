// Packets in: a message is matched and delivered, or waits in the unexpected queue for its receive.

#include <algorithm>
#include <cstring>

#include "base/copy_few.hpp"
#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/communicator.hpp"

namespace railyard::mpi {

namespace {

// Packets of one peer that are handled before the next peer's turn.
constexpr int packets_in_a_row = 16;

/// Segmented eager: the bytes that follow that packet in segments.
std::size_t segment_bytes(const Header& header, std::span<const std::byte> payload) {
    if (header.kind != PacketKind::rts) return 0;
    Rts rts;
    std::memcpy(&rts, payload.data(), sizeof rts);
    return rts.eager ? sizeof rts + rts.total - payload.size() : 0;
}

}  // namespace

// What a small message needs comes first, callees before callers, so that it is inlined as a whole.

std::uint64_t ChannelTransport::set_result(Request& receive, const Header& header,
                                           std::uint64_t total) {
    receive.result.source = header.source;
    receive.result.tag = header.tag;
    receive.result.cancelled = false;
    receive.piggyback = message_piggyback(header);
    receive.result.error = total > receive.bytes ? ErrorClass::truncate : ErrorClass::success;
    const std::uint64_t fits = std::min<std::uint64_t>(total, receive.bytes);
    if (fits != total) [[unlikely]]
        receive.longer = total;
    receive.result.bytes = fits;
    return fits;
}

void ChannelTransport::finish_eager(Request& receive, const Header& header, Payload payload) {
    engine_.overhead.receive();
    const std::uint64_t n = set_result(receive, header, payload.size());
    if (engine_.stays(receive.content, payload.size())) [[unlikely]] {
        // Nothing has come but its length.
    } else if (receive.type == nullptr) [[likely]]
        copy_bytes(receive.data, payload.data(), n);
    else
        receive.write_data(0, payload.data(), n);
    engine_.overhead.copy_in(receive.users(0), n);
    engine_.complete(receive);
}

void ChannelTransport::on_message(Channel& channel, const Header& header, Payload payload) {
    Request* receive = matcher_->arrive({message_context(header), header.source, header.tag});
    engine_.overhead.search(*matcher_);
    if (receive == nullptr) return add_unexpected(&channel, header, payload, nullptr);
    if (header.kind == PacketKind::eager) [[likely]]
        return finish_eager(*receive, header, payload);
    on_rts(*receive, channel, header, payload);
}

void ChannelTransport::on_packet(Channel& channel, const Header& header, const std::byte* payload) {
    const Payload bytes(payload, header.length);
    if (header.kind == PacketKind::eager || header.kind == PacketKind::rts)
        return on_message(channel, header, bytes);
    if (channel.lost) [[unlikely]]
        return;  // the requests that others are about have ended
    switch (header.kind) {
        case PacketKind::eager:
        case PacketKind::rts:
            return;
        case PacketKind::segment:
            return on_segment(header, payload);
        case PacketKind::eager_segment:
            return on_eager_segment(channel, bytes);
        case PacketKind::cts:
            return on_cts(channel, header.advice, bytes);
        case PacketKind::read_fin:
            return on_read_fin(channel, header);
        case PacketKind::write_fin: {
            Request& receive = engine_.requests.at(header.context);
            receive.fin_received = true;
            receive.stripes += header.tag;
            return finish_if_written(receive);
        }
        case PacketKind::stop_eager:
            channel.eager_stopped = true;
            return;
        case PacketKind::resume_eager:
            channel.eager_stopped = false;
            return;
        case PacketKind::cancel:
            return on_cancel(channel, header);
        case PacketKind::cancel_answer:
            return on_cancel_answer(channel, header);
        case PacketKind::close:
            return on_close(channel);
        case PacketKind::close_answer:
            return on_close_answer(channel);
        case PacketKind::credit:
            return;
    }
}

void ChannelTransport::drain_ring(Channel& channel) {
    const Cell* cell = channel.in.front();
    if (cell == nullptr) [[likely]]
        return;
    connector_.used(channel);
    for (int n = 0; cell != nullptr && n < packets_in_a_row; ++n) {
        const Header header = cell->header;
        if (n > 0) channel.in.expect_more();
        if (channel.out.carries_credits()) [[unlikely]]
            channel.out.credit(header.freed);
        on_packet(channel, header, channel.in.payload(*cell));
        engine_.host.settle();
        if (channel.in.pop(header.length)) channel.return_credits();
        cell = channel.in.front();
    }
    hot_stamp_ = channel.in.next_stamp();
    hot_value_ = channel.in.next_value();
    if (cell != nullptr) has_left_ = true;
}

void ChannelTransport::poll() {
    engine_.host.settle();
    if (!bursts_.empty()) [[unlikely]]
        flush_bursts();
    for (Channel* channel : connector_.watched())
        drain_ring(*channel);
    if (completion_driven_) netmods_.for_each([this](Netmod& netmod) { take_completions(netmod); });
    if (!busy_.empty()) advance_busy();
}

void ChannelTransport::copy_from_self(Request& receive, Request& send) {
    const Header header{.context = context_and_piggyback(send.envelope),
                        .source = send.envelope.source,
                        .tag = send.envelope.tag};
    const std::uint64_t n = set_result(receive, header, send.bytes);
    if (engine_.leaves_content(send.content, send.bytes)) [[unlikely]] {
        // They are where they were.
    } else if (send.type == nullptr) {
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
    engine_.host.charge_copy(n, receive.users(0), send.users(0));
    engine_.complete(send);
    engine_.complete(receive);
}

void ChannelTransport::add_unexpected(Channel* channel, const Header& header, Payload payload,
                                      Request* own_send) {
    const std::size_t segments = segment_bytes(header, payload);
    Unexpected& message = unexpected_.take(header, payload, payload.size() + segments);
    message.channel = channel;
    message.own_send = own_send;
    engine_.overhead.copy(payload.size());
    matcher_->add_unexpected(message);
    Counters& counters = engine_.counters;
    ++counters.unexpected;
    counters.unexpected_longest = std::max(counters.unexpected_longest, ++counters.unexpected_now);
    if (channel == nullptr) return;
    if (segments > 0) channel->segmented_message = &message;
    channel->unexpected_bytes += payload.size();
    limit_unexpected(*channel);
}

void ChannelTransport::limit_unexpected(Channel& channel) {
    if (channel.told_to_stop ||
        channel.unexpected_bytes <= engine_.settings.unexpected_limit.count())
        return;
    channel.told_to_stop = true;
    send_control(channel, {.kind = PacketKind::stop_eager}, {});
}

void ChannelTransport::release(Unexpected& message) {
    --engine_.counters.unexpected_now;
    if (Channel* channel = message.channel; channel != nullptr) {
        if (channel->segmented_message == &message) channel->segmented_message = nullptr;
        channel->unexpected_bytes -= message.header.length;
        if (channel->told_to_stop &&
            channel->unexpected_bytes <= engine_.settings.unexpected_limit.count() / 2) {
            channel->told_to_stop = false;
            send_control(*channel, {.kind = PacketKind::resume_eager}, {});
        }
    }
    unexpected_.give_back(message);
}

void ChannelTransport::connect_to_source(int source, const Communicator& comm) {
    const auto connect = [this](int peer) {
        if (peer != engine_.rank.id()) connector_.open(peer);
    };
    if (source != any_source) {
        if (engine_.settings.receive_connects) connect(comm.world_rank(source));
    } else if (engine_.settings.wildcard_connects) {
        for (const int peer : comm.peers().world_ranks())
            connect(peer);
    }
}

void ChannelTransport::start_receive(Request& receive) {
    engine_.overhead.request();
    engine_.overhead.start_receive();
    if (receives_connect_) [[unlikely]]
        connect_to_source(receive.envelope.source, *receive.communicator);
    Unexpected* message = matcher_->post(receive);
    engine_.overhead.search(*matcher_);
    if (message != nullptr) deliver(receive, *message);
}

void ChannelTransport::deliver(Request& receive, Unexpected& message) {
    const Payload payload(message.payload, message.header.length);
    if (message.own_send != nullptr)
        copy_from_self(receive, *message.own_send);
    else if (message.header.kind == PacketKind::eager)
        finish_eager(receive, message.header, payload);
    else
        on_rts(receive, *message.channel, message.header, payload);
    release(message);
}

std::size_t size_of(const Unexpected& message) {
    if (message.own_send != nullptr) return message.own_send->bytes;
    if (message.header.kind == PacketKind::eager) return message.header.length;
    Rts rts;
    std::memcpy(&rts, message.payload, sizeof rts);
    return rts.total;
}

}  // namespace railyard::mpi
