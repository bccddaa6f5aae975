// Peers of a tagged port: numbers for each other before the first message, so that whoever matches
// can answer, and an end for whatever waits for one that is gone.

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/tagged_port.hpp"

namespace railyard::ofi {

using fabric::TaggedPeer;

namespace {

constexpr Duration between_tagged_signs = Duration::s(1);
constexpr Duration between_greetings = Duration::ms(100);
// How long a port that goes waits until its peers have heard it.
constexpr Duration goodbye_time = Duration::ms(500);

}  // namespace

TaggedPeer TaggedPort::number_of(const NicName& name) {
    const auto known = numbers_.find(name.id);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<TaggedPeer>(peers_.size());
    const bool can_ask = port_.sockets().is_on_tcp();
    auto peer = std::make_unique<Peer>(Peer{
        .name = name,
        .listener = ListenerTest(can_ask ? name.where(0) : std::span<const std::byte>()),
        .words = {},
    });
    peer->address = port_.shared().address_of(name);
    if (is_self(*peer)) {
        peer->our_number = number + 1;
        peer->met = true;
    }
    peers_.push_back(std::move(peer));
    numbers_.emplace(name.id, number);
    return number;
}

bool TaggedPort::is_self(const Peer& peer) const {
    return peer.name.id == nic_.id();
}

TaggedPort::Peer* TaggedPort::peer_at(std::uint64_t number) {
    return number == 0 || number > peers_.size() ? nullptr : peers_[number - 1].get();
}

void TaggedPort::greet(Peer& peer) {
    peer.asked = true;
    const NicName& name = nic_.name();
    say(peer, Kind::tagged_hello, numbers_.at(peer.name.id) + 1,
        std::as_bytes(std::span(&name, 1)));
}

void TaggedPort::greeted(const Header& header, std::span<const std::byte> data) {
    NicName name;
    if (data.size() != sizeof name) return;
    std::memcpy(&name, data.data(), sizeof name);
    if (!name.is_like(nic_.name())) return;
    const TaggedPeer number = number_of(name);
    Peer& peer = *peers_[number];
    if (peer.gone) return;
    peer.our_number = static_cast<std::uint32_t>(header.number);
    say(peer, Kind::tagged_welcome, number + 1);
}

void TaggedPort::say(Peer& peer, Kind kind, std::uint64_t number, std::span<const std::byte> data,
                     std::uint64_t length) {
    if (peer.gone || peer.address == FI_ADDR_UNSPEC) return;
    Operation& word = port_.buffers().take();
    word.type = Operation::Type::tagged_word;
    word.tagged = numbers_.at(peer.name.id);
    word.length = sizeof(Header) + data.size();
    Header header;
    header.kind = kind;
    header.number = number;
    header.region = peer.our_number;
    header.offset = peer.name.id;
    header.length = length;
    std::memcpy(word.data, &header, sizeof header);
    if (!data.empty()) std::memcpy(word.data + sizeof header, data.data(), data.size());
    if (!peer.words.empty() || !try_say(peer, word)) {
        if (peer.gone) return port_.buffers().give_back(word);
        peer.words.push_back(&word);
        set_stalled(peer);
    }
}

bool TaggedPort::try_say(Peer& peer, Operation& word) {
    if (!took(peer, fi_send(port_.device().endpoint(), word.data, word.length, word.descriptor,
                            peer.address, &word.context)))
        return false;
    ++under_way_;
    return true;
}

/// Whether the provider has taken it.
bool TaggedPort::took(Peer& peer, long error) {
    if (error == 0 && peer.stalled) peer.stalled_since = nic_.host().now();
    if (error == 0 || error == -FI_EAGAIN) return error == 0;
    log_debug("ofi: a message is refused: {}", error_text(error));
    lose(peer, Code::timed_out);
    return false;
}

void TaggedPort::set_stalled(Peer& peer) {
    const bool waits =
        !peer.words.empty() || !peer.writers.empty() || (peer.met && !peer.waiting.empty());
    if (waits == peer.stalled) return;
    peer.stalled = waits;
    peer.stalled_since = waits ? nic_.host().now() : Time::never();
    stalled_peers_ += waits ? 1 : std::size_t(-1);
}

void TaggedPort::lose(Peer& peer, Code why) {
    if (std::exchange(peer.gone, true)) return;
    const TaggedPeer number = numbers_.at(peer.name.id);
    for (Operation* word : peer.words)
        port_.buffers().give_back(*word);
    peer.words.clear();
    for (Sending* sending : peer.waiting)
        port_.buffers().give_back(*std::exchange(sending->message, nullptr));
    peer.waiting.clear();
    peer.writers.clear();
    set_stalled(peer);
    std::vector<std::uint64_t> ended;
    for (const auto& [send, sending] : sends_)
        if (sending->to == number) ended.push_back(send);
    std::ranges::sort(ended);
    for (const std::uint64_t send : ended) {
        Sending& sending = *sends_.at(send);
        sending.lost = true;
        if (sending.writes == 0) end(sending, why);  // else the provider still reads its memory
    }
    std::vector<Receives::iterator> cut;
    for (const auto& [token, receiving] : pulled_)
        if (receiving->matched.from == number + 1) cut.push_back(receiving);
    for (const Receives::iterator receiving : cut)
        finish(receiving, why);
}

void TaggedPort::heard(const Header& header, std::span<const std::byte> data) {
    if (header.offset != nic_.id()) return;
    if (header.kind == Kind::tagged_hello) return greeted(header, data);
    Peer* const peer = peer_at(header.region);
    if (peer == nullptr) return;
    switch (header.kind) {
        case Kind::tagged_welcome:
            peer->our_number = static_cast<std::uint32_t>(header.number);
            peer->met = true;
            return flush(*peer);
        case Kind::tagged_matched:
            if (Sending* const sending = sending_of(header.number)) end(*sending, Code::ok);
            return;
        case Kind::tagged_withdrawn:
            if (Sending* const sending = sending_of(header.number)) end(*sending, Code::ok, true);
            return;
        case Kind::tagged_go:
            return go(*peer, header, data);
        case Kind::tagged_done: {
            const auto receiving = pulled_.find(header.number);
            if (receiving != pulled_.end()) finish(receiving->second, Code::ok);
            return;
        }
        case Kind::tagged_withdraw:
            return withdraw(*peer, header.number);
        case Kind::tagged_goodbye:
            say(*peer, Kind::tagged_farewell, 0);
            return lose(*peer, Code::remote_closed);
        case Kind::tagged_farewell:
            peer->answered_goodbye = true;
            return;
        default:
            return;
    }
}

void TaggedPort::tick(Time now) {
    for (std::size_t i = 0; i < peers_.size() && stalled_peers_ > 0; ++i) {
        Peer& peer = *peers_[i];
        if (!peer.stalled) continue;
        const bool gone = peer.listener.is_gone(now, nic_.patience() / 2);
        if (!gone && now < peer.stalled_since + nic_.patience()) continue;
        log_debug("ofi: {}", gone ? "a peer is not there any more" : "a peer takes nothing");
        lose(peer, Code::timed_out);
    }
    if (now < next_sign_) return;
    next_sign_ = now + between_tagged_signs;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        Peer& peer = *peers_[i];
        if (peer.waited_for == 0 || peer.gone || peer.stalled || is_self(peer)) continue;
        if (peer.met) {
            say(peer, Kind::tagged_sign, 0);
        } else {
            next_sign_ = now + between_greetings;
            greet(peer);  // the first may have got lost
        }
    }
}

void TaggedPort::say_goodbye() {
    std::vector<Peer*> met;
    for (const auto& peer : peers_)
        if (peer->our_number != 0 && !peer->gone && !is_self(*peer)) met.push_back(peer.get());
    for (Peer* peer : met)
        say(*peer, Kind::tagged_goodbye, 0);
    const auto has_heard = [](const Peer* peer) { return peer->gone || peer->answered_goodbye; };
    const Time until = nic_.host().now() + goodbye_time;
    while (nic_.host().now() < until && (under_way_ > 0 || !std::ranges::all_of(met, has_heard)))
        nic_.progress_once();
    // Whoever has not heard it writes to nobody's memory.
    for (Receiving& receiving : receives_)
        receiving.registered.reset();
}

}  // namespace railyard::ofi
