// Large messages: the envelope first, the data after the match (PR-1). RTS and CTS, two protocols
// that copy through the channel, and zero-copy.
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

bool ChannelTransport::push_rts(Channel& channel, Request& send) {
    const Settings& settings = channel.netmod.settings;
    const bool large = send.bytes > channel.eager_limit;
    send.way = large ? settings.bulk : Way::stream;
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
    if (rts.way == Way::read) return begin_rdma(receive, take_record<RemoteBuffer>(payload));

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
        send_control(channel, {.kind = PacketKind::cts}, bytes_of(cts));
    }
    if (receive.moved == wanted)
        engine_.complete(receive);
    else if (rts.eager)
        channel.segmented_receive = &receive;
}

void ChannelTransport::on_cts(Channel& channel, Payload payload) {
    engine_.overhead.rendezvous();
    const auto cts = take_record<Cts>(payload);
    Request& send = engine_.requests.at(cts.sender_request);
    send.partner = cts.receiver_request;
    send.total = cts.wanted;
    if (send.way == Way::write) return begin_rdma(send, take_record<RemoteBuffer>(payload));
    if (send.moved >= send.total) return engine_.complete(send);
    channel.streams.push_back(&send);
    set_busy(channel);
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
                 .kind = PacketKind::segment});
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
    if (receive.moved == receive.total) engine_.complete(receive);
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

// Zero-copy rendezvous: RDMA reads by the receiver, or RDMA writes by the sender, between
// registered memory of the users, striped over the rails (MP-1). A FIN tells the other side of the
// end.

std::byte* ChannelTransport::register_data(Request& request, std::size_t length) {
    std::byte* data = engine_.pack(request);
    request.needs_cleanup = true;
    RegistrationCache& registrations = request.channel->netmod.registrations;
    request.region =
        request.packed ? registrations.get_once(data, length) : registrations.get(data, length);
    return data;
}

RemoteBuffer ChannelTransport::export_data(Request& request, std::size_t length) {
    const std::byte* data = register_data(request, length);
    const fabric::Slice slice = request.region->slice(data, length);
    return {request.region->region().export_blob(), slice.offset.count()};
}

/// Posts the RDMA operations that move a message: one a stripe, or several where a stripe is longer
/// than one may be. Their queue keeps their order, so the last one speaks for all. `complete` fills
/// in the rest of each: it is told how many stripes there are, the rail, and whether it is the
/// last.
template <class Complete>
void ChannelTransport::start_rdma(Request& request, const RemoteBuffer& remote,
                                  Complete&& complete) {
    Channel& channel = *request.channel;
    std::byte* data = register_data(request, request.total);
    request.remote = channel.netmod.nic.import_region(remote.blob);
    add_rails_for(channel, request.total);
    const std::size_t rails = channel.rails.size();
    const Stripes stripes = stripes_of(request.total, rails, engine_.settings);
    request.stripes = static_cast<std::int32_t>(stripes.count);
    if (stripes.count > 1) engine_.counters.stripes += stripes.count;
    const std::uint64_t longest = channel.netmod.longest_rdma;
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < stripes.count; ++i) {
        const std::size_t rail = stripes.count > 1 ? i
                                                   : single_rail(engine_.rank.id(), channel.peer,
                                                                 rails, engine_.settings);
        for (std::uint64_t left = stripes.length(i); left != 0;) {
            const std::uint64_t length = std::min(left, longest);
            left -= length;
            const fabric::Slice slice = request.region->slice(data + at, length);
            fabric::WorkRequest work;
            work.id = completion_id(CompletionKind::rdma, request.index());
            work.local = std::span(&slice, 1);
            work.remote = {request.remote.get(), Bytes(remote.offset + at)};
            if (left != 0) work.flags = fabric::Flags::unsignalled;
            complete(work, stripes.count, rail, left == 0);
            post_rdma(channel, rail, work);
            at += length;
        }
    }
}

