// The peer's requests, which this side carries out in their order, and what the peer says of ours.

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"

namespace railyard::ofi {

using fabric::Access;
using fabric::ConnectionState;
using fabric::Op;

namespace {

Access access_of(Kind kind) {
    switch (kind) {
        case Kind::write:
            return Access::remote_write;
        case Kind::read:
            return Access::remote_read;
        default:
            return Access::remote_atomic;
    }
}

std::uint64_t places_length(std::span<const std::byte> list, std::uint32_t count) {
    std::uint64_t length = 0;
    Place place;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::memcpy(&place, list.data() + i * sizeof place, sizeof place);
        length += place.length;
    }
    return length;
}

bool is_whole(const Inbound& inbound, std::size_t longest) {
    const Header& header = inbound.header;
    const std::size_t size = inbound.data().size();
    if (inbound.is_bulk())
        return header.places <= max_slices && size == header.places * sizeof(Place) &&
               places_length(inbound.data(), header.places) == header.length;
    if (inbound.is_direct()) return size == 1 && header.length > 1;
    switch (header.kind) {
        case Kind::send:
        case Kind::write:
            return size == header.length;
        case Kind::read:
            return header.length <= longest;
        default:
            return size == sizeof(Operands) && header.length == sizeof(std::uint64_t);
    }
}

/// The last byte last, and visible after all before it, to whoever watches it.
void store_last(std::byte* to, std::byte value) {
    std::atomic_ref(*to).store(value, std::memory_order_release);
}

}  // namespace

Header QueuePair::header_of(Kind kind, std::uint64_t number) {
    Header header;
    header.kind = kind;
    header.number = number;
    header.credits = static_cast<std::uint8_t>(std::exchange(owed_, std::uint16_t{0}));
    return header;
}

void QueuePair::return_credits() {
    if (owed_ >= most_credits / 2) link_->say(header_of(Kind::credit, 0));
}

bool QueuePair::link_message(Operation& buffer) {
    Header header;
    if (buffer.length < sizeof header) {
        log_debug("ofi: a peer sends {} bytes, less than any message has", buffer.length);
        nic_.found_down(*link_);
        return false;
    }
    std::memcpy(&header, buffer.data, sizeof header);
    const std::span<const std::byte> data(buffer.data + sizeof header,
                                          buffer.length - sizeof header);
    if (is_connecting()) {
        heard_while_connecting(header, data);
        return false;
    }
    if (state_ != ConnectionState::connected) return false;
    credits_ = static_cast<std::uint16_t>(credits_ + header.credits);
    switch (header.kind) {
        case Kind::send:
        case Kind::write:
        case Kind::read:
        case Kind::fetch_add:
        case Kind::compare_swap:
            if ((header.flags & flag::direct) != 0) link_->landed(header.number);
            arrived(buffer, header);
            if (header.credits > 0 && unissued_ != nullptr) issue();
            return true;
        case Kind::answer:
            answered(header, data);
            break;
        case Kind::done:
            told_ = std::max(told_, header.number);
            break;
        case Kind::failed:
            refused(header.number, static_cast<Code>(header.places));
            return false;
        case Kind::fetch:
            fetch_asked(header, data);
            break;
        case Kind::fetched:
            if (!link_->fetched(header, data)) nic_.found_down(*link_);
            break;
        case Kind::writing:
            landing(header);
            return false;
        case Kind::bye:
            fail(Code::remote_closed, Code::remote_closed, Words::none);
            return false;
        default:
            break;
    }
    issue();
    return false;
}

void QueuePair::arrived(Operation& buffer, const Header& header) {
    Inbound& inbound = nic_.inbounds().take();
    inbound.header = header;
    inbound.buffer = &buffer;
    inbound.fault = Code::ok;
    inbound.started = inbound.has_receive = false;
    inbound.under_way = 0;
    inbound.moved = 0;
    inbound_.push_back(&inbound);
    serve();
}

void QueuePair::serve() {
    if (std::exchange(serving_, true)) return;
    while (state_ == ConnectionState::connected && !inbound_.empty() &&
           serve_now(*inbound_.front())) {
        Inbound& done = *inbound_.front();
        inbound_.pop_front();
        finish(done);
    }
    if (state_ == ConnectionState::connected) {
        if (inbound_.size() > 1) start_ahead();
        // Here, since it is not only a message that lets requests end: so do data that have come, a
        // receive, and room to send.
        return_credits();
    }
    serving_ = false;
}

