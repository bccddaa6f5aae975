#include "interconnects/real/shm/queue_pair.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/shm/nic.hpp"

namespace railyard::shm {

using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;

namespace {

// How often a sender looks whether its peer has run out of receives.
constexpr Duration starvation_check = Duration::ms(5);

constexpr real::Limits limits{max_slices, max_inline};

}  // namespace

QueuePair::QueuePair(Nic& nic, const fabric::QueuePairOptions& options)
    : real::QueuePair<Parts>(nic, options),
      track_sends_(options.receiver_not_ready_timeout != Duration::forever()),
      receiver_not_ready_timeout_(options.receiver_not_ready_timeout) {}

QueuePair::~QueuePair() {
    close();
    nic_.forget(*this);
    leave_queues();
}

QueuePair::Posted QueuePair::post(std::span<const WorkRequest> requests) {
    if (state_ != ConnectionState::connected) [[unlikely]]
        return not_accepting();
    std::size_t taken = 0;
    for (const WorkRequest& work : requests) {
        const real::Shape shape = real::shape_of(work, limits, &nic_);
        if (shape.refusal != Code::ok) [[unlikely]]
            return {taken, shape.refusal};
        Transfer transfer;
        transfer.length = shape.length;
        transfer.status = shape.fault;
        Outcome outcome = Outcome::finished;
        if (count_ == 0) [[likely]] {
            if (shape.fault == Code::ok) outcome = execute(work, transfer);
            if (outcome == Outcome::finished && transfer.status == Code::ok) [[likely]] {
                if (!has(work.flags, Flags::unsignalled)) complete(work, Code::ok, shape.length);
                ++taken;
                continue;
            }
        } else if (shape.fault == Code::ok) {
            outcome = Outcome::blocked;
        }
        if (!enqueue(work, transfer, outcome)) return {taken, Code::again};
        ++taken;
        advance();
        if (state_ != ConnectionState::connected)
            return {taken, taken == requests.size() ? Code::ok : Code::flushed};
    }
    return {taken, Code::ok};
}

bool QueuePair::enqueue(const WorkRequest& work, const Transfer& transfer, Outcome outcome) {
    if (count_ == send_depth_) return false;
    if (queue_.empty()) queue_.resize(send_depth_);
    if (count_ == 0) {
        unissued_ = 0;
        nic_.set_busy(*this);
    }
    QueuedRequest& entry = queued(count_++);
    entry.work = work;
    entry.transfer = transfer;
    entry.outcome = outcome;
    entry.starved_since = Time::never();
    std::copy(work.local.begin(), work.local.end(), entry.slices.begin());
    entry.work.local = std::span(entry.slices.data(), work.local.size());
    std::copy(work.bytes.begin(), work.bytes.end(), entry.bytes.begin());
    entry.work.bytes = std::span(entry.bytes.data(), work.bytes.size());
    return true;
}

inline Outcome QueuePair::execute(const WorkRequest& work, Transfer& transfer) {
    switch (work.op) {
        case Op::send:
            return send(work, transfer);
        case Op::rdma_write:
        case Op::rdma_write_imm:
            return write(work, transfer);
        case Op::rdma_read:
            return read(work, transfer);
        case Op::fetch_add:
        case Op::compare_swap:
            return atomic(work, transfer);
        case Op::receive:
            break;
    }
    transfer.status = Code::invalid;
    return Outcome::finished;
}

bool QueuePair::advance() {
    const std::uint32_t before = count_;
    bool moved = false;
    while (unissued_ < count_) {
        QueuedRequest& entry = queued(unissued_);
        const std::uint64_t bytes = entry.transfer.moved;
        if (entry.outcome == Outcome::blocked) entry.outcome = execute(entry.work, entry.transfer);
        moved |= entry.transfer.moved != bytes;
        if (entry.outcome == Outcome::blocked) break;
        // Nothing may start after a request that has failed.
        if (entry.transfer.status != Code::ok) break;
        ++unissued_;
    }
    retire();
    return moved || count_ != before;
}

void QueuePair::retire() {
    while (count_ != 0 && state_ == ConnectionState::connected) {
        QueuedRequest& oldest = queued(0);
        if (oldest.outcome == Outcome::blocked) return;
        if (oldest.outcome == Outcome::issued) {
            if (outlet_.emptied() < oldest.transfer.last_cell) {
                if (starved_too_long(oldest))
                    fail(Code::receiver_not_ready, Code::receiver_not_ready, Code::ok);
                return;
            }
            oldest.outcome = Outcome::finished;
        }
        const Code status = oldest.transfer.status;
        if (status != Code::ok || !has(oldest.work.flags, Flags::unsignalled))
            complete(oldest.work, status, oldest.transfer.length);
        first_ = (first_ + 1) % static_cast<std::uint32_t>(queue_.size());
        --count_;
        if (unissued_ > 0) --unissued_;
        if (status != Code::ok) fail(status, Code::flushed, Code::ok);
    }
}

bool QueuePair::starved_too_long(QueuedRequest& request) {
    if (!track_sends_) return false;
    if (peer_block_->starving.load(std::memory_order_acquire) == 0) {
        request.starved_since = Time::never();
        return false;
    }
    const Time now = nic_.host().now();
    if (request.starved_since == Time::never()) request.starved_since = now;
    return now - request.starved_since >= receiver_not_ready_timeout_;
}

Time QueuePair::next_timer() const {
    return track_sends_ ? nic_.host().now() + starvation_check : Time::never();
}

void QueuePair::complete(const WorkRequest& work, Code status, std::uint64_t length) {
    complete_send(work.id, work.op, status, length);
}

void QueuePair::close() {
    if (state_ == ConnectionState::connecting) {
        if (withdraw()) {
            connection_failed(Code::flushed);
            return;
        }
        // Somebody is taking our request up at this very moment: be connected first, then close.
        while (state_ == ConnectionState::connecting && !advance_connection())
            asked_peer_->gone();
    }
    if (state_ == ConnectionState::connected) {
        retire();
        if (state_ == ConnectionState::connected) fail(Code::flushed, Code::flushed, Code::ok);
    }
}

void QueuePair::fail(Code code, Code oldest, Code told) {
    if (state_ != ConnectionState::connected) return;
    log_debug("shm: connection to process {} is over: {}", peer_->handle().pid, name(code));
    state_ = ConnectionState::failed;
    reason_ = code;
    flush_queued(oldest);
    if (std::exchange(incoming_.active, false)) complete_receive(incoming_.receive.id, code);
    flush_receives();
    detach(told);
}

void QueuePair::flush_queued(Code oldest) {
    for (std::uint32_t i = 0; i < count_; ++i) {
        // Even one that looked done here: whether the peer has it, nobody can say any more.
        complete(queued(i).work, i == 0 ? oldest : Code::flushed, 0);
    }
    count_ = 0;
    unissued_ = 0;
}

void QueuePair::detach(Code told) {
    block_->failure.store(static_cast<std::uint32_t>(told), std::memory_order_relaxed);
    // Release: whoever sees us closed sees all that we sent before, and why we closed.
    block_->state.store(Block::closed, std::memory_order_release);
    peer_->notify(peer_block_index_);
    nic_.forget(*this);
    reclaim_chunks();
    Nic::Lingering rest{block_index_, peer_, peer_block_, peer_generation_, {}};
    for (std::uint32_t i = 0; i < lease_count_; ++i)
        rest.chunks.push_back(leases_[i].chunk);
    lease_count_ = 0;
    nic_.linger(std::move(rest));
    block_ = nullptr;
}

bool QueuePair::check_peer() {
    if (state_ != ConnectionState::connected) return false;
    // Acquire, and looked at before the last draining: what the peer sent before it closed is here.
    const bool closed = peer_block_->state.load(std::memory_order_acquire) != Block::in_use;
    if (!closed && !peer_->known_gone()) return false;
    drain();
    if (state_ != ConnectionState::connected) return true;
    advance();  // what the peer has received before it closed was received
    if (state_ != ConnectionState::connected) return true;
    const auto told = static_cast<Code>(peer_block_->failure.load(std::memory_order_relaxed));
    const Code code = told == Code::ok ? Code::remote_closed : told;
    fail(code, code, Code::ok);
    return true;
}

void QueuePair::update_wake_rule() {
    if (block_ != nullptr)
        block_->solicited_only.store(receive_completions_->solicited_only() ? 1 : 0,
                                     std::memory_order_relaxed);
}

bool QueuePair::peer_is_inside(std::uint32_t region_index) const {
    return state_ == ConnectionState::connected &&
           peer_block_->accessing.load(std::memory_order_acquire) == region_index + 1 &&
           !peer_->gone();
}

}  // namespace railyard::shm
