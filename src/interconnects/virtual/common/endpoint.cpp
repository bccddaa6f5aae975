#include "interconnects/virtual/common/endpoint.hpp"

namespace railyard::virtual_time {

using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;

namespace {

// Buffers larger than this are given back after use; smaller ones serve the next request.
constexpr std::size_t kept_buffer = 256;

/// Null if there is none, or if another Nic imported it.
const RegionKey* key_of(const fabric::RemoteRegion* region, const NicState& nic) {
    if (!region || !region->made_by(&nic)) return nullptr;
    return &static_cast<const RemoteRegion*>(region)->key();
}

}  // namespace

fabric::QueuePair::Posted Endpoint::post(std::span<const fabric::WorkRequest> requests) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
        setup_.nic->spend(HostStep::post_send);
        wire().tell(end());
        Status status = check(requests[i]);
        if (status.ok()) status = take(requests[i]);
        if (!status.ok()) return {i, status};
        advance();
    }
    return {requests.size(), {}};
}

/// Is the call well-formed, and is there room?
Status Endpoint::check(const fabric::WorkRequest& request) const {
    if (state_ == ConnectionState::failed) return Code::flushed;
    if (state_ != ConnectionState::connected) return Code::not_connected;
    const fabric::Traits& traits = network().traits;
    const bool inlined = fabric::has(request.flags, Flags::inlined);
    if (inlined ? !request.local.empty() : !request.bytes.empty()) return Code::invalid;
    if (request.local.size() > traits.max_slices) return Code::invalid;
    switch (request.op) {
        case Op::send:
            if (request.invalidate && !key_of(request.invalidate, *setup_.nic))
                return Code::invalid;
            break;
        case Op::rdma_write_imm:
            if (!traits.write_immediate) return Code::unsupported;
            [[fallthrough]];
        case Op::rdma_write:
            if (!key_of(request.remote.region, *setup_.nic)) return Code::invalid;
            break;
        case Op::rdma_read:
        case Op::fetch_add:
        case Op::compare_swap:
            if (inlined || !key_of(request.remote.region, *setup_.nic)) return Code::invalid;
            break;
        default:
            return Code::invalid;
    }
    if (inlined && Bytes(request.bytes.size()) > traits.max_inline) return Code::too_long;
    return {};
}

Status Endpoint::take(const fabric::WorkRequest& request) {
    if (sends_.size() == setup_.send_depth) {
        refused_again_ = true;
        wire().tell_by_events(end());
        return Code::again;
    }
    Request& taken = sends_.push();
    taken.id = request.id;
    taken.op = request.op;
    taken.flags = request.flags;
    taken.has_immediate = request.op == Op::rdma_write_imm || request.with_immediate;
    taken.immediate = request.immediate;
    taken.remote_offset = request.remote.offset;
    if (const RegionKey* key = key_of(request.remote.region, *setup_.nic)) taken.remote = *key;
    taken.invalidates = request.op == Op::send && request.invalidate;
    if (taken.invalidates) taken.invalidate = *key_of(request.invalidate, *setup_.nic);
    taken.content = request.content;
    taken.operand = request.operand;
    taken.swap = request.swap;
    taken.verdict = {};
    taken.status = {};
    taken.done = false;
    taken.local.clear();
    taken.carried.clear();
    taken.payload_carried = fabric::has(request.flags, Flags::inlined);

    Status refusal;
    if (taken.payload_carried) {
        taken.carried.assign(request.bytes.begin(), request.bytes.end());
        taken.size = Bytes(request.bytes.size());
    } else if (!to_pieces(request.local, *setup_.nic, taken.local)) {
        refusal = Code::invalid;
    } else {
        taken.size = total(taken.local);
        taken.status = usable(taken.local);
        if (taken.status.ok() && taken.size > network().traits.max_message)
            refusal = Code::too_long;
        if (taken.atomic() && taken.size != Bytes(8)) refusal = Code::invalid;
        // Bytes that are not where they are said to be must be here.
        const bool lacks = request.parcel == nullptr || taken.size != Bytes(request.parcel->size());
        if (lacks && !stored(taken.local)) refusal = Code::invalid;
    }
    if (!refusal.ok()) {
        sends_.pop_last();
        return refusal;
    }
    taken.parcel.reset();
    if (request.parcel != nullptr) taken.parcel = std::move(*request.parcel);
    taken.done = taken.status.failed();
    if (taken.is_waited_for() && waited_for_++ == 0 && sends_.size() > 1)
        wire().tell_by_events(end());
    // Told by its completion, and that after those of the requests before it; not within post(), so
    // that the rest of a list is taken all the same.
    if (taken.done)
        engine().schedule(engine().now(), [self = shared_from_this()] { self->retire(); });
    return {};
}