/// True if it is done. Then all before it was.
bool QueuePair::serve_now(Inbound& inbound) {
    if (!inbound.started && inbound.fault == Code::ok) {
        inbound.fault = check(inbound);
        if (inbound.fault == Code::ok && !claim_receive(inbound)) return false;
        if (inbound.fault == Code::ok && inbound.is_bulk()) start(inbound);
    }
    if (inbound.fault != Code::ok) {
        if (link_->is_moving()) return false;  // what is on its way is waited for
        const std::uint64_t number = inbound.header.number;
        if (!inbound.has_receive) {
            fail(Code::remote_closed, Code::remote_closed, Words::failed, number, inbound.fault);
            return false;
        }
        // A receive that does not fit is as much our fault as the peer's.
        const Code fault = inbound.fault;
        const bool ours = fault == Code::too_long;
        complete_receive(inbound.receive.id, ours ? fault : Code::region_gone);
        inbound.has_receive = false;
        fail(ours ? fault : Code::region_gone, Code::flushed, Words::failed, number,
             ours ? fault : Code::remote_fault);
        return false;
    }
    if (inbound.is_bulk()) {
        if (!inbound.started) start(inbound);
        if (!inbound.started || inbound.under_way > 0 || inbound.fault != Code::ok) return false;
        // Its data may have come before its turn did, and its region have gone between the two.
        inbound.fault = check(inbound);
        return inbound.fault == Code::ok || serve_now(inbound);
    }
    place(inbound);
    return true;
}

Code QueuePair::check(const Inbound& inbound) const {
    const Header& header = inbound.header;
    if (!is_whole(inbound, link_->device().longest_data())) return Code::remote_fault;
    if (header.kind == Kind::send && (header.flags & flag::invalidates) == 0) return Code::ok;
    const LocalRegion* const region = nic_.regions().find(header.region);
    if (region == nullptr) return Code::region_gone;
    if (header.kind == Kind::send) return region->check(0, 0, Access::local);
    return region->check(header.offset, header.length, access_of(header.kind));
}

/// False if there is none. It may turn out to be too short, or its memory to have gone.
bool QueuePair::claim_receive(Inbound& inbound) {
    if (!inbound.needs_receive() || inbound.has_receive) return true;
    if (receives_->empty()) {
        if (std::exchange(starving_, true)) return false;
        receives_->add_starving(*this);
        if (peers_patience_ == Duration::forever()) return false;
        starving_until_ = nic_.host().now() + peers_patience_;
        nic_.watch_time(*this);
        return false;
    }
    const PostedReceive& oldest = receives_->front();
    inbound.receive.id = oldest.id;
    inbound.receive.capacity = oldest.capacity;
    inbound.receive.count = oldest.count;
    std::ranges::copy(oldest.list(), inbound.receive.pieces.begin());
    inbound.has_receive = true;
    receives_->pop();
    if (inbound.header.kind != Kind::send) return true;
    if (inbound.header.length > inbound.receive.capacity) inbound.fault = Code::too_long;
    for (const Piece& piece : inbound.receive.list()) {
        const LocalRegion* const region = nic_.regions().find(piece.region);
        if (region == nullptr || region->leaves()) inbound.fault = Code::region_gone;
    }
    return true;
}

/// Small data, which are in the message.
void QueuePair::place(Inbound& inbound) {
    const Header& header = inbound.header;
    std::span<const std::byte> data = inbound.data();
    switch (header.kind) {
        case Kind::send:
            for (const Piece& piece : inbound.receive.list()) {
                const std::size_t n = std::min<std::size_t>(piece.length, data.size());
                if (n > 0) std::memcpy(piece.data, data.data(), n);
                data = data.subspan(n);
            }
            break;
        case Kind::write: {
            std::byte* const to = nic_.regions().find(header.region)->data() + header.offset;
            if (data.empty()) break;
            if (!inbound.is_direct()) std::memcpy(to, data.data(), data.size() - 1);
            store_last(to + header.length - 1, data.back());
            break;
        }
        case Kind::read:
            answer_read(inbound);
            break;
        default:
            answer_atomic(inbound);
            break;
    }
}

void QueuePair::answer_read(const Inbound& inbound) {
    Header header = header_of(Kind::answer, inbound.header.number);
    header.length = inbound.header.length;
    const LocalRegion* const region = nic_.regions().find(inbound.header.region);
    link_->say(header, {region->data() + inbound.header.offset, header.length});
}

