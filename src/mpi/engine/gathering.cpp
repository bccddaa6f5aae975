// Small messages that are started together leave together, where a letter costs more than what is
// in it. The first of a burst leaves at once, since nobody knows whether another will come; those
// that follow are bundled until their sender waits or looks, or a bundle is full. Their requests
// are complete only then: who must not wait for an answer without having sent, waits for them.

#include "base/copy_few.hpp"
#include "mpi/engine/channel_transport.hpp"

namespace railyard::mpi {

bool ChannelTransport::gather(Channel& channel, const Header& header, const std::byte* data) {
    if (!channel.backlog.empty()) return false;
    if (!channel.in_burst) {
        if (!channel.has_room(header.length)) return false;
        channel.in_burst = true;
        bursts_.push_back(&channel);
        copy_bytes(channel.place(header.length), data, header.length);
        channel.put(header);
    } else {
        if (!channel.bundle(header, data)) return false;
        holds_back_ = true;
    }
    count_eager(header.length);
    return true;
}

void ChannelTransport::end_bursts() {
    for (Channel* channel : bursts_) {
        channel->in_burst = false;
        channel->send_bundle();
    }
    bursts_.clear();
    holds_back_ = false;
    for (Request* send : gone_soon_)
        ground_.complete(*send);
    gone_soon_.clear();
}

}  // namespace railyard::mpi
