// Large messages: the envelope first, the data after the match (PR-1). Three ways for the data:
// a stream of pieces through the channel, whose first piece travels with the offer; RDMA reads by
// the receiver; RDMA writes by the sender. RDMA is cut over the rails (MP-1).

#include <algorithm>
#include <cstring>

#include "base/copy_few.hpp"
#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/patient_post.hpp"
#include "mpi/engine/rails.hpp"
#include "mpi/types/error.hpp"

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

std::byte* ChannelTransport::make_dense(Request& request) {
    if (request.type == nullptr) return request.data;
    request.is_rich = true;
    request.packed = std::make_unique_for_overwrite<std::byte[]>(request.bytes);
    if (request.kind == Request::Kind::send) {
        request.read_data(0, request.packed.get(), request.bytes);
        ground_.toll.copy(request.bytes);
    }
    return request.packed.get();
}

std::byte* ChannelTransport::make_reachable(Request& request, std::size_t length) {
    std::byte* data = make_dense(request);
    request.is_rich = true;
    RegistrationCache& registrations = request.channel->route.registrations;
    request.region =
        request.packed ? registrations.get_once(data, length) : registrations.get(data, length);
    return data;
}

RemotePlace ChannelTransport::expose(Request& request, std::size_t length) {
    const std::byte* data = make_reachable(request, length);
    const fabric::Slice slice = request.region->slice(data, length);
    return {request.region->region().export_blob(), slice.offset.count()};
}

bool ChannelTransport::push_offer(Channel& channel, Request& send) {
    const Settings& settings = channel.route.settings;
    const bool large = send.bytes > channel.eager_limit;
    send.way = large ? settings.bulk : Way::stream;
    const bool whole = may_leave_whole(channel, send);
    std::size_t extra = 0;
    std::size_t leading = 0;
    if (send.way == Way::read) extra = sizeof(RemotePlace);
    if (send.way == Way::stream && !channel.must_offer)
        leading = std::min<std::size_t>(send.bytes,
                                        whole ? follower_size(channel) : settings.piece.count());
    const std::size_t length = sizeof(Offer) + extra + leading;
    if (!channel.has_room(length)) return false;

    Offer offer{send.bytes, send.index(), send.way};
    send.is_rich = true;
    send.channel = &channel;
    send.total = send.bytes;
    send.moved = leading;
    offer.whole = whole || leading == send.bytes;
    // All of it is on its way and nobody asked for an answer: an eager message in effect.
    if (offer.whole && send.mode != Mode::synchronous) offer.answer = false;
    // Registering may wait, in virtual time, and what is placed must then not be half a packet.
    const RemotePlace place = extra != 0 ? expose(send, send.bytes) : RemotePlace{};
    ground_.toll.copy(leading);
    std::byte* to = channel.place(length);
    std::memcpy(to, &offer, sizeof offer);
    if (extra != 0) std::memcpy(to + sizeof offer, &place, sizeof place);
    send.read_data(0, to + sizeof offer + extra, leading);
    channel.put({.context = send.envelope.context,
                 .source = send.envelope.source,
                 .tag = send.envelope.tag,
                 .length = static_cast<std::uint32_t>(length),
                 .freed = 0,
                 .kind = PacketKind::offer,
                 .unused = 0});
    ++ground_.counters.rendezvous_sent;
    ground_.counters.rendezvous_bytes += send.bytes;
    ground_.counters.bytes_sent += send.bytes;
    if (whole) push_followers(channel, send);
    if (!offer.answer) ground_.complete(send);
    return true;
}

void ChannelTransport::accept(Request& receive, Channel& channel, const Header& header,
                              Payload payload) {
    ground_.toll.receive();
    ground_.toll.rendezvous();
    const auto offer = take_record<Offer>(payload);
    const std::uint64_t wanted = announce(receive, header, offer.total);
    receive.is_rich = true;
    receive.channel = &channel;
    receive.partner = offer.request;
    receive.way = offer.way;
    receive.total = wanted;
    if (offer.way == Way::read) return begin_move(receive, take_record<RemotePlace>(payload));

    const Acceptance acceptance{offer.request, receive.index(), wanted};
    if (offer.way == Way::write) {
        const RemotePlace place = wanted != 0 ? expose(receive, wanted) : RemotePlace{};
        return send_control(channel, {.kind = PacketKind::acceptance}, bytes_of(acceptance),
                            bytes_of(place));
    }
    receive.moved = std::min<std::uint64_t>(payload.size(), wanted);
    receive.write_data(0, payload.data(), receive.moved);
    ground_.toll.copy(receive.moved);
    if (offer.whole) {
        if (offer.answer) tell_fetched(channel, offer.request);
    } else {
        send_control(channel, {.kind = PacketKind::acceptance}, bytes_of(acceptance));
    }
    if (receive.moved == wanted)
        ground_.complete(receive);
    else if (offer.whole)
        channel.followed_receive = &receive;
}

void ChannelTransport::on_acceptance(Channel& channel, Payload payload) {
    ground_.toll.rendezvous();
    const auto acceptance = take_record<Acceptance>(payload);
    Request& send = ground_.requests.at(acceptance.sender_request);
    send.partner = acceptance.receiver_request;
    send.total = acceptance.wanted;
    if (send.way == Way::write) return begin_move(send, take_record<RemotePlace>(payload));
    if (send.moved >= send.total) return ground_.complete(send);
    channel.streams.push_back(&send);
    set_busy(channel);
}

