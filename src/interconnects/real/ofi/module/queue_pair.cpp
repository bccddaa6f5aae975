#include "interconnects/real/ofi/module/queue_pair.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/ofi/module/nic.hpp"

namespace railyard::ofi {

using fabric::Access;
using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;

namespace {

Access access_of(Op op) {
    switch (op) {
        case Op::rdma_write:
        case Op::rdma_write_imm:
            return Access::remote_write;
        case Op::rdma_read:
            return Access::remote_read;
        case Op::fetch_add:
        case Op::compare_swap:
            return Access::remote_atomic;
        default:
            return Access::local;
    }
}

Kind kind_of(Op op) {
    switch (op) {
        case Op::rdma_write:
        case Op::rdma_write_imm:
            return Kind::write;
        case Op::rdma_read:
            return Kind::read;
        case Op::fetch_add:
            return Kind::fetch_add;
        case Op::compare_swap:
            return Kind::compare_swap;
        default:
            return Kind::send;
    }
}

}  // namespace

QueuePair::QueuePair(Nic& nic, const fabric::QueuePairOptions& options)
    : real::QueuePair<Parts>(nic, options),
      port_(nic.port(options.port)),
      own_patience_(options.receiver_not_ready_timeout) {
    nic_.add(*this);
}

QueuePair::~QueuePair() {
    close();
    if (peers_ask_) nic_.connection_requests().forget_loser(*peers_ask_);
    nic_.remove(*this);
    leave_queues();
}

QueuePair::Posted QueuePair::post(std::span<const WorkRequest> requests) {
    if (state_ != ConnectionState::connected) [[unlikely]]
        return not_accepting();
    const real::Limits limits{max_slices, max_inline, nic_.traits().max_message.count()};
    Posted posted{0, Code::ok};
    for (const WorkRequest& work : requests) {
        const real::Shape shape = real::shape_of(work, limits, &nic_);
        posted.status = shape.refusal;
        if (shape.refusal == Code::ok && count_ == send_depth_) posted.status = Code::again;
        if (!posted.status.ok()) break;
        enqueue(work, shape.length, shape.fault);
        ++posted.count;
    }
    issue();
    return posted;
}

void QueuePair::enqueue(const WorkRequest& work, std::uint64_t length, Code fault) {
    Request& request = nic_.requests().take();
    request.next = nullptr;
    request.id = work.id;
    request.op = work.op;
    request.flags = work.flags;
    request.fault = fault == Code::ok ? check(work, length) : fault;
    request.with_immediate =
        work.op == Op::rdma_write_imm || (work.op == Op::send && work.with_immediate);
    request.invalidates = work.op == Op::send && work.invalidate != nullptr;
    request.issued = request.sent = request.answered = false;
    request.direct = request.announced = false;
    request.pushes = 0;
    request.pushed = 0;
    request.key = request.address = 0;
    request.immediate = work.immediate;
    request.operands = {work.operand, work.swap};
    request.length = length;
    request.is_long = length > link_->device().longest_data();
    request.number = ++number_;
    const fabric::RemoteRegion* const remote =
        work.op == Op::send ? work.invalidate : work.remote.region;
    request.region = remote != nullptr ? static_cast<const ImportedRegion&>(*remote).number() : 0;
    request.offset = work.remote.offset.count();
    if (work.op != Op::send && remote != nullptr) {
        const auto& region = static_cast<const ImportedRegion&>(*remote);
        request.key = region.key();
        request.address = region.address() + request.offset;
    }
    request.count = 0;
    if (!work.bytes.empty()) {
        std::memcpy(request.bytes.data(), work.bytes.data(), work.bytes.size());
        request.pieces[request.count++] = {request.bytes.data(), work.bytes.size(), 0};
    } else if (request.fault == Code::ok) {
        for (const fabric::Slice& slice : work.local)
            if (slice.length > Bytes()) request.pieces[request.count++] = piece_of(slice);
    }
    (oldest_ == nullptr ? oldest_ : newest_->next) = &request;
    newest_ = &request;
    if (unissued_ == nullptr) unissued_ = &request;
    ++count_;
}

/// What this side knows of the peer's memory before it asks.
Code QueuePair::check(const WorkRequest& work, std::uint64_t length) const {
    if (work.op == Op::send) {
        if (work.invalidate == nullptr) return Code::ok;
        const auto& region = static_cast<const ImportedRegion&>(*work.invalidate);
        return region.owner() == peer_ ? Code::ok : Code::bad_key;
    }
    const auto& region = static_cast<const ImportedRegion&>(*work.remote.region);
    if (region.owner() != peer_) return Code::bad_key;
    return region.check(work.remote.offset.count(), length, access_of(work.op));
}

/// Its memory may have gone while it waited.
bool QueuePair::is_alive(const Request& request) const {
    return std::ranges::all_of(request.list(), [&](const Piece& piece) {
        return piece.region == 0 || nic_.regions().find(piece.region) != nullptr;
    });
}

void QueuePair::issue() {
    while (unissued_ != nullptr && state_ == ConnectionState::connected && issue_next()) {
    }
    retire();
}

/// False if it has to wait.
bool QueuePair::issue_next() {
    Request& request = *unissued_;
    if (request.fault != Code::ok || credits_ == 0) return false;
    if (has(request.flags, Flags::fence) && reads_under_way_ > 0) return false;
    if (!is_alive(request)) {
        request.fault = Code::region_gone;
        return false;
    }
    const std::uint16_t owed = owed_;
    const Link::Sent sent = send(request);
    if (sent == Link::Sent::again) {
        owed_ = owed;  // what has not left returns no credits
        return false;
    }
    --credits_;
    request.issued = true;
    request.sent = sent == Link::Sent::taken && request.pushes == 0;
    if (link_->device().grants()) note(request);
    if (request.awaits_answer()) ++reads_under_way_;
    unissued_ = request.next;
    return true;
}

Link::Sent QueuePair::send(Request& request) {
    Header header = header_of(kind_of(request.op), request.number);
    header.region = request.region;
    header.offset = request.offset;
    header.length = request.length;
    header.immediate = request.immediate;
    if (request.with_immediate) header.flags |= flag::immediate;
    if (request.invalidates) header.flags |= flag::invalidates;
    if (!request.direct) request.direct = may_be_direct(request);
    if (request.is_told()) header.flags |= flag::tell;
    if (has(request.flags, Flags::solicited)) header.flags |= flag::solicited;
    if (real::is_atomic(request.op)) {
        const Piece operands{reinterpret_cast<std::byte*>(&request.operands),
                             sizeof request.operands, 0};
        return link_->send(header, std::span(&operands, 1), request);
    }
    if (request.direct) return send_direct(request, header);
    if (!request.is_bulk()) {
        if (request.is_read()) return link_->send(header, {}, request);
        return link_->send(header, request.list(), request);
    }
    std::array<Place, max_slices> places;
    for (const Piece& piece : request.list())
        places[header.places++] = nic_.regions()
                                      .find(piece.region)
                                      ->place(piece.data, piece.length, link_->port().number());
    header.flags |= flag::bulk;
    if (request.is_read() && link_->device().brings_words()) {
        header.flags |= flag::word;
        header.immediate = link_->mark();
    }
    const Piece list{reinterpret_cast<std::byte*>(places.data()), header.places * sizeof(Place), 0};
    return link_->send(header, std::span(&list, 1), request);
}

void QueuePair::link_sent(Request& request) {
    if (request.direct && (--request.pushes > 0 || !request.issued)) return;
    request.sent = true;
    if (&request == oldest_) retire();
}

void QueuePair::link_resumed() {
    push_asked();
    serve();
    if (state_ == ConnectionState::connected) issue();
}

bool QueuePair::is_done(const Request& request) const {
    if (!request.issued || !request.sent) return false;
    if (request.awaits_answer()) return request.answered;
    return !request.is_told() || told_ >= request.number;
}

Request* QueuePair::unlink_oldest() {
    Request* const request = oldest_;
    oldest_ = request->next;
    if (unissued_ == request) unissued_ = request->next;
    // Whoever waits for room waits on requests that tell nothing, too.
    if (count_-- == send_depth_) nic_.has_news();
    return request;
}

void QueuePair::retire_done() {
    while (oldest_ != nullptr && is_done(*oldest_)) {
        Request* const request = unlink_oldest();
        if (!has(request->flags, Flags::unsignalled)) complete(*request, Code::ok);
        nic_.requests().give_back(*request);
    }
}

void QueuePair::retire() {
    if (state_ != ConnectionState::connected) return;
    retire_done();
    if (oldest_ == nullptr || oldest_->fault == Code::ok) return;
    // Its turn has come: all before it is done.
    fail(oldest_->fault, oldest_->fault, Words::bye);
}

void QueuePair::complete(const Request& request, Code status) {
    complete_send(request.id, request.op, status, status == Code::ok ? request.length : 0);
    nic_.has_news();
}

void QueuePair::close() {
    if (is_connecting()) return connection_failed(Code::flushed);
    if (state_ != ConnectionState::connected) return;
    fail(Code::flushed, Code::flushed, Words::bye);
    nic_.cut_dropped();  // memory of requests is the user's when this returns
}

void QueuePair::fail(Code code, Code oldest, Words words, std::uint64_t number, Code fault) {
    if (state_ != ConnectionState::connected) return;
    log_debug("ofi: a connection is over: {}", railyard::name(code));
    retire_done();
    state_ = ConnectionState::failed;
    reason_ = code;
    // Whose memory the peer may still write to, or we into, cannot be given back before it is cut.
    bool exposed = link_->is_moving();
    for (const Request* request = oldest_; request != nullptr; request = request->next)
        exposed |= (request->issued && request->is_bulk()) || request->pushes > 0;
    flush_requests(oldest);
    for (Inbound* inbound : inbound_) {
        if (inbound->has_receive) complete_receive(inbound->receive.id, Code::flushed);
        release(*inbound);
    }
    inbound_.clear();
    fetches_.clear();
    starving_ = false;
    flush_receives();
    nic_.forget_time(*this);
    nic_.has_news();
    if (words != Words::none) {
        Header header = header_of(words == Words::bye ? Kind::bye : Kind::failed, number);
        header.places = static_cast<std::uint32_t>(fault);
        link_->say(header);
    }
    if (exposed || words == Words::none)
        nic_.drop(std::move(link_));
    else
        nic_.linger(std::move(link_));
}

void QueuePair::flush_requests(Code oldest) {
    while (oldest_ != nullptr) {
        Request* const request = unlink_oldest();
        complete(*request, oldest);
        if (request->issued && request->is_bulk()) link_->lend(*request);
        link_->forget(*request);
        nic_.requests().give_back(*request);
        oldest = Code::flushed;
    }
    newest_ = unissued_ = nullptr;
    reads_under_way_ = 0;
}

void QueuePair::link_down() {
    if (state_ == ConnectionState::connected)
        return fail(Code::remote_closed, Code::remote_closed, Words::none);
    if (!is_connecting()) return;
    drop_link();
    // Who answered, and whose peer gave up before it was ready, goes on asking.
    if (asking_->answers && asking_->as_peer) return start_over();
    connection_failed(asking_->answers ? Code::timed_out : Code::refused);
}

bool QueuePair::needs(const LocalRegion& region) const {
    if (state_ != ConnectionState::connected) return false;
    for (const Request* request = oldest_; request != nullptr; request = request->next)
        if (request->needs_memory() && request->uses(region)) return true;
    return false;
}

void QueuePair::detach(const LocalRegion& region) {
    if (needs(region)) fail(Code::region_gone, Code::region_gone, Words::bye);
}

}  // namespace railyard::ofi
