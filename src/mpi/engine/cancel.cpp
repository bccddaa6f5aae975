// Requests that are taken back. A receive is, as long as no message has matched it. So is a send
// that has not left. Of an RTS that has, only the receiver knows whether it was matched, so it is
// asked: it takes the RTS out of its unexpected queue and says so, or says that it is too late, and
// then the send ends as ever. Eager messages are complete without their receive, and are left
// alone.
//
// A CTS or FIN may cross the question, and the send be complete, and its place another's, before
// the answer comes; so answers come in the order of questions, and a question has a number. What a
// question names at the receiver is never a later RTS of the same place: packets keep their order.

#include <cstring>

#include "mpi/engine/channel_transport.hpp"

namespace railyard::mpi {

bool ChannelTransport::cancel(Request& request) {
    if (request.kind == Request::Kind::receive) return matcher_->withdraw(request);
    if (request.peer == engine_.rank.id()) return cancel_to_self(request);
    Channel& channel = connector_.open(request.peer);
    if (channel.backlog.remove_first(
            [&](const Pending& pending) { return pending.request == &request; }))
        return true;
    const bool sent_rts = request.channel != nullptr;
    if (!sent_rts || request.cancelling != 0) return false;
    if (++channel.cancels_asked == 0) ++channel.cancels_asked;
    request.cancelling = channel.cancels_asked;
    channel.cancels.push_back({&request, request.cancelling});
    send_control(channel, {.context = request.index(), .kind = PacketKind::cancel}, {});
    return false;
}

template <class Such>
bool ChannelTransport::drop_unexpected(Such&& such) {
    Unexpected* message = matcher_->oldest();
    while (message != nullptr && !such(*message))
        message = message->links[Unexpected::all].next;
    if (message == nullptr) return false;
    matcher_->withdraw(*message);
    release(*message);
    return true;
}

bool ChannelTransport::cancel_to_self(Request& send) {
    return drop_unexpected([&](const Unexpected& message) { return message.own_send == &send; });
}

void ChannelTransport::on_cancel(Channel& channel, const Header& header) {
    const bool gone = drop_unexpected([&](const Unexpected& message) {
        if (message.channel != &channel || message.header.kind != PacketKind::rts) return false;
        Rts rts;
        std::memcpy(&rts, message.payload, sizeof rts);
        return rts.wants_fin && rts.request == header.context;
    });
    send_control(channel, {.tag = gone ? 1 : 0, .kind = PacketKind::cancel_answer}, {});
}

void ChannelTransport::on_cancel_answer(Channel& channel, const Header& header) {
    const Channel::AskedCancel asked = channel.cancels.front();
    channel.cancels.pop_front();
    Request& send = *asked.send;
    if (send.channel != &channel || send.cancelling != asked.number) return;
    send.cancelling = 0;
    if (header.tag == 0) return;
    send.result.cancelled = true;
    engine_.complete(send);
}

}  // namespace railyard::mpi
