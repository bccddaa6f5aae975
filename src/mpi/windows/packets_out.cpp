// Operations as packets. An operation is cut into as many packets as it takes, each of which the
// target carries out by itself, in order; so accumulates to one place keep their order, too.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "mpi/windows/window.hpp"

namespace railyard::mpi {

/// Fills packets with runs and data, and sees to it that what comes back finds its place.
class Window::PacketStream {
  public:
    /// `data`: what goes along, or null; `into`: where what comes back belongs, or null.
    PacketStream(Window& window, const TargetBuffer& to, const RmaHeader& header,
                 const ConstBuffer* data, const Buffer* into)
        : window_(window),
          rank_(to.rank),
          total_(to.bytes()),
          header_(header),
          is_visit_(std::exchange(header_.ends_visit, 0) != 0),
          data_(data),
          into_(into) {}

    void add(Run run, Unit unit) {
        const std::size_t each = data_ != nullptr ? unit.size : 0;
        while (run.count != 0) {
            if (packet_ != nullptr && packet_->room() < sizeof(Run) + each) send(false);
            if (packet_ == nullptr) begin();
            std::uint64_t n = run.count;
            if (each != 0) n = std::min<std::uint64_t>(n, (packet_->room() - sizeof(Run)) / each);
            const Run part{run.at, n};
            packet_->append(&part, sizeof part);
            add_data(n * each);
            asked_ += n * unit.size;
            run.at += n * unit.extent;
            run.count -= n;
        }
    }
    /// What the operation has under way, or null.
    Transfer* finish() {
        if (packet_ != nullptr) send(true);
        return transfer_;
    }

  private:
    void begin() {
        if (into_ != nullptr) header_.token = window_.next_token();
        packet_ = &window_.begin_packet(header_);
    }
    void add_data(std::size_t n) {
        if (n == 0) return;
        data_->type->pack(data_->address, data_->count, packed_,
                          {packet_->bytes.data() + packet_->size, n});
        window_.process().host().charge_copy(n, nullptr,
                                             static_cast<const std::byte*>(data_->address));
        packet_->size += n;
        packed_ += n;
    }
    void send(bool is_last) {
        if (into_ != nullptr) expect_reply(is_last && fetched_ == 0);
        if (is_last && is_visit_) packet_->bytes[offsetof(RmaHeader, ends_visit)] = std::byte{1};
        window_.send(*packet_, rank_);
        packet_ = nullptr;
        fetched_ += asked_;
        asked_ = 0;
    }
    /// The only reply of an operation goes where the user wants it; several are put together first.
    void expect_reply(bool is_only) {
        if (transfer_ == nullptr) {
            transfer_ = &window_.take_transfer(Transfer::Role::fetch, rank_);
            transfer_->into = *into_;
            transfer_->bytes = total_;
        }
        if (!is_only && !transfer_->packed) {
            transfer_->packed = std::make_unique_for_overwrite<std::byte[]>(total_);
            transfer_->stream = transfer_->packed.get();
            transfer_->keeps_type = into_->type->weak_from_this().lock();
        }
        const Buffer part =
            is_only ? *into_ : Buffer{transfer_->packed.get() + fetched_, asked_, &byte_type()};
        window_.start(*transfer_, window_.process().start_receive_in(
                                      window_.comm_->context(), part, rank_,
                                      rma_reply_tag(header_.token), *window_.comm_));
    }

