// A link over an endpoint that all links of a Nic share.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queues.hpp"

namespace railyard::ofi {

namespace {

// A message that has not come when there were so many signs of life after it is lost. They are a
// second apart.
constexpr std::uint32_t fewest_missing = 3;

}  // namespace

bool Link::share(const NicName& peer) {
    address_ = port_.shared().address_of(peer);
    if (address_ == FI_ADDR_UNSPEC) return false;
    endpoint_ = port_.device().endpoint();
    peer_ = peer.id;
    number_ = port_.shared().add(*this);
    return true;
}

bool Link::accept(const NicName& from, std::uint32_t peers_number) {
    peers_number_ = peers_number;
    heard_ = 1;  // its hello
    return share(from);
}

void Link::stamp(Header& header) {
    if (!is_shared()) return;
    header.link = peers_number_;
    header.sequence = said_;
    switch (header.kind) {
        case Kind::hello:
            header.region = number_;
            header.offset = peer_;
            break;
        case Kind::gone:
            header.region = number_;
            header.offset = peer_;
            header.number = nic_.id();
            break;
        case Kind::accept:
        case Kind::reject:
            header.region = number_;
            break;
        default:
            break;
    }
}

bool Link::heard(Operation& buffer) {
    Header header;
    std::memcpy(&header, buffer.data, sizeof header);
    settled_ = true;
    if (header.kind == Kind::hello) return deliver(buffer);
    if (header.sequence != heard_) {
        // One that was sent before takes longer: it is of another length.
        early_.push_back(&buffer);
        return true;
    }
    const bool kept = heard_next(buffer, header);
    while (hear_early()) {
    }
    return kept;
}

/// What has come before its turn, if it is its turn now.
bool Link::hear_early() {
    for (auto early = early_.begin(); early != early_.end(); ++early) {
        Operation& buffer = **early;
        Header header;
        std::memcpy(&header, buffer.data, sizeof header);
        if (header.sequence != heard_) continue;
        early_.erase(early);
        if (!heard_next(buffer, header)) port_.buffers().give_back(buffer);
        return true;
    }
    return false;
}

bool Link::heard_next(Operation& buffer, const Header& header) {
    ++heard_;
    const bool answers = header.kind == Kind::accept || header.kind == Kind::reject;
    if (answers && peers_number_ == 0) peers_number_ = static_cast<std::uint32_t>(header.region);
    if (header.kind == Kind::gone) {
        gone_heard_ = true;
        drop_fetches();
        nic_.found_down(*this);
        return false;
    }
    if (down_ || doomed) return false;
    return deliver(buffer);
}

void Link::give_a_sign() {
    const bool waits = !early_.empty() && heard_at_sign_ == heard_;
    heard_at_sign_ = heard_;
    missing_ = waits ? missing_ + 1 : 0;
    const auto most = static_cast<std::uint32_t>(nic_.patience().seconds());
    if (missing_ == std::max(most, fewest_missing) && !down_) {
        log_error("ofi: provider {} has lost a message; the connection is over",
                  port_.device().provider());
        return nic_.found_down(*this);
    }
    const bool has_spoken = std::exchange(said_at_sign_, said_) != said_;
    if (has_spoken || user_ == nullptr || !is_in_use || !waiting_.empty()) return;
    if (down_) return;
    Header header;
    header.kind = Kind::credit;
    queue(header, {}, true);
    said_at_sign_ = said_;
}

/// Whether we read or write memory of the peer's.
bool Link::is_moving_ours() const {
    for (const Operation* operation = under_way_; operation != nullptr; operation = operation->next)
        if (operation->type == Operation::Type::push ||
            (operation->type == Operation::Type::move && operation->fetch == 0))
            return true;
    return false;
}

/// The peer does not write any more what it was asked for.
void Link::drop_fetches() {
    for (Operation* operation = under_way_; operation != nullptr;) {
        Operation& one = *std::exchange(operation, operation->next);
        if (one.type != Operation::Type::move || one.fetch == 0) continue;
        end(one);
        --moving_;
        port_.buffers().give_back(one);
    }
}

bool Link::finish() {
    down_ = true;
    if (!gone_said_ && !is_moving_ours()) {
        gone_said_ = true;
        Header header;
        header.kind = Kind::gone;
        queue(header, {});
    }
    return gone_said_ && gone_heard_ && waiting_.empty() && under_way_ == nullptr;
}

void Link::lend(const Request& request) {
    if (!is_shared() || gone_heard_) return;  // else its endpoint is closed, and nobody can
    for (const Piece& piece : request.list())
        if (piece.region != 0 && std::ranges::find(lent_, piece.region) == lent_.end())
            lent_.push_back(piece.region);
}

bool Link::is_exposed() const {
    if (!gone_heard_ && !lent_.empty()) return true;
    for (const Operation* operation = under_way_; operation != nullptr; operation = operation->next)
        if (operation->request != nullptr || !operation->memory.empty()) return true;
    return false;
}

void Link::shut_out() {
    for (const Operation* operation = under_way_; operation != nullptr;
         operation = operation->next) {
        if (operation->type != Operation::Type::move || operation->fetch == 0) continue;
        LocalRegion* const region = nic_.regions().find(operation->region);
        if (region != nullptr && !region->leaves()) region->renew(port_);
    }
    for (const std::uint64_t number : lent_) {
        LocalRegion* const region = nic_.regions().find(number);
        if (region != nullptr && !region->leaves()) region->renew(port_);
    }
    lent_.clear();
    drop_fetches();
    gone_heard_ = true;  // whatever it says, nobody waits for it
}

}  // namespace railyard::ofi
