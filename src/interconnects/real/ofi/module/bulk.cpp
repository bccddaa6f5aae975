// Large data of the peer's requests: moved by one-sided operations of the provider between its
// memory and ours, in steps.

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"

namespace railyard::ofi {

using fabric::Access;

namespace {

// Bulk data move in steps of this size, so many at a time. What is on its way when its region ends
// has to be waited for.
constexpr std::uint64_t step = 512 << 10;
constexpr std::uint32_t steps_at_once = 16;

}  // namespace

/// The data of those behind the first may come meanwhile, if nobody can tell.
void QueuePair::start_ahead() {
    for (std::size_t i = 0; i < inbound_.size(); ++i) {
        Inbound& inbound = *inbound_[i];
        if (inbound.started && inbound.fault == Code::ok) continue;
        const bool right = inbound.is_bulk() && inbound.header.kind != Kind::read && i > 0;
        if (!right || inbound.fault != Code::ok || inbound.moved > 0) return;
        if (check(inbound) != Code::ok) return;  // told when its turn comes
        if (inbound.needs_receive() && receives_->empty()) return;
        if (!claim_receive(inbound) || inbound.fault != Code::ok) return;
        if (inbound.header.kind == Kind::write &&
            link_->touches(
                {nic_.regions().find(inbound.header.region)->data() + inbound.header.offset,
                 inbound.header.length}))
            return;
        // What the peer writes comes in the order in which it was asked for.
        const bool in_order = inbound.header.kind != Kind::send || link_->device().fetches();
        for (const Piece& piece : inbound.receive.list())
            if (!in_order && link_->touches({piece.data, piece.length})) return;
        start(inbound);
        if (!inbound.started) return;
    }
}

void QueuePair::start(Inbound& inbound) {
    while (inbound.moved < inbound.header.length && inbound.fault == Code::ok)
        if (link_->moves() + link_->pushes() >= steps_at_once || !start_step(inbound)) return;
    inbound.started = true;
}

/// False if it has to wait.
bool QueuePair::start_step(Inbound& inbound) {
    const Header& header = inbound.header;
    std::uint64_t n = std::min({header.length - inbound.moved, step, link_->device().longest()});
    Link::Memory memory;
    std::uint64_t passed = inbound.moved;
    if (header.kind == Kind::send) {
        const auto piece = std::ranges::find_if(inbound.receive.list(), [&](const Piece& p) {
            if (passed < p.length) return true;
            passed -= p.length;
            return false;
        });
        n = std::min(n, piece->length - passed);
        memory.bytes = {piece->data + passed, n};
        const LocalRegion* const region = nic_.regions().find(piece->region);
        if (region == nullptr)
            inbound.fault = Code::region_gone;
        else
            memory.descriptor = region->descriptor(link_->port().number());
        memory.region = piece->region;
    } else {
        const LocalRegion* const region = nic_.regions().find(header.region);
        if (region == nullptr || region->check(0, 0, Access::local) != Code::ok) {
            inbound.fault = Code::region_gone;
        } else {
            memory.bytes = {region->data() + header.offset + inbound.moved, n};
            memory.descriptor = region->descriptor(link_->port().number());
            memory.region = header.region;
        }
    }
    if (inbound.fault != Code::ok) return false;
    Place place;
    passed = inbound.moved;
    const std::byte* next = inbound.data().data();
    for (;; next += sizeof place) {
        std::memcpy(&place, next, sizeof place);
        if (passed < place.length) break;
        passed -= place.length;
    }
    n = std::min(n, place.length - passed);
    // The last byte of a write comes to lie in the message, until all others are in place.
    Link::Memory tail;
    if (header.kind == Kind::write && inbound.moved + n == header.length) {
        if (n > 1 && link_->device().pieces() < 2 && !link_->device().fetches())
            --n;
        else
            tail = {{inbound.buffer->data, 1}, inbound.buffer->descriptor, 0};
    }
    memory.bytes = memory.bytes.first(n);
    place = {place.address + passed, place.key, n};
    if (header.kind == Kind::read && link_->device().is_ordered()) {
        // What tells of it comes with the last, or behind: nobody waits for it.
        std::optional<std::uint64_t> word;
        if (inbound.moved + n == header.length && answers_by_word(inbound))
            word = word_of(header.immediate, header.number);
        if (!link_->push(memory, place, nullptr, word)) return false;
        inbound.moved += n;
        return true;
    }
    const auto direction =
        header.kind == Kind::read ? Link::Direction::there : Link::Direction::here;
    if (header.kind != Kind::read && link_->device().fetches())
        ask_for(inbound, memory, !tail.bytes.empty());
    else if (!link_->move(direction, memory, place, inbound, tail))
        return false;
    inbound.moved += n;
    ++inbound.under_way;
    return true;
}

void QueuePair::ask_for(Inbound& inbound, const Link::Memory& memory, bool has_tail) {
    Header header = header_of(Kind::fetch, inbound.header.number);
    header.offset = inbound.moved;
    header.length = memory.bytes.size();
    if (has_tail) header.flags = flag::tail;
    const LocalRegion* const region = nic_.regions().find(memory.region);
    link_->fetch(header, memory,
                 region->place(memory.bytes.data(), memory.bytes.size(), link_->port().number()),
                 inbound);
}

void QueuePair::fetch_asked(const Header& header, std::span<const std::byte> data) {
    Fetch fetch{header, {}};
    if (data.size() != sizeof fetch.to) return nic_.found_down(*link_);
    std::memcpy(&fetch.to, data.data(), sizeof fetch.to);
    fetches_.push_back(fetch);
    push_asked();
}

void QueuePair::push_asked() {
    while (!fetches_.empty()) {
        const auto& [asked, to] = fetches_.front();
        const std::optional<Link::Memory> memory = memory_of(asked);
        if (!memory) {
            log_debug("ofi: a peer fetches what nobody offers");
            fetches_.clear();
            return nic_.found_down(*link_);
        }
        const std::span<std::byte> bytes = memory->bytes;
        const std::size_t tail = (asked.flags & flag::tail) != 0 ? 1 : 0;
        const Link::Memory most{bytes.first(bytes.size() - tail), memory->descriptor,
                                memory->region};
        if (!most.bytes.empty() && !link_->push(most, to)) return;
        Header header = header_of(Kind::fetched, asked.number);
        header.region = asked.region;
        link_->say(header, bytes.last(tail));
        fetches_.pop_front();
    }
}

/// What a peer wants of one of our requests: in one of its pieces, if all is right.
std::optional<Link::Memory> QueuePair::memory_of(const Header& fetch) const {
    const Request* request = oldest_;
    while (request != nullptr && request->number != fetch.number)
        request = request->next;
    const bool offered = request != nullptr && request->issued && request->is_bulk() &&
                         !request->awaits_answer() && fetch.length > 0;
    if (!offered) return std::nullopt;
    std::uint64_t passed = fetch.offset;
    for (const Piece& piece : request->list()) {
        if (passed >= piece.length) {
            passed -= piece.length;
            continue;
        }
        const LocalRegion* const region = nic_.regions().find(piece.region);
        if (region == nullptr || fetch.length > piece.length - passed) return std::nullopt;
        return Link::Memory{{piece.data + passed, fetch.length},
                            region->descriptor(link_->port().number()),
                            piece.region};
    }
    return std::nullopt;
}

void QueuePair::link_moved(Inbound& inbound) {
    --inbound.under_way;
    serve();
}

}  // namespace railyard::ofi
