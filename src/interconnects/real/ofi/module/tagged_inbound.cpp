// What comes to a tagged port: messages that the provider has matched, and those that nobody
// expects, which are taken out of the provider and wait here.

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/tagged_port.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

using fabric::TaggedReceive;

namespace {

constexpr std::uint32_t most_takers = 32;

}  // namespace

/// False if there is no room.
bool TaggedPort::post(Receiving& receiving) {
    const TaggedReceive& request = receiving.request;
    Operation& buffer = port_.buffers().take();
    buffer.type = Operation::Type::tagged_receive;
    buffer.receiving = &receiving;
    const fi_addr_t from =
        request.from == fabric::any_peer ? FI_ADDR_UNSPEC : peers_[request.from]->address;
    const long error =
        fi_trecv(port_.device().endpoint(), buffer.data, longest_tagged, buffer.descriptor, from,
                 tag_of(request.bits), ~tag_of(request.mask), &buffer.context);
    if (error == 0) {
        receiving.buffer = &buffer;
        return true;
    }
    port_.buffers().give_back(buffer);
    if (error != -FI_EAGAIN) log_error("ofi: a tagged receive is refused: {}", error_text(error));
    return false;
}

void TaggedPort::post_more() {
    while (!unposted_.empty() && post(*unposted_.front()))
        unposted_.pop_front();
}

bool TaggedPort::read_envelope(const Operation& buffer, std::size_t length, Envelope& envelope) {
    if (length < sizeof envelope) return false;
    std::memcpy(&envelope, buffer.data, sizeof envelope);
    Peer* const peer = peer_at(envelope.from);
    if (peer == nullptr || (envelope.eager && length - sizeof envelope != envelope.length))
        return false;
    peer->newest = std::max(peer->newest, envelope.number);
    return true;
}

void TaggedPort::matched(Receives::iterator receiving, Operation& buffer, std::size_t length) {
    receiving->buffer = nullptr;
    if (&*receiving == cancelling_) {
        cancelling_ = nullptr;
        receiving->cancelled = false;
    }
    if (!read_envelope(buffer, length, receiving->matched)) {
        log_debug("ofi: a tagged message that is none of ours");
        port_.buffers().give_back(buffer);
        unposted_.push_front(receiving);
        return;
    }
    (void)was_withdrawn(receiving->matched);  // too late
    deliver(receiving, buffer);
}

void TaggedPort::refused(Receives::iterator receiving, int error) {
    if (&*receiving == cancelling_) {
        cancelling_ = nullptr;
        was_cancelled_ = error == FI_ECANCELED;
        if (was_cancelled_) return finish(receiving, Code::ok);
    }
    // A connection was lost in the middle of a message, which does not come again.
    log_debug("ofi: a tagged receive fails: {}", error_text(error));
    receiving->cancelled = false;
    unposted_.push_front(receiving);
}

void TaggedPort::deliver(Receives::iterator receiving, Operation& buffer) {
    const Envelope& envelope = receiving->matched;
    if (!envelope.eager) {
        port_.buffers().give_back(buffer);
        return pull(receiving);
    }
    const std::span<std::byte> into = receiving->request.buffer;
    const std::size_t fitting = std::min<std::size_t>(envelope.length, into.size());
    if (fitting > 0) std::memcpy(into.data(), buffer.data + sizeof envelope, fitting);
    port_.buffers().give_back(buffer);
    if (envelope.synchronous) say(*peer_at(envelope.from), Kind::tagged_matched, envelope.number);
    finish(receiving, Code::ok);
}

/// Asks the sender for the data.
void TaggedPort::pull(Receives::iterator receiving) {
    const Envelope& envelope = receiving->matched;
    Peer& peer = *peer_at(envelope.from);
    if (peer.gone) return finish(receiving, Code::remote_closed);
    const std::span<std::byte> into = receiving->request.buffer;
    const std::size_t fitting = std::min<std::size_t>(envelope.length, into.size());
    if (fitting == 0) {
        say(peer, Kind::tagged_matched, envelope.number);
        return finish(receiving, Code::ok);
    }
    try {
        receiving->registered = register_with(port_.device(), into.first(fitting), true);
    } catch (const Error& error) {
        log_error("{}", error.what());
        say(peer, Kind::tagged_matched, envelope.number);
        return finish(receiving, Code::timed_out);
    }
    receiving->token = ++last_token_;
    pulled_.emplace(receiving->token, receiving);
    ++peer.waited_for;
    Place place;
    if (port_.device().requires_mode(FI_MR_VIRT_ADDR))
        place.address = reinterpret_cast<std::uintptr_t>(into.data());
    place.key = fi_mr_key(receiving->registered.get());
    place.length = fitting;
    say(peer, Kind::tagged_go, envelope.number, std::as_bytes(std::span(&place, 1)),
        receiving->token);
}

void TaggedPort::finish(Receives::iterator receiving, Code status) {
    const Envelope& envelope = receiving->matched;
    fabric::TaggedCompletion completion;
    completion.id = receiving->request.id;
    completion.receive = true;
    completion.cancelled = receiving->cancelled;
    if (!receiving->cancelled) {
        const bool cut = envelope.length > receiving->request.buffer.size();
        completion.status = status == Code::ok && cut ? Code::too_long : status;
        completion.peer = envelope.from - 1;
        completion.bits = envelope.bits;
        completion.length = Bytes(envelope.length);
    }
    if (receiving->token != 0) {
        pulled_.erase(receiving->token);
        --peer_at(envelope.from)->waited_for;
    }
    receives_.erase(receiving);
    complete(completion);
}

