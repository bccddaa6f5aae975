#include <algorithm>
#include <cstring>

#include "interconnects/virtual/common/endpoint.hpp"

namespace railyard::virtual_time {

using fabric::ConnectionState;
using fabric::Op;

/// Is that peer's request still for us? If we are dead, the peer has been told.
bool Endpoint::serves(const Ref& from) const {
    return state_ == ConnectionState::connected && peer_ == from && !from->recalled_;
}

void Endpoint::arrive(const Ref& from, std::uint64_t sequence) {
    if (!serves(from)) return;
    // What was sent behind a request that was refused is out of turn, and will come again.
    if (refusals_ > 0 && sequence != served_) return wire().drop();
    arrived_ = sequence + 1;
    serve();
}

/// Judges what has arrived, in order. A message that finds no receive holds up all behind it.
void Endpoint::serve() {
    const Ref from = peer_;
    while (!deaf_ && served_ != arrived_ && serves(from)) {
        Request& request = from->sends_[served_];
        if (!judge(request)) return;
        // From a request that will be refused on, the peer's requests are not looked at any more.
        deaf_ = request.verdict.failed();
        const std::uint64_t sequence = served_++;

        Transfer message;
        message.message = request.message;
        message.kind = request.kind();
        message.from = from->end();
        message.to = end();
        message.size = request.size;
        message.inlined = request.payload_carried;
        std::vector<Extent>& extents = network().target;
        extents.clear();
        if (request.op == Op::send && request.took_receive)
            extents_of(taken_[taken_.end() - 1].local, extents);
        else if (request.target)
            extents.push_back({request.target->id, request.remote_offset, request.size,
                               request.target->home, request.target->size});
        (request.op == Op::rdma_read ? message.source : message.target) = extents;
        wire().place(message, [self = shared_from_this(), from, sequence] {
            self->execute(from, sequence);
        });
    }
}

/// Sets the verdict; false if that has to wait for a receive.
bool Endpoint::judge(Request& request) {
    const NicState& nic = *setup_.nic;
    request.target = nullptr;
    request.invalidated = nullptr;
    request.took_receive = false;
    request.verdict = {};
    fabric::Access access = fabric::Access::remote_write;
    if (request.returns())
        access = request.atomic() ? fabric::Access::remote_atomic : fabric::Access::remote_read;
    if (request.op != Op::send)
        request.verdict =
            nic.check(request.remote, request.remote_offset, request.size, access, request.target);
    else if (request.invalidates)
        request.verdict =
            nic.check(request.invalidate, {}, {}, fabric::Access::local, request.invalidated);
    // By the offset, as hosts may lay a region anywhere.
    if (request.verdict.ok() && request.atomic() && request.remote_offset.count() % 8 != 0)
        request.verdict = Code::misaligned;
    if (request.verdict.failed() || !request.consumes_receive()) return true;
    return take_receive(request);
}

bool Endpoint::take_receive(Request& request) {
    Receive& receive = taken_.push();
    if (!setup_.receives || !setup_.receives->take(receive)) {
        taken_.pop_last();
        ++network().receiver_not_ready;
        no_receive();
        return false;
    }
    refusals_ = 0;
    request.took_receive = true;
    if (request.op == Op::send && request.size > total(receive.local))
        request.verdict = Code::too_long;
    return true;
}

/// The message is in place, or a read has got at the memory: the moment at which it is done.
void Endpoint::execute(const Ref& from, std::uint64_t sequence) {
    if (!serves(from)) return;
    Request& request = from->sends_[sequence];
    if (request.verdict.ok() && request.target && !request.target->usable_by_peers())
        request.verdict = Code::region_gone;
    Status receive;  // how the receive it took ends, unless it is flushed
    if (request.verdict.code() == Code::too_long) {
        receive = request.verdict;
    } else if (request.verdict.ok() && request.op == Op::send) {
        receive = usable(taken_.front().local);
        if (receive.failed()) request.verdict = Code::remote_fault;
    }
    if (request.verdict.ok()) {
        if (request.returns()) {
            fetch(request);
            return send_back(from, sequence);
        }
        request.verdict = deliver(request);
    }
    const bool tells = request.took_receive && (request.verdict.ok() || receive.failed());
    const bool fits = !tells || complete_receive(request, receive);
    answer(from, sequence, request.verdict);
    if (request.verdict.failed())
        fail(receive.failed() ? receive : Status(Code::remote_closed), Code::remote_closed);
    else if (!fits)
        fail(Code::overrun, Code::flushed);
}

/// The payload in one piece, to be handed over. Beyond what has to come, it is whatever was there.
fabric::Parcel Endpoint::parcel_of(Request& request) const {
    if (request.parcel) return std::move(request.parcel);
    fabric::Parcel parcel = network().parcels.take(request.size.count());
    std::byte* to = parcel.data();
    std::size_t left = std::min(parcel.size(), request.content.count());
    const auto add = [&](std::span<const std::byte> bytes) {
        const auto first = bytes.first(std::min(bytes.size(), left));
        to = std::ranges::copy(first, to).out;
        left -= first.size();
    };
    if (request.payload_carried) {
        add(request.carried);
    } else {
        for (const Piece& piece : request.local)
            add(piece.span());
    }
    return parcel;
}

/// Moves the payload from the initiator's memory to where it belongs.
Status Endpoint::deliver(Request& request) {
    Piece whole;  // of the target region
    std::span<const Piece> into;
    if (request.op == Op::send) {
        into = taken_.front().local;
    } else {
        whole = {request.target, request.remote_offset, request.size};
        into = {&whole, 1};
    }
    if (!request.payload_carried)
        if (const Status status = usable(request.local); status.failed()) return status;
    if (!stored(into)) {
        const Piece& place = into.front();
        if (place.region->inbox != nullptr)
            place.region->inbox->put(place.offset, parcel_of(request));
    } else if (request.parcel) {
        Scatter(*setup_.nic, into).put(std::span(request.parcel.data(), request.parcel.size()));
    } else if (request.payload_carried) {
        Scatter(*setup_.nic, into).put(request.carried);
    } else {
        Scatter(*setup_.nic, into).put(request.local, request.content);
    }
    request.parcel.reset();
    if (request.invalidated) request.invalidated->invalidated = true;
    // A plain write has no completion here: the rank may be watching the memory.
    if (request.op == Op::rdma_write) setup_.nic->notify();
    return {};
}

/// Reads, and for an atomic changes, what the answer brings back.
void Endpoint::fetch(Request& request) {
    const Piece whole{request.target, request.remote_offset, request.size};
    std::span<std::byte> bytes = whole.span();
    if (!request.atomic()) {
        request.carried = network().buffers.take();
        // Room for all, as ever: some models' times go by where later memory comes to lie.
        request.carried.reserve(bytes.size());
        bytes = bytes.first(std::min(bytes.size(), request.content.count()));
    }
    request.carried.assign(bytes.begin(), bytes.end());
    if (!request.atomic()) return;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    if (request.op == Op::fetch_add)
        value += request.operand;
    else if (value == request.operand)
        value = request.swap;
    std::memcpy(bytes.data(), &value, sizeof value);
    setup_.nic->notify();
}

void Endpoint::send_back(const Ref& from, std::uint64_t sequence) {
    Request& request = from->sends_[sequence];
    Transfer message =
        transfer(request.atomic() ? Kind::atomic_response : Kind::read_response, from->end());
    request.message = message.message;
    message.size = request.size;
    std::vector<Extent>& extents = network().source;
    extents.assign({{request.target->id, request.remote_offset, request.size, request.target->home,
                     request.target->size}});
    message.source = extents;
    wire().carry(message, [from, sequence] { from->returned(sequence); });
}

/// Tells the peer how its request went. After a refusal this side must fail, too; the peer hears of
/// that by the answer.
void Endpoint::answer(const Ref& from, std::uint64_t sequence, Status status) {
    const Transfer message = transfer(Kind::acknowledgment, from->end());
    auto answered = [from, sequence, status] { from->answered(sequence, status); };
    if (status.ok() && from->waited_for_ == 0 && !from->refused_again_)
        wire().carry_unheard(message, std::move(answered));
    else
        wire().carry(message, std::move(answered));
    if (status.failed()) peer_gone_ = true;
}

/// False if the completion queue was full.
bool Endpoint::complete_receive(const Request& request, Status status) {
    fabric::Completion completion;
    completion.id = taken_.front().id;
    completion.status = status;
    completion.op = Op::receive;
    completion.queue_pair = setup_.queue_pair;
    if (status.ok() || status.code() == Code::too_long) completion.length = request.size;
    if (status.ok()) {
        completion.has_immediate = request.has_immediate;
        completion.immediate = request.has_immediate ? request.immediate : 0;
        if (request.invalidated) completion.invalidated = request.invalidated->region;
    }
    taken_.pop();
    return setup_.receive_completions->push(completion,
                                            fabric::has(request.flags, fabric::Flags::solicited));
}

}  // namespace railyard::virtual_time