/// Starts what may start: all in order, but nothing behind a request that is known to fail.
void Endpoint::advance() {
    while (state_ == ConnectionState::connected && !waits_to_send_again_ &&
           started_ != sends_.end()) {
        Request& next = sends_[started_];
        if (next.done) return;
        if (fabric::has(next.flags, Flags::fence) && reads_under_way_ > 0) return;
        if (next.returns()) ++reads_under_way_;
        start(started_++);
    }
}

Transfer Endpoint::transfer(Kind kind, const End& to) const {
    Transfer transfer;
    transfer.message = network().messages++;
    transfer.kind = kind;
    transfer.from = end();
    transfer.to = to;
    return transfer;
}

void Endpoint::start(std::uint64_t sequence, bool again) {
    Request& request = sends_[sequence];
    Transfer message = transfer(request.kind(), peer_->end());
    request.message = message.message;
    message.size = request.returns() ? Bytes() : request.size;
    message.inlined = request.payload_carried;
    message.takes_receive = request.consumes_receive();
    message.again = again;
    Network& shared = network();
    shared.source.clear();
    if (!request.returns()) extents_of(request.local, shared.source);
    message.source = shared.source;
    shared.target.clear();
    // Memory that is not there, or not the peer's, takes no part; the target's adapter will refuse
    // it.
    if (request.kind() == Kind::write && request.remote.nic == peer_->setup_.nic->name)
        if (const auto target =
                shared.find_extent(request.remote, request.remote_offset, request.size))
            shared.target.push_back(*target);
    message.target = shared.target;
    wire().carry(message, [self = shared_from_this(), peer = peer_, sequence] {
        peer->arrive(self, sequence);
    });
}

/// The target's verdict has come back.
void Endpoint::answered(std::uint64_t sequence, Status status) {
    if (state_ != ConnectionState::connected) return;
    Request& request = sends_[sequence];
    request.status = status;
    request.done = true;
    if (status.failed()) peer_gone_ = true;
    retire();
}

/// The data of a read, or the old value of an atomic, are back at this adapter.
void Endpoint::returned(std::uint64_t sequence) {
    if (state_ != ConnectionState::connected) return;
    Request& request = sends_[sequence];
    Transfer message;
    message.message = request.message;
    message.kind = request.atomic() ? Kind::atomic_response : Kind::read_response;
    message.from = peer_->end();
    message.to = end();
    message.size = request.size;
    extents_of(request.local, network().target);
    message.target = network().target;
    wire().place(message, [self = shared_from_this(), sequence] { self->landed(sequence); });
}

void Endpoint::landed(std::uint64_t sequence) {
    if (state_ != ConnectionState::connected) return;
    Request& request = sends_[sequence];
    request.status = usable(request.local);
    if (request.status.ok()) {
        Scatter into(*setup_.nic, request.local);
        into.put(request.carried);
        into.pass(request.size - Bytes(request.carried.size()));
    }
    request.done = true;
    --reads_under_way_;
    // Nobody is told by a completion, but somebody may watch the memory.
    if (fabric::has(request.flags, Flags::unsignalled)) setup_.nic->notify();
    retire();
    advance();
}