bool TaggedPort::selects(const TaggedReceive& receive, const Envelope& envelope) const {
    return (receive.from == fabric::any_peer || receive.from + 1 == envelope.from) &&
           ((receive.bits ^ envelope.bits) & receive.mask) == 0;
}

std::deque<TaggedPort::Unexpected>::iterator TaggedPort::find_unexpected(
    const TaggedReceive& wanted) {
    return std::ranges::find_if(
        unexpected_, [&](const Unexpected& one) { return selects(wanted, one.envelope); });
}

/// Providers answer such questions at once, or soon.
bool TaggedPort::read_until(const std::function<bool()>& condition) {
    if (condition()) return true;
    const Time until = nic_.host().now() + nic_.patience();
    while (!condition()) {
        nic_.read_now();
        if (nic_.host().now() >= until) return condition();
    }
    return true;
}

void TaggedPort::drain() {
    if (draining_ || !provider_matches_) return;
    draining_ = true;
    // Those that found no room come first: what is taken out they may want.
    if (unposted_.empty())
        while (look_for_more()) {
        }
    draining_ = false;
    std::vector<Withdrawal> now;
    now.swap(asked_back_);
    for (const Withdrawal& one : now)
        withdraw(*peers_[one.by], one.number);
}

/// Takes out the oldest that the provider has. False if it has none.
bool TaggedPort::look_for_more() {
    fid_ep* const endpoint = port_.device().endpoint();
    if (taking_) return false;  // one that has not come yet
    Operation& question = port_.buffers().take_move();
    question.type = Operation::Type::tagged_peek;
    fi_msg_tagged any{};
    any.addr = FI_ADDR_UNSPEC;
    any.ignore = ~std::uint64_t{0};
    any.context = &question.context;
    peek_ = Peek::asked;
    if (fi_trecvmsg(endpoint, &any, FI_PEEK | FI_COMPLETION) != 0) {
        port_.buffers().give_back(question);
        peek_ = Peek::none;
        return false;
    }
    if (!read_until([&] { return peek_ != Peek::asked; })) return false;
    if (std::exchange(peek_, Peek::none) != Peek::found) return false;
    // The first of all is also the first with its tag.
    Operation& buffer = port_.buffers().take();
    buffer.type = Operation::Type::tagged_unexpected;
    if (fi_trecv(endpoint, buffer.data, longest_tagged, buffer.descriptor, FI_ADDR_UNSPEC,
                 peeked_tag_, 0, &buffer.context) != 0) {
        port_.buffers().give_back(buffer);
        return false;
    }
    taking_ = true;
    return read_until([&] { return !taking_; });
}

void TaggedPort::take_out(Operation& buffer, std::size_t length) {
    Envelope envelope;
    if (!read_envelope(buffer, length, envelope)) {
        log_debug("ofi: a tagged message that is none of ours");
        return port_.buffers().give_back(buffer);
    }
    if (was_withdrawn(envelope)) {
        port_.buffers().give_back(buffer);
        return say(*peer_at(envelope.from), Kind::tagged_withdrawn, envelope.number);
    }
    if (const auto receiving = find_waiting(envelope); receiving != receives_.end()) {
        receiving->matched = envelope;
        return deliver(receiving, buffer);
    }
    unexpected_.push_back({&buffer, envelope});
    nic_.has_news();
}

/// The oldest receive that wants it, where we match.
TaggedPort::Receives::iterator TaggedPort::find_waiting(const Envelope& envelope) {
    if (provider_matches_) return receives_.end();
    return std::ranges::find_if(receives_, [&](const Receiving& one) {
        return one.token == 0 && selects(one.request, envelope);
    });
}

/// Where we match: receives for whatever comes.
void TaggedPort::post_takers() {
    while (!provider_matches_ && takers_ < most_takers) {
        Operation& buffer = port_.buffers().take();
        buffer.type = Operation::Type::tagged_unexpected;
        if (fi_trecv(port_.device().endpoint(), buffer.data, longest_tagged, buffer.descriptor,
                     FI_ADDR_UNSPEC, 0, ~std::uint64_t{0}, &buffer.context) != 0)
            return port_.buffers().give_back(buffer);
        ++takers_;
    }
}

/// Whether its sender has asked for it before it came. It is asked for no more.
bool TaggedPort::was_withdrawn(const Envelope& envelope) {
    return std::erase_if(withdrawals_, [&](const Withdrawal& one) {
               return one.by + 1 == envelope.from && one.number == envelope.number;
           }) > 0;
}

/// The sender wants one of its messages back.
void TaggedPort::withdraw(Peer& peer, std::uint64_t number) {
    const fabric::TaggedPeer by = numbers_.at(peer.name.id);
    if (draining_) return asked_back_.push_back({by, number});
    drain();
    const auto found = std::ranges::find_if(unexpected_, [&](const Unexpected& one) {
        return one.envelope.from == by + 1 && one.envelope.number == number;
    });
    if (found != unexpected_.end()) {
        port_.buffers().give_back(*found->buffer);
        unexpected_.erase(found);
        say(peer, Kind::tagged_withdrawn, number);
    } else if (number > peer.newest) {
        withdrawals_.push_back({by, number});  // it has not come yet
    }
}

}  // namespace railyard::ofi