bool ChannelTransport::push_piece(Channel& channel) {
    Request& send = *channel.streams.front();
    const std::size_t n =
        std::min<std::size_t>(send.total - send.moved, channel.route.settings.piece.count());
    if (!channel.has_room(n)) return false;
    ground_.toll.copy(n);
    send.read_data(send.moved, channel.place(n), n);
    channel.put({.context = send.partner,
                 .length = static_cast<std::uint32_t>(n),
                 .kind = PacketKind::piece});
    send.moved += n;
    if (send.moved == send.total) {
        channel.streams.pop_front();
        ground_.complete(send);
    }
    return true;
}

void ChannelTransport::on_piece(const Header& header, const std::byte* payload) {
    Request& receive = ground_.requests.at(header.context);
    receive.write_data(receive.moved, payload, header.length);
    ground_.toll.copy(header.length);
    receive.moved += header.length;
    if (receive.moved == receive.total) ground_.complete(receive);
}

/// Posts the RDMA operations that move a message, a part a rail. `finish` gives each its last
/// touch, with the number of the part, how many there are, and the rail.
template <class Finish>
void ChannelTransport::move(Request& request, const RemotePlace& place, Finish&& finish) {
    Channel& channel = *request.channel;
    std::byte* data = make_reachable(request, request.total);
    request.remote = channel.route.nic.import_region(place.blob);
    consider_rails(channel, request.total);
    const std::size_t rails = channel.rails.size();
    const Parts parts = cut(request.total, rails, ground_.settings);
    request.parts = static_cast<std::int32_t>(parts.count);
    if (parts.count > 1) ground_.counters.stripes += parts.count;
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < parts.count; ++i) {
        const std::size_t rail =
            parts.count > 1 ? i
                            : whole_rail(ground_.rank.id(), channel.peer, rails, ground_.settings);
        const fabric::Slice slice = request.region->slice(data + at, parts.length(i));
        fabric::WorkRequest work;
        work.id = job_id(Job::moved, request.index());
        work.local = std::span(&slice, 1);
        work.remote = {request.remote.get(), Bytes(place.offset + at)};
        finish(work, parts.count, rail);
        post_bulk(channel, rail, work);
        at += parts.length(i);
    }
}

void ChannelTransport::begin_move(Request& request, const RemotePlace& place) {
    Channel& channel = *request.channel;
    const bool is_send = request.kind == Request::Kind::send;
    if (request.total == 0) {
        if (is_send)
            tell_placed(request, 0);
        else
            tell_fetched(channel, request.partner);
        return ground_.complete(request);
    }
    if (channel.moving >= channel.route.settings.bulk_depth) {
        channel.accepted.push_back({&request, place});
        return;
    }
    ++channel.moving;
    is_send ? write(request, place) : read(request, place);
}

void ChannelTransport::end_move(Channel& channel) {
    --channel.moving;
    if (channel.accepted.empty()) return;
    const Channel::Accepted next = channel.accepted.front();
    channel.accepted.pop_front();
    begin_move(*next.request, next.place);
}

void ChannelTransport::read(Request& receive, const RemotePlace& place) {
    move(receive, place, [](fabric::WorkRequest& work, std::uint64_t, std::size_t) {
        work.op = fabric::Op::rdma_read;
    });
}

void ChannelTransport::write(Request& send, const RemotePlace& place) {
    // The first rail keeps its order, so a notice may follow what it carries at once. Parts on
    // other rails tell of themselves (MP-3); a fabric that cannot do that, and a message that goes
    // whole over another rail, are told of when they are known to be there.
    const bool immediate = send.channel->route.nic.traits().write_immediate;
    int immediates = 0;
    move(send, place, [&](fabric::WorkRequest& work, std::uint64_t parts, std::size_t rail) {
        work.op = fabric::Op::rdma_write;
        if (parts > 1 && rail > 0 && immediate) {
            work.op = fabric::Op::rdma_write_imm;
            work.immediate = send.partner;
            ++immediates;
        } else if (parts > 1 ? !immediate : rail > 0) {
            work.flags = fabric::Flags::remote_completion;
            send.placed = true;
        }
    });
    if (!send.placed) tell_placed(send, immediates);
}

/// The message goes with what is there; the next ones find more.
void ChannelTransport::consider_rails(Channel& channel, std::uint64_t bytes) {
    if (bytes > ground_.settings.striping_threshold.count()) connector_.want_rails(channel);
}

void ChannelTransport::post_bulk(Channel& channel, std::size_t rail,
                                 const fabric::WorkRequest& work) {
    const railyard::Status status = patient_post(channel.route.nic, *channel.rails[rail], work);
    if (!status.ok()) lost(channel, status);
}

void ChannelTransport::on_moved(Request& request) {
    if (--request.parts != 0) return;
    Channel& channel = *request.channel;
    if (request.kind == Request::Kind::send) {
        if (request.placed) tell_placed(request, 0);
        ground_.complete(request);
    } else {
        tell_fetched(channel, request.partner);
        finish_receive(request);
    }
    end_move(channel);
}

void ChannelTransport::on_placed(Request& receive) {
    if (receive.placed && receive.parts == 0) finish_receive(receive);
}

void ChannelTransport::finish_receive(Request& receive) {
    if (receive.packed) {
        receive.write_data(0, receive.packed.get(), receive.total);
        ground_.toll.copy(receive.total);
    }
    ground_.complete(receive);
}

void ChannelTransport::tell_placed(Request& send, int immediates) {
    send_control(*send.channel,
                 {.context = send.partner, .tag = immediates, .kind = PacketKind::placed}, {});
}

void ChannelTransport::tell_fetched(Channel& channel, std::uint32_t sender_request) {
    send_control(channel, {.context = sender_request, .kind = PacketKind::fetched}, {});
}

}  // namespace railyard::mpi