    Window& window_;
    int rank_;
    std::size_t total_;
    RmaHeader header_;
    bool is_visit_;
    const ConstBuffer* data_;
    const Buffer* into_;
    Packet* packet_ = nullptr;
    std::size_t packed_ = 0;   ///< bytes of the data that are in packets
    std::size_t asked_ = 0;    ///< bytes that this packet is about
    std::size_t fetched_ = 0;  ///< ... and those before it
    Transfer* transfer_ = nullptr;
};

void Window::Packet::append(const void* data, std::size_t n) {
    std::memcpy(bytes.data() + size, data, n);
    size += n;
}

void Window::Packet::completed(Request& request) {
    window.process().release(request);
    if (visitor >= 0) window.end_visit(std::exchange(visitor, -1));
    window.free_packets_.push_back(this);
}

void Window::Transfer::completed(Request& request) {
    window.process().release(request);
    if (--parts == 0) window.on_done(*this);
}

Window::Packet& Window::take_packet() {
    if (free_packets_.empty()) return packets_.emplace_back(*this);
    Packet& packet = *free_packets_.back();
    free_packets_.pop_back();
    packet.size = 0;
    return packet;
}

Window::Packet& Window::begin_packet(const RmaHeader& header) {
    Packet& packet = take_packet();
    packet.append(&header, sizeof header);
    return packet;
}

void Window::send(Packet& packet, int rank, int tag) {
    if (rank == comm_->rank()) {
        on_packet(rank, {packet.bytes.data(), packet.size});
        free_packets_.push_back(&packet);
        return;
    }
    Request& request = process().start_send_in(
        comm_->context(), ConstBuffer(packet.bytes.data(), packet.size, byte_type()), rank, tag,
        *comm_);
    if (!process().watch(request, packet)) packet.completed(request);
}

Window::Transfer& Window::take_transfer(Transfer::Role role, int rank) {
    Transfer* transfer = nullptr;
    if (free_transfers_.empty()) {
        transfer = &transfers_.emplace_back(*this);
    } else {
        transfer = free_transfers_.back();
        free_transfers_.pop_back();
    }
    transfer->role = role;
    transfer->rank = rank;
    Peer& other = peer(rank);
    switch (role) {
        case Transfer::Role::fetch:
            ++other.fetching;
            break;
        case Transfer::Role::bulk_out:
            ++other.leaving;
            break;
        case Transfer::Role::bulk_in:
            ++other.arriving;
            break;
        case Transfer::Role::reply:
            break;
    }
    return *transfer;
}

void Window::start(Transfer& transfer, Request& part) {
    ++transfer.parts;
    if (!process().watch(part, transfer)) transfer.completed(part);
}

void Window::on_done(Transfer& transfer) {
    Peer& other = peer(transfer.rank);
    const int rank = transfer.rank;
    const Transfer::Role role = transfer.role;
    if (role == Transfer::Role::fetch && transfer.stream != nullptr) {
        process().host().charge_copy(transfer.bytes,
                                     static_cast<std::byte*>(transfer.into.address));
        transfer.into.type->unpack(transfer.into.address, transfer.into.count, 0,
                                   {transfer.stream, transfer.bytes});
    }
    transfer.stream = nullptr;
    transfer.packed.reset();
    if (transfer.slot != nullptr) free_slots_.push_back(std::exchange(transfer.slot, nullptr));
    transfer.keeps_type.reset();
    if (transfer.visitor >= 0) end_visit(std::exchange(transfer.visitor, -1));
    if (transfer.user != nullptr) process().finish(*std::exchange(transfer.user, nullptr));
    free_transfers_.push_back(&transfer);
    if (role == Transfer::Role::fetch) --other.fetching;
    if (role == Transfer::Role::bulk_out) --other.leaving;
    if (role != Transfer::Role::bulk_in || --other.arriving != 0) return;
    std::vector<RmaHeader> held;
    held.swap(other.held);
    for (const RmaHeader& header : held)
        on_end(rank, header);
}

std::uint32_t Window::next_token() {
    return token_ = (token_ + 1) % rma_tokens;
}

void Window::touch(Peer& peer, int rank) {
    if (std::exchange(peer.is_touched, true)) return;
    touched_.push_back(rank);
}

Request* Window::send_bulk(const ConstBuffer& data, const Found& place, const TargetBuffer& to,
                           bool wanted) {
    touch(place.peer, to.rank);
    place.peer.is_unflushed = true;
    const RmaHeader header{.kind = RmaKind::bulk_put, .token = next_token()};
    const Run run{place.at + static_cast<std::uint64_t>(to.type->true_lower_bound()), to.bytes()};
    Packet& packet = begin_packet(header);
    packet.append(&run, sizeof run);
    send(packet, to.rank);
    Transfer& transfer = take_transfer(Transfer::Role::bulk_out, to.rank);
    Request* const user = wanted ? &process().make_pending(comm_->context()) : nullptr;
    transfer.user = user;
    start(transfer, process().start_send_in(comm_->context(), data, to.rank,
                                            rma_data_tag(header.token), *comm_));
    return user;
}

Request* Window::send_operation(const RmaHeader& header, const ConstBuffer* data,
                                const Buffer* into, const Found& place, const TargetBuffer& to,
                                Unit unit, bool wanted) {
    touch(place.peer, to.rank);
    // Of what fetches, the reply says that it is done, but not what went wrong; of visits, a word.
    if (header.ends_visit == 0 && (into == nullptr || plan_.flavor == Flavor::dynamic))
        place.peer.is_unflushed = true;
    PacketStream stream(*this, to, header, data, into);
    if (header.kind == RmaKind::compare_swap)
        stream.add({place.at, 1}, unit);
    else
        for_each_run(*to.type, to.count, place.at, unit,
                     [&](const Run& run) { stream.add(run, unit); });
    Transfer* const transfer = stream.finish();
    if (transfer == nullptr || !wanted) return nullptr;
    return transfer->user = &process().make_pending(comm_->context());
}

}  // namespace railyard::mpi