/// Completes what is done, in the order of posting.
void Endpoint::retire() {
    while (state_ == ConnectionState::connected && !sends_.empty() && sends_.front().done) {
        Request& first = sends_.front();
        if (first.status.failed()) return fail(first.status, first.status);
        if (first.is_waited_for()) --waited_for_;
        const bool fits = complete(first, {});
        if (first.carried.capacity() > kept_buffer)
            network().buffers.give_back(std::exchange(first.carried, {}));
        sends_.pop();
        if (!fits) return fail(Code::overrun, Code::flushed);
        if (std::exchange(refused_again_, false)) setup_.nic->notify();
    }
}

/// False if the completion queue was full.
bool Endpoint::complete(const Request& request, Status status) {
    if (!setup_.queue_pair) return true;
    if (status.ok() && fabric::has(request.flags, Flags::unsignalled)) return true;
    fabric::Completion completion;
    completion.id = request.id;
    completion.status = status;
    completion.op = request.op;
    if (status.ok() && request.returns()) completion.length = request.size;
    completion.queue_pair = setup_.queue_pair;
    return setup_.send_completions->push(completion, false);
}

void Endpoint::close() {
    if (state_ == ConnectionState::connecting || state_ == ConnectionState::connected)
        finish(ConnectionState::idle, {}, Code::flushed, InFlight::delivered);
}

void Endpoint::detach() {
    close();
    setup_.queue_pair = nullptr;
}

/// The end of the connection, or of the attempt to get one. The oldest request that is not complete
/// ends with `first`, the others are flushed.
void Endpoint::finish(ConnectionState state, Status reason, Status first, InFlight in_flight) {
    const Ref self = shared_from_this();  // the peer's may be the last reference
    wire().tell(end());
    const bool was_connected = state_ == ConnectionState::connected;
    state_ = state;
    reason_ = reason;
    recalled_ = in_flight == InFlight::dropped;
    if (recalled_ && sends_.begin() != started_) wire().recall(end());  // some is under way
    engine().cancel(connect_timer_);
    engine().cancel(not_ready_timer_);
    engine().cancel(send_again_);
    stop_asking();
    const Ref peer = std::exchange(peer_, nullptr);
    tell_gone(peer_gone_ ? nullptr : peer);
    if (was_connected) {
        if (in_flight == InFlight::delivered) save_in_flight();
        flush(first);
    }
    setup_.nic->notify();
}

/// What has left still reaches the peer, but the memory it comes from is the user's again.
void Endpoint::save_in_flight() {
    for (std::uint64_t i = sends_.begin(); i != started_; ++i) {
        Request& request = sends_[i];
        if (request.done || request.returns() || request.payload_carried) continue;
        if (!usable(request.local).ok()) continue;
        request.payload_carried = true;
        if (!stored(request.local)) continue;  // they are in its parcel, or there already
        request.carried.reserve(request.size.count());
        for (const Piece& piece : request.local)
            request.carried.insert(request.carried.end(), piece.span().begin(), piece.span().end());
    }
}

void Endpoint::flush(Status first) {
    for (std::uint64_t i = sends_.begin(); i != sends_.end(); ++i)
        complete(sends_[i], std::exchange(first, Code::flushed));
    for (; !taken_.empty(); taken_.pop())
        flush_receive(taken_.front().id);
    if (!setup_.receives || setup_.receives->sharing == fabric::ReceiveQueue::Sharing::shared)
        return;
    for (Receive receive; setup_.receives->take(receive);)
        flush_receive(receive.id);
}

void Endpoint::flush_receive(std::uint64_t id) {
    if (!setup_.queue_pair) return;
    fabric::Completion completion;
    completion.id = id;
    completion.status = Code::flushed;
    completion.op = Op::receive;
    completion.queue_pair = setup_.queue_pair;
    setup_.receive_completions->push(completion, false);
}

/// The peer has failed or closed, and says so.
void Endpoint::peer_closed(const Ref& peer) {
    if (state_ != ConnectionState::connected || peer_ != peer) return;
    peer_gone_ = true;
    fail(Code::remote_closed, Code::remote_closed);
}

}  // namespace railyard::virtual_time
