// Large writes that need no help of the memory's owner, where the provider keeps what it writes in
// order with messages. The owner hears before that data come, since it cannot see them, and behind
// them gets the request with the last byte.

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"

namespace railyard::ofi {

using fabric::Op;

namespace {

// A region that ends waits for what is on its way to it. The owner moves more than this in steps,
// and can stop between two of them.
constexpr std::uint64_t longest_direct = 16 << 20;

bool overlap(std::uint64_t a, std::uint64_t a_length, std::uint64_t b, std::uint64_t b_length) {
    return a < b + b_length && b < a + a_length;
}

}  // namespace

/// Its data overtake all requests that the peer has yet to carry out: none of those may touch what
/// it writes. (As many are unknown to be done as there are credits out.)
bool QueuePair::may_be_direct(const Request& request) const {
    if (request.key == 0 || request.length <= link_->device().longest_data() ||
        request.length > longest_direct || request.is_read() || !link_->device().grants())
        return false;
    for (std::uint32_t i = credits_; i < most_credits; ++i) {
        const Touched& before = touched_[(noted_ - 1 - (i - credits_)) % most_credits];
        if (overlap(before.address, before.length, request.address, request.length - 1))
            return false;
    }
    return true;
}

void QueuePair::note(const Request& request) {
    Touched& touched = touched_[noted_++ % most_credits];
    if (request.direct)
        touched = {request.address + request.length - 1, 1};
    else
        touched = {request.address, request.op == Op::send ? 0 : request.length};
}

Link::Sent QueuePair::send_direct(Request& request, Header header) {
    if (!std::exchange(request.announced, true)) {
        Header announced;
        announced.kind = Kind::writing;
        announced.number = request.number;
        announced.region = request.region;
        announced.offset = request.offset;
        announced.length = request.length;
        link_->say(announced);
    }
    std::uint64_t passed = request.pushed;
    std::byte* last = nullptr;
    for (const Piece& piece : request.list()) {
        last = piece.data + piece.length - 1;
        if (passed >= piece.length) {
            passed -= piece.length;
            continue;
        }
        const LocalRegion* const region = nic_.regions().find(piece.region);
        while (passed < piece.length && request.pushed < request.length - 1) {
            const std::uint64_t n =
                std::min({piece.length - passed, request.length - 1 - request.pushed,
                          link_->device().longest()});
            if (!link_->push({{piece.data + passed, n},
                              region->descriptor(link_->port().number()),
                              piece.region},
                             {request.offset + request.pushed, request.key, n}, &request))
                return Link::Sent::again;
            ++request.pushes;
            request.pushed += n;
            passed += n;
        }
        passed = 0;
    }
    header.flags |= flag::direct;
    const Piece tail{last, 1, 0};
    return link_->send(header, std::span(&tail, 1), request);
}

/// The peer begins. If the region has gone, so has its key, and the data do no harm.
void QueuePair::landing(const Header& header) {
    LocalRegion* const region = nic_.regions().find(header.region);
    if (region == nullptr) return;
    const std::uint64_t size = region->span().size();
    if (header.offset > size || header.length > size - header.offset)
        return nic_.found_down(*link_);
    link_->lands(header.number,
                 {region->span().subspan(header.offset, header.length), nullptr, header.region});
}

}  // namespace railyard::ofi
