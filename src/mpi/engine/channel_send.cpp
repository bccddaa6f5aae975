// Messages out. A message goes at once if its channel is connected, has room and nothing waits
// before it; else it joins the channel's FIFO, and order is kept (OD-2).
//
// Where a send costs more than what it carries, small messages that are started together are
// coalesced. The first of a burst leaves at once, since another may never come; the next ones leave
// when their sender polls or waits, or a buffer is full. Their requests are complete only then, so
// that a sender that waits for its requests has sent all.

#include <cstring>

#include "base/copy_few.hpp"
#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/communicator.hpp"

namespace railyard::mpi {

inline void ChannelTransport::put_copied(Channel& channel, const Header& header,
                                         const std::byte* data, Content content) {
    const bool stays = engine_.leaves_content(content, header.length);
    std::byte* const to = channel.reserve(header.length);
    if (!stays) [[likely]]
        copy_bytes(to, data, header.length);
    channel.put(header, stays);
}

bool ChannelTransport::send_now(const std::byte* data, std::size_t n, int peer,
                                const Envelope& envelope, Coalescing coalescing, Content content) {
    Channel* channel = connector_.find(peer);
    if (channel == nullptr || n > channel->copied_limit || channel->eager_stopped) return false;
    if (coalescing == Coalescing::allowed && channel->coalesces && !channel->out.open())
        [[unlikely]]
        return coalesce(*channel, header_for(envelope, PacketKind::eager, n), data, content);
    if (!channel->may_put(n)) return false;
    engine_.overhead.send();
    engine_.overhead.copy_out(is_users(envelope) ? data : nullptr, n);
    put_copied(*channel, header_for(envelope, PacketKind::eager, n), data, content);
    engine_.overhead.sent();
    count_eager(n);
    connector_.used(*channel);
    return true;
}

void ChannelTransport::start_send(Request& send) {
    engine_.overhead.request();
    engine_.overhead.send();
    if (send.peer == engine_.rank.id()) return send_to_self(send);
    Channel& channel = connector_.open(send.peer);
    const bool sent =
        channel.backlog.empty() && channel.state == ChannelState::connected && push(channel, send);
    connector_.used(channel);
    if (!sent) {
        ++engine_.counters.queued_sends;
        channel.backlog.push_back({&send});
        if (channel.state == ChannelState::connected) set_busy(channel);
    }
    engine_.overhead.sent();
}

bool ChannelTransport::push(Channel& channel, Request& send) {
    const bool eager = send.mode != Mode::synchronous && !channel.eager_stopped &&
                       send.bytes <= channel.eager_limit;
    return eager ? push_eager(channel, send) : push_rts(channel, send);
}

bool ChannelTransport::push_eager(Channel& channel, Request& send) {
    if (!channel.has_room(send.bytes)) return false;
    if (send.bytes > channel.copied_limit && send.type == nullptr && !channel.out.open())
        return push_zero_copy(channel, send);
    engine_.overhead.copy_out(send.users(0), send.bytes);
    const bool stays = engine_.leaves_content(send.content, send.bytes);
    std::byte* const to = channel.reserve(send.bytes);
    if (!stays) [[likely]]
        send.read_data(0, to, send.bytes);
    channel.put(header_for(send.envelope, PacketKind::eager, send.bytes), stays);
    count_eager(send.bytes);
    engine_.complete(send);
    return true;
}

bool ChannelTransport::push_zero_copy(Channel& channel, Request& send) {
    send.needs_cleanup = true;
    send.region = channel.netmod.registrations.get(send.data, send.bytes);
    channel.put_zero_copy(header_for(send.envelope, PacketKind::eager, send.bytes),
                          send.region->slice(send.data, send.bytes), send.index(),
                          engine_.leaves_content(send.content, send.bytes));
    count_eager(send.bytes);
    return true;
}

bool ChannelTransport::coalesce(Channel& channel, const Header& header, const std::byte* data,
                                Content content) {
    if (!channel.backlog.empty()) return false;
    if (!channel.in_burst) {
        if (!channel.has_room(header.length)) return false;
        channel.in_burst = true;
        bursts_.push_back(&channel);
        put_copied(channel, header, data, content);
    } else {
        // What leaves together is little: copied as it is.
        if (!channel.coalesce(header, data)) return false;
        engine_.leaves_content(content, header.length);
        has_coalesced_ = true;
    }
    count_eager(header.length);
    return true;
}

void ChannelTransport::flush_bursts() {
    for (Channel* channel : bursts_) {
        channel->in_burst = false;
        channel->flush();
    }
    bursts_.clear();
    has_coalesced_ = false;
    for (Request* send : complete_at_flush_)
        engine_.complete(*send);
    complete_at_flush_.clear();
}

bool ChannelTransport::advance(Channel& channel) {
    if (channel.state != ChannelState::connected) return advance_credits(channel);
    if (advance_messages(channel)) return true;
    // Both sides may be waiting for credits.
    if (owes_credits(channel)) channel.return_credits();
    return false;
}

bool ChannelTransport::advance_messages(Channel& channel) {
    while (!channel.backlog.empty()) {
        Pending& next = channel.backlog.front();
        if (next.request != nullptr) {
            if (!push(channel, *next.request)) return false;
        } else {
            const std::size_t length = next.payload.size();
            if (!channel.has_room(length)) return false;
            copy_bytes(channel.reserve(length), next.payload.data(), length);
            channel.put(next.header);
        }
        channel.backlog.pop_front();
    }
    while (!channel.streams.empty())
        if (!push_segment(channel)) return false;
    // Last: the packets that have just left carried credits.
    if (owes_credits(channel)) channel.return_credits();
    return !owes_credits(channel);
}

void ChannelTransport::send_control(Channel& channel, const Header& header, Payload first,
                                    Payload second) {
    const std::size_t length = first.size() + second.size();
    Header full = header;
    full.length = static_cast<std::uint32_t>(length);
    if (channel.may_put(length)) {
        std::byte* to = channel.reserve(length);
        copy_bytes(to, first.data(), first.size());
        copy_bytes(to + first.size(), second.data(), second.size());
        channel.put(full);
        return;
    }
    Pending pending{.header = full};
    pending.payload.assign(first.begin(), first.end());
    pending.payload.insert(pending.payload.end(), second.begin(), second.end());
    channel.backlog.push_back(std::move(pending));
    set_busy(channel);
    connector_.open(channel.peer);
}

void ChannelTransport::send_to_self(Request& send) {
    ++engine_.counters.self_sent;
    engine_.counters.self_bytes += send.bytes;
    engine_.counters.bytes_sent += send.bytes;
    Request* receive = matcher_->arrive(send.envelope);
    engine_.overhead.search(*matcher_);
    if (receive != nullptr) return copy_from_self(*receive, send);
    const bool copied =
        send.mode != Mode::synchronous && send.bytes <= engine_.settings.eager_limit.count();
    const Header header = header_for(send.envelope, PacketKind::eager, 0);
    if (!copied) return add_unexpected(nullptr, header, {}, &send);
    if (send.type == nullptr) {
        add_unexpected(nullptr, header, {send.data, send.bytes}, nullptr);
    } else {
        std::vector<std::byte> packed(send.bytes);
        send.read_data(0, packed.data(), packed.size());
        add_unexpected(nullptr, header, packed, nullptr);
    }
    engine_.complete(send);
}

}  // namespace railyard::mpi