void ChannelTransport::begin_rdma(Request& request, const RemoteBuffer& remote) {
    Channel& channel = *request.channel;
    const bool is_send = request.kind == Request::Kind::send;
    if (request.total == 0) {
        if (is_send)
            send_write_fin(request, 0);
        else
            send_read_fin(channel, request.partner);
        return engine_.complete(request);
    }
    if (!may_start_rdma(channel)) {
        channel.rdma_waiting.push_back({&request, remote});
        connector_.open(channel.peer);
        return;
    }
    ++channel.rdma_active;
    is_send ? write(request, remote) : read(request, remote);
}

void ChannelTransport::end_rdma(Channel& channel) {
    --channel.rdma_active;
    start_waiting_rdma(channel);
}

void ChannelTransport::start_waiting_rdma(Channel& channel) {
    while (!channel.rdma_waiting.empty() && may_start_rdma(channel)) {
        const Channel::WaitingRdma next = channel.rdma_waiting.front();
        channel.rdma_waiting.pop_front();
        begin_rdma(*next.request, next.remote);
    }
}

void ChannelTransport::read(Request& receive, const RemoteBuffer& remote) {
    start_rdma(receive, remote, [](fabric::WorkRequest& work, std::uint64_t, std::size_t, bool) {
        work.op = fabric::Op::rdma_read;
    });
}

void ChannelTransport::write(Request& send, const RemoteBuffer& remote) {
    // The first rail keeps its order, so the FIN may follow what it carries at once. Stripes on
    // other rails tell of themselves by immediate values (MP-3), which take receives. Where a
    // fabric has none of either for them, and for a message that goes whole over another rail, the
    // FIN waits until the bytes are known to be there. So it does where it is stored into mapped
    // memory: it would pass what the peer has yet to place (bounce buffers of shm).
    const fabric::Traits& traits = send.channel->netmod.nic.traits();
    const bool waits = send.channel->out.is_mapped();
    const bool immediate = !waits && traits.write_immediate && traits.shared_receives;
    int immediates = 0;
    start_rdma(send, remote,
               [&](fabric::WorkRequest& work, std::uint64_t stripes, std::size_t rail, bool last) {
                   work.op = fabric::Op::rdma_write;
                   if (!last) return;
                   if (stripes > 1 && rail > 0 && immediate) {
                       work.op = fabric::Op::rdma_write_imm;
                       work.immediate = send.partner;
                       ++immediates;
                   } else if (waits || (stripes > 1 ? !immediate : rail > 0)) {
                       work.flags = fabric::Flags::remote_completion;
                       send.fin_owed = true;
                   }
               });
    if (!send.fin_owed) send_write_fin(send, immediates);
}

/// The message goes over the rails that stand now; the next ones find more.
void ChannelTransport::add_rails_for(Channel& channel, std::uint64_t bytes) {
    if (bytes > engine_.settings.striping_threshold.count()) connector_.want_rails(channel);
}

void ChannelTransport::post_rdma(Channel& channel, std::size_t rail,
                                 const fabric::WorkRequest& work) {
    ++engine_.counters.rdma_operations;
    const railyard::Status status = post_blocking(channel.netmod.nic, *channel.rails[rail], work);
    if (!status.ok()) throw_lost(channel, status);
}

void ChannelTransport::on_rdma_done(Request& request) {
    if (--request.stripes != 0) return;
    Channel& channel = *request.channel;
    if (request.kind == Request::Kind::send) {
        if (request.fin_owed) send_write_fin(request, 0);
        engine_.complete(request);
    } else {
        send_read_fin(channel, request.partner);
        finish_receive(request);
    }
    end_rdma(channel);
}

void ChannelTransport::finish_if_written(Request& receive) {
    if (receive.fin_received && receive.stripes == 0) finish_receive(receive);
}

void ChannelTransport::finish_receive(Request& receive) {
    if (receive.packed) {
        receive.write_data(0, receive.packed.get(), receive.total);
        engine_.overhead.copy_in(receive.users(0), receive.total);
    }
    engine_.complete(receive);
}

void ChannelTransport::send_write_fin(Request& send, int immediates) {
    send_control(*send.channel,
                 {.context = send.partner, .tag = immediates, .kind = PacketKind::write_fin}, {});
}

void ChannelTransport::send_read_fin(Channel& channel, std::uint32_t sender_request) {
    send_control(channel, {.context = sender_request, .kind = PacketKind::read_fin}, {});
}

}  // namespace railyard::mpi
