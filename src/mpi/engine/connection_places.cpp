// The places that a rank has for connections, where they are bounded: who gets one, whose is taken.

#include <algorithm>

#include "mpi/engine/connector.hpp"

namespace railyard::mpi {

void Connector::want(Channel& channel) {
    if (has_place(channel.peer_waits)) return begin(channel);
    channel.state = ChannelState::waiting;
    wanted_.push_back(&channel);
}

void Connector::begin_wanted() {
    std::vector<Channel*> wanted;
    wanted.swap(wanted_);
    // Peers that ask go first: only they can be sure of a place.
    std::ranges::stable_partition(wanted, &Channel::peer_waits);
    for (Channel* channel : wanted)
        want(*channel);
}

Channel* Connector::next_to_close() {
    if (!is_full()) return nullptr;
    const auto answers =
        static_cast<std::size_t>(std::ranges::count_if(wanted_, &Channel::peer_waits));
    const std::size_t own = limit() - 1 - std::min<std::size_t>(limit() - 1, connecting_.size());
    const std::size_t places = answers + std::min(own, wanted_.size() - answers);
    if (closing_ + (limit() - open_) >= places) return nullptr;
    // Those that have failed, then idle ones. If there are none, a busy one has its turn: whatever
    // waits for it goes on over its next connection.
    Channel* found = nullptr;
    const auto sooner = [](const Channel& one, const Channel& other) {
        if (one.lost != other.lost) return one.lost;
        if (one.is_idle() != other.is_idle()) return one.is_idle();
        return one.last_used < other.last_used;
    };
    for (const auto& channel : channels_.all()) {
        if (channel->state != ChannelState::connected || channel->peer_asked) continue;
        if (found == nullptr || sooner(*channel, *found)) found = channel.get();
    }
    return found;
}

void Connector::end(Channel& channel) {
    Netmod& netmod = channel.netmod;
    engine_.counters.queue_pairs -= channel.rails.size();
    netmod.queue_pairs -= static_cast<std::uint32_t>(channel.rails.size());
    channel.rails.clear();
    channel.next_rail.reset();
    if (channel.in.open()) {
        --netmod.rings;
        std::erase(watched_, &channel);
        release(netmod.geometry.size() + channel.out.memory());
        channel.out = RingWriter();
        channel.in = RingReader();
    }
    if (channel.own_buffers) {
        release(channel.own_buffers->memory());
        channel.buffers = nullptr;
        channel.own_buffers.reset();
    }
    channel.credits = 0;
    channel.owed_credits = 0;
    channel.rdma_active = 0;
    channel.wants_rails = false;
    channel.lost = false;
    channel.peer_asked = false;
    channel.was_closed = true;
    channel.state = ChannelState::closed;
    --open_;
    --closing_;
    ++engine_.counters.closed;
    // In virtual time, what the system does for that has its cost, and is done now.
    engine_.host.compute(Duration{});
    if (channel.state == ChannelState::closed && (channel.peer_waits || !channel.is_idle()))
        want(channel);
}

}  // namespace railyard::mpi
