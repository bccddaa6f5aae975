// Large messages: the envelope first, the data after the match (PR-1). RTS and CTS, two protocols
// that copy through the channel; a third, zero-copy, is in rdma.cpp.
//
// Streamed rendezvous: segments follow the CTS; the first one travels with the RTS. Segmented
// eager, for messages of a few packets: all segments follow the RTS at once. While the receiver
// copies one segment out, the sender copies the next one in.

#include <algorithm>
#include <cstring>

#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/netmod.hpp"

namespace railyard::mpi {

namespace {

template <class Record>
std::span<const std::byte> bytes_of(const Record& record) {
    return std::as_bytes(std::span(&record, 1));
}
template <class Record>
Record take_record(std::span<const std::byte>& payload) {
    Record record;
    std::memcpy(&record, payload.data(), sizeof record);
    payload = payload.subspan(sizeof record);
    return record;
}

}  // namespace

void StreamWindow::read(const Request& request, std::size_t at, std::byte* to, std::size_t n) {
    while (n != 0) {
        if (at < at_ || at >= at_ + held_) {
            const std::size_t size = request.type->window();
            if (!bytes_) bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
            at_ = at;
            held_ = std::min<std::size_t>(size, request.bytes - at);
            request.read_data(at_, bytes_.get(), held_);
        }
        const std::size_t now = std::min(n, at_ + held_ - at);
        std::memcpy(to, bytes_.get() + (at - at_), now);
        at += now;
        to += now;
        n -= now;
    }
}

void StreamWindow::write(Request& request, std::size_t at, const std::byte* from, std::size_t n) {
    const std::size_t size = request.type->window();
    if (!bytes_) bytes_ = std::make_unique_for_overwrite<std::byte[]>(size);
    while (n != 0) {
        if (held_ == 0) at_ = at;
        const std::size_t now = std::min(n, size - held_);
        std::memcpy(bytes_.get() + held_, from, now);
        held_ += now;
        at += now;
        from += now;
        n -= now;
        if (held_ < size && at < request.total) continue;
        request.write_data(at_, bytes_.get(), held_);
        held_ = 0;
    }
}

/// The way of a message that is not eager.
Way ChannelTransport::bulk_way(const Channel& channel, const Request& send) const {
    const Settings& settings = channel.netmod.settings;
    if (send.bytes <= channel.eager_limit) return Way::stream;
    if (settings.bulk != Way::automatic) return settings.bulk;
    // What must be packed is packed into the ring, with no copy between.
    if (send.type != nullptr || send.bytes <= settings.segmented_eager_limit.count())
        return Way::stream;
    return channel.bulk.advised(send.bytes);
}

void ChannelTransport::begin_bulk(Request& receive) {
    Channel& channel = *receive.channel;
    if (channel.netmod.settings.bulk == Way::automatic)
        channel.bulk.begin(receive, receive.total - receive.moved, engine_.host.now());
}

void ChannelTransport::end_bulk(Request& receive) {
    Channel& channel = *receive.channel;
    if (channel.netmod.settings.bulk == Way::automatic)
        channel.bulk.end(receive, receive.way, receive.total, engine_.host.now());
}

bool ChannelTransport::push_rts(Channel& channel, Request& send) {
    const Settings& settings = channel.netmod.settings;
    send.way = bulk_way(channel, send);
    const bool segmented = fits_segmented_eager(channel, send);
    std::size_t extra = 0;
    std::size_t leading = 0;
    if (send.way == Way::read) extra = sizeof(RemoteBuffer);
    if (send.way == Way::stream && !channel.eager_stopped)
        leading = std::min<std::size_t>(
            send.bytes, segmented ? eager_segment_size(channel) : settings.segment_size.count());
    const std::size_t length = sizeof(Rts) + extra + leading;
    if (!channel.has_room(length)) return false;

    Rts rts{send.bytes, send.index(), send.way};
    send.needs_cleanup = true;
    send.channel = &channel;
    send.total = send.bytes;
    send.moved = leading;
    send.stays = engine_.leaves_content(send.content, send.bytes);
    rts.eager = segmented || leading == send.bytes;
    // All of it is on its way and nobody waits for the match: an eager message in effect.
    if (rts.eager && send.mode != Mode::synchronous) rts.wants_fin = false;
    // Before reserve(): registering may wait, in virtual time, and must not find half a packet.
    const RemoteBuffer remote = extra != 0 ? export_data(send, send.bytes) : RemoteBuffer{};
    engine_.overhead.copy_out(send.users(0), leading);
    std::byte* to = channel.reserve(length);
    std::memcpy(to, &rts, sizeof rts);
    if (extra != 0) std::memcpy(to + sizeof rts, &remote, sizeof remote);
    send.read_stream(0, to + sizeof rts + extra, leading);
    channel.put(header_for(send.envelope, PacketKind::rts, length));
    ++engine_.counters.rendezvous_sent;
    engine_.counters.rendezvous_bytes += send.bytes;
    engine_.counters.bytes_sent += send.bytes;
    if (segmented) push_eager_segments(channel, send);
    if (!rts.wants_fin) engine_.complete(send);
    return true;
}

void ChannelTransport::on_rts(Request& receive, Channel& channel, const Header& header,
                              Payload payload) {
    engine_.overhead.receive();
    engine_.overhead.rendezvous();
    const auto rts = take_record<Rts>(payload);
    const std::uint64_t wanted = set_result(receive, header, rts.total);
    receive.needs_cleanup = true;
    receive.channel = &channel;
    receive.partner = rts.request;
    receive.way = rts.way;
    receive.total = wanted;
    receive.stays = engine_.stays(receive.content, rts.total);
    if (rts.way == Way::read) {
        receive.moved = 0;
        if (wanted != 0) begin_bulk(receive);
        return begin_rdma(receive, take_record<RemoteBuffer>(payload));
    }

    const Cts cts{rts.request, receive.index(), wanted};
    if (rts.way == Way::write) {
        const RemoteBuffer remote = wanted != 0 ? export_data(receive, wanted) : RemoteBuffer{};
        return send_control(channel, {.kind = PacketKind::cts}, bytes_of(cts), bytes_of(remote));
    }
    receive.moved = std::min<std::uint64_t>(payload.size(), wanted);
    receive.write_stream(0, payload.data(), receive.moved);
    engine_.overhead.copy_in(receive.users(0), receive.moved);
    if (rts.eager) {
        if (rts.wants_fin) send_read_fin(channel, rts.request);
    } else {
        if (receive.moved != wanted) begin_bulk(receive);
        send_control(channel, {.kind = PacketKind::cts, .advice = channel.bulk.next(rts.total)},
                     bytes_of(cts));
    }
    if (receive.moved == wanted)
        engine_.complete(receive);
    else if (rts.eager)
        channel.segmented_receive = &receive;
}

void ChannelTransport::on_cts(Channel& channel, Way advice, Payload payload) {
    engine_.overhead.rendezvous();
    const auto cts = take_record<Cts>(payload);
    Request& send = engine_.requests.at(cts.sender_request);
    channel.bulk.advise(send.bytes, advice);
    send.partner = cts.receiver_request;
    send.total = cts.wanted;
    if (send.way == Way::write) return begin_rdma(send, take_record<RemoteBuffer>(payload));
    if (send.moved >= send.total) return engine_.complete(send);
    channel.streams.push_back(&send);
    set_busy(channel);
}

void ChannelTransport::on_read_fin(Channel& channel, const Header& header) {
    Request& send = engine_.requests.at(header.context);
    if (send.way == Way::read) channel.bulk.advise(send.bytes, header.advice);
    engine_.complete(send);
}

bool ChannelTransport::push_segment(Channel& channel) {
    Request& send = *channel.streams.front();
    const std::size_t n = std::min<std::size_t>(send.total - send.moved,
                                                channel.netmod.settings.segment_size.count());
    if (!channel.has_room(n)) return false;
    engine_.overhead.copy_out(send.users(send.moved), n);
    send.read_stream(send.moved, channel.reserve(n), n);
    channel.put({.context = send.partner,
                 .length = static_cast<std::uint32_t>(n),
                 .kind = PacketKind::segment},
                send.stays);
    send.moved += n;
    if (send.moved == send.total) {
        channel.streams.pop_front();
        engine_.complete(send);
    }
    return true;
}

void ChannelTransport::on_segment(const Header& header, const std::byte* payload) {
    Request& receive = engine_.requests.at(header.context);
    receive.write_stream(receive.moved, payload, header.length);
    engine_.overhead.copy_in(receive.users(receive.moved), header.length);
    receive.moved += header.length;
    if (receive.moved != receive.total) return;
    end_bulk(receive);
    engine_.complete(receive);
}

bool ChannelTransport::fits_segmented_eager(Channel& channel, const Request& send) const {
    const std::size_t bytes = send.bytes;
    const std::size_t each = eager_segment_size(channel);
    const std::size_t packets = (bytes + each - 1) / each;
    return send.way == Way::stream && bytes > each && !channel.eager_stopped &&
           bytes <= channel.netmod.settings.segmented_eager_limit.count() && channel.out.open() &&
           channel.out.has_room(sizeof(Rts) + bytes, packets);
}

void ChannelTransport::push_eager_segments(Channel& channel, Request& send) {
    while (send.moved < send.total) {
        const std::size_t n =
            std::min<std::size_t>(send.total - send.moved, eager_segment_size(channel));
        engine_.overhead.copy_out(send.users(send.moved), n);
        send.read_stream(send.moved, channel.reserve(n), n);
        channel.put({.length = static_cast<std::uint32_t>(n),
                     .freed = 0,
                     .kind = PacketKind::eager_segment});
        send.moved += n;
    }
}

void ChannelTransport::on_eager_segment(Channel& channel, Payload payload) {
    const Request* const into = channel.segmented_receive;
    engine_.overhead.copy_in(into != nullptr ? into->users(into->moved) : nullptr, payload.size());
    if (Request* receive = channel.segmented_receive; receive != nullptr) {
        const std::uint64_t n =
            std::min<std::uint64_t>(payload.size(), receive->total - receive->moved);
        receive->write_stream(receive->moved, payload.data(), n);
        receive->moved += n;
        if (receive->moved < receive->total) return;
        channel.segmented_receive = nullptr;
        engine_.complete(*receive);
    } else if (channel.segmented_message != nullptr) {
        UnexpectedPool::append(*channel.segmented_message, payload);
        channel.unexpected_bytes += payload.size();
        limit_unexpected(channel);
    }
    // Else it is beyond the end of a receive that was too short for it.
}

}  // namespace railyard::mpi
