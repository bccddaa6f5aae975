// Messages out. A message goes at once if its channel is connected, has room and nothing waits
// before it; else it joins the channel's FIFO, and order is kept (OD-2).

#include <cstring>

#include "base/copy_few.hpp"
#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/communicator.hpp"

namespace railyard::mpi {

namespace {

Header header_for(const Envelope& envelope, PacketKind kind, std::size_t length) {
    return {.context = envelope.context,
            .source = envelope.source,
            .tag = envelope.tag,
            .length = static_cast<std::uint32_t>(length),
            .freed = 0,
            .kind = kind,
            .unused = 0};
}

}  // namespace

bool ChannelTransport::send_now(const std::byte* data, std::size_t n, int peer,
                                const Envelope& envelope, Haste haste) {
    Channel* channel = connector_.find(peer);
    if (channel == nullptr || n > channel->copied_limit || channel->must_offer) return false;
    if (haste == Haste::may_wait && channel->gathers && !channel->out.open()) [[unlikely]]
        return gather(*channel, header_for(envelope, PacketKind::eager, n), data);
    if (!channel->may_put(n)) return false;
    ground_.toll.send();
    ground_.toll.copy(n);
    copy_bytes(channel->place(n), data, n);
    channel->put(header_for(envelope, PacketKind::eager, n));
    ground_.toll.sent();
    count_eager(n);
    return true;
}

void ChannelTransport::start_send(Request& send) {
    ground_.toll.request();
    ground_.toll.send();
    if (send.peer == ground_.rank.id()) return send_to_self(send);
    Channel& channel = connector_.open(send.peer);
    const bool gone =
        channel.backlog.empty() && channel.state == ChannelState::connected && push(channel, send);
    if (!gone) {
        ++ground_.counters.queued_sends;
        channel.backlog.push_back({&send});
        if (channel.state == ChannelState::connected) set_busy(channel);
    }
    ground_.toll.sent();
}

bool ChannelTransport::push(Channel& channel, Request& send) {
    const bool eager =
        send.mode != Mode::synchronous && !channel.must_offer && send.bytes <= channel.eager_limit;
    return eager ? push_eager(channel, send) : push_offer(channel, send);
}

bool ChannelTransport::push_eager(Channel& channel, Request& send) {
    if (!channel.has_room(send.bytes)) return false;
    if (send.bytes > channel.copied_limit && send.type == nullptr && !channel.out.open())
        return push_straight(channel, send);
    ground_.toll.copy(send.bytes);
    send.read_data(0, channel.place(send.bytes), send.bytes);
    channel.put(header_for(send.envelope, PacketKind::eager, send.bytes));
    count_eager(send.bytes);
    ground_.complete(send);
    return true;
}

/// There is room. The request is complete when the message has left.
bool ChannelTransport::push_straight(Channel& channel, Request& send) {
    send.is_rich = true;
    send.region = channel.route.registrations.get(send.data, send.bytes);
    channel.put_straight(header_for(send.envelope, PacketKind::eager, send.bytes),
                         send.region->slice(send.data, send.bytes), send.index());
    count_eager(send.bytes);
    return true;
}

/// True once the channel has nothing left to do.
bool ChannelTransport::advance(Channel& channel) {
    if (advance_messages(channel)) return true;
    // Both sides may be waiting for credits.
    if (owes_credits(channel)) channel.return_credits();
    return false;
}

bool ChannelTransport::advance_messages(Channel& channel) {
    while (!channel.backlog.empty()) {
        Waiting& next = channel.backlog.front();
        if (next.request != nullptr) {
            if (!push(channel, *next.request)) return false;
        } else {
            const ControlPacket& control = next.control;
            if (!channel.has_room(control.payload.size())) return false;
            copy_bytes(channel.place(control.payload.size()), control.payload.data(),
                       control.payload.size());
            channel.put(control.header);
        }
        channel.backlog.pop_front();
    }
    while (!channel.streams.empty())
        if (!push_piece(channel)) return false;
    // Last: what has just left has taken the credits along.
    if (owes_credits(channel)) channel.return_credits();
    return !owes_credits(channel);
}

void ChannelTransport::send_control(Channel& channel, const Header& header, Payload first,
                                    Payload second) {
    const std::size_t length = first.size() + second.size();
    Header full = header;
    full.length = static_cast<std::uint32_t>(length);
    if (channel.may_put(length)) {
        std::byte* to = channel.place(length);
        copy_bytes(to, first.data(), first.size());
        copy_bytes(to + first.size(), second.data(), second.size());
        channel.put(full);
        return;
    }
    Waiting waiting;
    waiting.control.header = full;
    waiting.control.payload.assign(first.begin(), first.end());
    waiting.control.payload.insert(waiting.control.payload.end(), second.begin(), second.end());
    channel.backlog.push_back(std::move(waiting));
    set_busy(channel);
}

void ChannelTransport::send_to_self(Request& send) {
    ++ground_.counters.self_sent;
    ground_.counters.self_bytes += send.bytes;
    ground_.counters.bytes_sent += send.bytes;
    Request* receive = matcher_->arrive(send.envelope);
    ground_.toll.search(*matcher_);
    if (receive != nullptr) return copy_from_self(*receive, send);
    const bool copied =
        send.mode != Mode::synchronous && send.bytes <= ground_.settings.eager_limit.count();
    const Header header = header_for(send.envelope, PacketKind::eager, 0);
    if (!copied) return keep(nullptr, header, {}, &send);
    if (send.type == nullptr) {
        keep(nullptr, header, {send.data, send.bytes}, nullptr);
    } else {
        std::vector<std::byte> packed(send.bytes);
        send.read_data(0, packed.data(), packed.size());
        keep(nullptr, header, packed, nullptr);
    }
    ground_.complete(send);
}

}  // namespace railyard::mpi
