// Zero-copy: RDMA between registered memory of the users.
//
// Rendezvous: RDMA reads by the receiver, or RDMA writes by the sender, between
// registered memory of the users, striped over the rails (MP-1). A FIN tells the other side of the
// end.

#include <algorithm>

#include "mpi/engine/channel_transport.hpp"
#include "mpi/engine/netmod.hpp"

namespace railyard::mpi {

std::byte* ChannelTransport::register_data(Request& request, std::size_t length) {
    if (request.one_sided) return request.data;
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
            if (request.stays) [[unlikely]]
                work.content = Bytes(0);
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
    if (request.one_sided) return access(request, remote);
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
    if (request.one_sided) {
        engine_.complete(request);
    } else if (request.kind == Request::Kind::send) {
        if (request.fin_owed) send_write_fin(request, 0);
        engine_.complete(request);
    } else {
        end_bulk(request);
        send_read_fin(channel, request.partner, channel.bulk.next(request.total));
        finish_receive(request);
    }
    end_rdma(channel);
}

void ChannelTransport::finish_if_written(Request& receive) {
    if (receive.fin_received && receive.stripes == 0) finish_receive(receive);
}

void ChannelTransport::finish_receive(Request& receive) {
    if (receive.packed) {
        if (!receive.stays) [[likely]]
            receive.write_data(0, receive.packed.get(), receive.total);
        engine_.overhead.copy_in(receive.users(0), receive.total);
    }
    engine_.complete(receive);
}

void ChannelTransport::send_write_fin(Request& send, int immediates) {
    send_control(*send.channel,
                 {.context = send.partner, .tag = immediates, .kind = PacketKind::write_fin}, {});
}

void ChannelTransport::send_read_fin(Channel& channel, std::uint32_t sender_request, Way advice) {
    send_control(channel,
                 {.context = sender_request, .kind = PacketKind::read_fin, .advice = advice}, {});
}

// One-sided: operations on memory that a peer has told of before, and of which nobody is told.

std::shared_ptr<CachedRegion> ChannelTransport::register_memory(std::span<std::byte> memory,
                                                                bool kept) {
    Netmod* netmod = nullptr;
    bool is_only = true;
    netmods_.for_each([&](Netmod& one) {
        is_only = netmod == nullptr;
        netmod = &one;
    });
    const fabric::Traits& traits = netmod->nic.traits();
    // With two netmods, memory would have a name in each.
    if (!is_only || traits.progress != fabric::Progress::hardware ||
        traits.bulk == fabric::Bulk::send)
        return nullptr;
    RegistrationCache& registrations = netmod->registrations;
    return kept ? registrations.get(memory.data(), memory.size())
                : registrations.get_once(memory.data(), memory.size());
}

void ChannelTransport::start_access(Request& request) {
    engine_.overhead.request();
    Channel& channel = connector_.open(request.peer);
    connector_.used(channel);
    request.needs_cleanup = true;
    request.one_sided = true;
    request.channel = &channel;
    request.total = request.bytes;
    request.stays = engine_.leaves_content(request.content, request.bytes);
    begin_rdma(request, request.access->remote);
}

void ChannelTransport::access(Request& request, const RemoteBuffer& remote) {
    const RemoteAccess& wanted = *request.access;
    start_rdma(request, remote,
               [&](fabric::WorkRequest& work, std::uint64_t, std::size_t, bool last) {
                   work.op = wanted.op;
                   work.operand = wanted.operand;
                   work.swap = wanted.swap;
                   if (last && wanted.op == fabric::Op::rdma_write)
                       work.flags = fabric::Flags::remote_completion;
               });
}

}  // namespace railyard::mpi