void QueuePair::answer_atomic(const Inbound& inbound) {
    Operands operands;
    std::memcpy(&operands, inbound.data().data(), sizeof operands);
    std::byte* const at =
        nic_.regions().find(inbound.header.region)->data() + inbound.header.offset;
    // Sequentially consistent, as the processor's own on the same word may be.
    const std::atomic_ref word(*reinterpret_cast<std::uint64_t*>(at));
    std::uint64_t old = operands.operand;
    if (inbound.header.kind == Kind::fetch_add)
        old = word.fetch_add(operands.operand);
    else
        word.compare_exchange_strong(old, operands.swap);
    Header header = header_of(Kind::answer, inbound.header.number);
    header.offset = old;
    header.length = sizeof old;
    link_->say(header);
}

void QueuePair::finish(Inbound& inbound) {
    const Header& header = inbound.header;
    if (inbound.is_bulk() && header.kind == Kind::write)
        store_last(nic_.regions().find(header.region)->data() + header.offset + header.length - 1,
                   inbound.buffer->data[0]);
    if (inbound.is_bulk() && header.kind == Kind::read && !answers_by_word(inbound)) {
        Header answer = header_of(Kind::answer, header.number);
        answer.flags = flag::bulk;
        answer.length = header.length;
        link_->say(answer);
    }
    if (inbound.has_receive)
        complete_receive_of(inbound);
    else
        nic_.has_news();
    if ((header.flags & flag::tell) != 0) link_->say(header_of(Kind::done, header.number));
    release(inbound);
    ++owed_;
}

void QueuePair::complete_receive_of(const Inbound& inbound) {
    const Header& header = inbound.header;
    fabric::Completion completion;
    completion.id = inbound.receive.id;
    completion.op = Op::receive;
    completion.has_immediate = (header.flags & flag::immediate) != 0;
    completion.immediate = completion.has_immediate ? header.immediate : 0;
    completion.length = Bytes(header.length);
    completion.queue_pair = this;
    if ((header.flags & flag::invalidates) != 0) {
        LocalRegion* const region = nic_.regions().find(header.region);
        region->invalidate();
        completion.invalidated = region;
    }
    receive_completions_->push(completion);
    const bool wakes = (header.flags & flag::solicited) != 0;
    if (wakes || !receive_completions_->solicited_only()) nic_.has_news();
}

void QueuePair::release(Inbound& inbound) {
    link_->forget(inbound);
    nic_.inbounds().give_back(inbound);
}

void QueuePair::receive_posted() {
    starving_ = false;
    starving_until_ = Time::never();
    serve();
}

void QueuePair::answered(const Header& header, std::span<const std::byte> data) {
    Request* request = oldest_;
    while (request != nullptr && request->number != header.number)
        request = request->next;
    if (request == nullptr || !request->awaits_answer() || request->answered) return;
    std::uint64_t old = header.offset;
    if (real::is_atomic(request->op)) data = std::as_bytes(std::span(&old, 1));
    if ((header.flags & flag::bulk) == 0 && is_alive(*request))
        for (const Piece& piece : request->list()) {
            const std::size_t n = std::min<std::size_t>(piece.length, data.size());
            if (n > 0) std::memcpy(piece.data, data.data(), n);
            data = data.subspan(n);
        }
    answered(*request);
}

void QueuePair::answered(Request& request) {
    request.answered = true;
    --reads_under_way_;
    // Whatever was posted before was done before this was answered.
    told_ = std::max(told_, request.number - 1);
}

/// The data of a read are there, and have said so themselves.
void QueuePair::link_read(std::uint32_t number) {
    if (state_ != ConnectionState::connected) return;
    Request* request = oldest_;
    while (request != nullptr && static_cast<std::uint32_t>(request->number) != number)
        request = request->next;
    if (request == nullptr || !request->is_read() || !request->is_bulk() || !request->issued ||
        request->answered)
        return;
    answered(*request);
    issue();
}

/// One of our requests was wrong at the peer's. All before it are done there.
void QueuePair::refused(std::uint64_t number, Code code) {
    told_ = std::max(told_, number - 1);
    for (Request* request = oldest_; request != nullptr && request->number < number;
         request = request->next)
        if (!request->sent) {
            link_->forget(*request);
            request->sent = true;
        }
    retire_done();
    const bool is_oldest = oldest_ != nullptr && oldest_->number == number;
    fail(code, is_oldest ? code : Code::flushed, Words::none);
}

}  // namespace railyard::ofi
