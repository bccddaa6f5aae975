// Connections that are closed to make place for others, where they are bounded. Whoever would close
// one sends a last packet, `close`; the peer sends its own last packet, `close_answer`, and waits
// for the end, which the first side brings about when it has the answer. Packets keep their order,
// so by then each side has seen all that the other has sent. Messages need not have ended: what
// waits, the rest of a stream, a CTS or FIN that is due, go over the next connection as they would
// have over this one. Only RDMA under way must end, since nothing else tells of it.
//
// Both may ask at once. Then the lower rank answers and the higher one takes no notice. A
// connection that has failed is closed without a word, and the first to be.

#include "mpi/engine/channel_transport.hpp"

namespace railyard::mpi {

void ChannelTransport::begin_closing(Channel& channel) {
    // What has room goes now: no connection is made in vain, however soon it is to be closed.
    if (!channel.lost) advance_messages(channel);
    channel.state = ChannelState::draining;
}

void ChannelTransport::advance_closing() {
    while (Channel* channel = connector_.next_to_close()) {
        connector_.count_closing();
        closing_.push_back(channel);
        begin_closing(*channel);
    }
    for (std::size_t i = 0; i < closing_.size();) {
        if (!advance_closing(*closing_[i])) {
            ++i;
            continue;
        }
        closing_.erase(closing_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

bool ChannelTransport::advance_closing(Channel& channel) {
    switch (channel.state) {
        case ChannelState::connecting:  // the peer has asked already: it was ahead
            return false;
        case ChannelState::connected:  // the peer has asked
            begin_closing(channel);
            [[fallthrough]];
        case ChannelState::draining: {
            if (channel.lost) break;
            if (channel.rdma_active != 0 || !connector_.has_all_rails(channel)) return false;
            if (!channel.has_room(0)) return false;
            channel.reserve(0);
            if (channel.peer_asked) {
                channel.put({.kind = PacketKind::close_answer});
                channel.state = ChannelState::answered;
            } else {
                channel.put({.kind = PacketKind::close});
                channel.state = ChannelState::asked;
            }
            return false;
        }
        case ChannelState::answered:
            if (channel.rails[0]->state() == fabric::ConnectionState::connected) return false;
            break;
        case ChannelState::asked:
            if (channel.lost) break;
            if (channel.rails[0]->state() != fabric::ConnectionState::connected)
                throw_lost(channel, channel.rails[0]->reason());
            return false;
        default:
            break;
    }
    // Buffers of a pool come back by completions, which go with the queue pair.
    if (channel.sends_under_way != 0) return false;
    hot_stamp_ = nullptr;  // it may lie in the ring that goes
    connector_.end(channel);
    has_left_ = true;  // its place, for which others may wait
    return true;
}

bool ChannelTransport::advance_credits(Channel& channel) {
    if (channel.state != ChannelState::draining && channel.state != ChannelState::asked)
        return true;
    if (owes_credits(channel)) channel.return_credits();
    return !owes_credits(channel);
}

void ChannelTransport::on_close(Channel& channel) {
    if (channel.state == ChannelState::asked) {
        if (engine_.rank.id() > channel.peer) return;
        channel.state = ChannelState::draining;
    } else if (!channel.is_closing()) {
        connector_.count_closing();
        closing_.push_back(&channel);
    }
    channel.peer_asked = true;
}

void ChannelTransport::on_close_answer(Channel& channel) {
    channel.state = ChannelState::ended;
}

}  // namespace railyard::mpi
