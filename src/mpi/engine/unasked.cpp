// Streamed messages of a few packets: they leave whole, the offer first, and nobody waits for the
// answer to it. While the receiver copies one packet out, the sender copies the next one in.

#include <algorithm>

#include "mpi/engine/channel_transport.hpp"

namespace railyard::mpi {

bool ChannelTransport::may_leave_whole(Channel& channel, const Request& send) const {
    const std::size_t bytes = send.bytes;
    const std::size_t each = follower_size(channel);
    const std::size_t packets = (bytes + each - 1) / each;
    return send.way == Way::stream && bytes > each && !channel.must_offer &&
           bytes <= channel.route.settings.unasked_limit.count() && channel.out.open() &&
           channel.out.has_room(sizeof(Offer) + bytes, packets);
}

/// What is left of the message that was just offered. There is room.
void ChannelTransport::push_followers(Channel& channel, Request& send) {
    while (send.moved < send.total) {
        const std::size_t n =
            std::min<std::size_t>(send.total - send.moved, follower_size(channel));
        ground_.toll.copy(n);
        send.read_data(send.moved, channel.place(n), n);
        channel.put(
            {.length = static_cast<std::uint32_t>(n), .freed = 0, .kind = PacketKind::follower});
        send.moved += n;
    }
}

void ChannelTransport::on_follower(Channel& channel, Payload payload) {
    ground_.toll.copy(payload.size());
    if (Request* receive = channel.followed_receive; receive != nullptr) {
        const std::uint64_t n =
            std::min<std::uint64_t>(payload.size(), receive->total - receive->moved);
        receive->write_data(receive->moved, payload.data(), n);
        receive->moved += n;
        if (receive->moved < receive->total) return;
        channel.followed_receive = nullptr;
        ground_.complete(*receive);
    } else if (channel.followed_message != nullptr) {
        UnexpectedStore::append(*channel.followed_message, payload);
        channel.held += payload.size();
        hold_if_much_waits(channel);
    }
    // Else it belongs to a receive that was too short for it.
}

}  // namespace railyard::mpi
