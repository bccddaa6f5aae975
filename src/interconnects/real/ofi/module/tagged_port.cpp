#include "interconnects/real/ofi/module/tagged_port.hpp"

#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interconnects/real/ofi/module/nic.hpp"

namespace railyard::ofi {

using fabric::MatchBits;
using fabric::TaggedCompletion;
using fabric::TaggedPeer;

TaggedPort::TaggedPort(Nic& nic)
    : nic_(nic),
      port_(nic.port(0)),
      provider_matches_(std::bit_width(nic.port(0).device().info().ep_attr->mem_tag_format) == 64) {
    if (!provider_matches_) post_takers();
}

TaggedPort::~TaggedPort() = default;

TaggedPeer TaggedPort::peer(const fabric::Address& address) {
    const NicName name = NicName::from_address(address);
    return name.is_like(nic_.name()) ? number_of(name) : fabric::any_peer;
}

Status TaggedPort::send(const fabric::TaggedSend& request) {
    if (request.to >= peers_.size()) return Code::invalid;
    Peer& peer = *peers_[request.to];
    const std::uint64_t number = ++last_send_;
    Sending& sending = *sends_.emplace(number, std::make_unique<Sending>()).first->second;
    sending.id = request.id;
    sending.number = number;
    sending.to = request.to;
    sending.bits = request.bits;
    sending.data = request.data;
    sending.eager = request.data.size() <= longest_eager;
    sending.synchronous = request.synchronous;
    ++peer.waited_for;
    if (peer.gone || peer.address == FI_ADDR_UNSPEC) {
        end(sending, Code::remote_closed);
        return Code::ok;
    }
    sending.message = &port_.buffers().take();
    Operation& message = *sending.message;
    message.type = Operation::Type::tagged_send;
    message.tagged = number;
    message.length = sizeof(Envelope) + (sending.eager ? request.data.size() : 0);
    if (sending.eager && !request.data.empty())
        std::memcpy(message.data + sizeof(Envelope), request.data.data(), request.data.size());
    peer.waiting.push_back(&sending);
    flush(peer);
    return Code::ok;
}

Status TaggedPort::receive(const fabric::TaggedReceive& request) {
    if (request.from != fabric::any_peer && request.from >= peers_.size()) return Code::invalid;
    const auto receiving = receives_.emplace(receives_.end());
    receiving->request = request;
    receiving->self = receiving;
    const auto waiting = find_unexpected(request);
    if (waiting != unexpected_.end()) {
        Operation& buffer = *waiting->buffer;
        receiving->matched = waiting->envelope;
        unexpected_.erase(waiting);
        deliver(receiving, buffer);
    } else if (provider_matches_ && (!unposted_.empty() || !post(*receiving))) {
        unposted_.push_back(receiving);
    }
    return Code::ok;
}

/// The provider is asked to give it back, and says what became of it.
bool TaggedPort::cancel(std::uint64_t receive_id) {
    const auto is_it = [&](const Receiving& receiving) {
        return receiving.request.id == receive_id && receiving.token == 0 && !receiving.cancelled;
    };
    const auto found = std::ranges::find_if(receives_, is_it);
    if (found == receives_.end()) return false;
    found->cancelled = true;
    if (const auto unposted = std::ranges::find(unposted_, found); unposted != unposted_.end()) {
        unposted_.erase(unposted);
        finish(found, Code::ok);
        return true;
    }
    if (found->buffer == nullptr) {  // it waits here
        finish(found, Code::ok);
        return true;
    }
    cancelling_ = &*found;
    was_cancelled_ = false;
    fi_cancel(&port_.device().endpoint()->fid, &found->buffer->context);
    read_until([&] { return cancelling_ == nullptr; });
    cancelling_ = nullptr;
    return was_cancelled_;
}

void TaggedPort::cancel_send(std::uint64_t send_id) {
    for (auto& [number, sending] : sends_) {
        if (sending->id != send_id || sending->withdrawing) continue;
        Peer& peer = *peers_[sending->to];
        if (std::erase(peer.waiting, sending.get()) > 0) return end(*sending, Code::ok, true);
        const bool waits_for_match = !sending->eager || sending->synchronous;
        if (!waits_for_match || sending->token != 0) return;
        sending->withdrawing = true;
        return say(peer, Kind::tagged_withdraw, number);
    }
}

std::optional<TaggedCompletion> TaggedPort::probe(TaggedPeer from, MatchBits bits, MatchBits mask) {
    nic_.progress_once();
    drain();
    fabric::TaggedReceive wanted;
    wanted.from = from;
    wanted.bits = bits;
    wanted.mask = mask;
    const auto found = find_unexpected(wanted);
    if (found == unexpected_.end()) return std::nullopt;
    TaggedCompletion completion;
    completion.peer = found->envelope.from - 1;
    completion.bits = found->envelope.bits;
    completion.length = Bytes(found->envelope.length);
    completion.receive = true;
    return completion;
}

std::size_t TaggedPort::poll(std::span<TaggedCompletion> out) {
    if (completions_.empty()) nic_.progress_once();
    const std::size_t count = std::min(out.size(), completions_.size());
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = completions_.front();
        completions_.pop_front();
    }
    return count;
}

void TaggedPort::complete(const TaggedCompletion& completion) {
    completions_.push_back(completion);
    nic_.has_news();
}

void TaggedPort::completed(Operation& operation, std::size_t length, std::uint64_t tag) {
    using Type = Operation::Type;
    switch (operation.type) {
        case Type::tagged_receive:
            return matched(static_cast<Receiving*>(operation.receiving)->self, operation, length);
        case Type::tagged_send:
            return went(operation);
        case Type::tagged_write:
            return written(operation);
        case Type::tagged_unexpected:
            taking_ = false;
            takers_ -= provider_matches_ ? 0 : 1;
            take_out(operation, length);
            return post_takers();
        case Type::tagged_peek:
            peek_ = Peek::found;
            peeked_tag_ = tag;
            break;
        default:
            --under_way_;
            break;
    }
    port_.buffers().give_back(operation);
}

void TaggedPort::failed(Operation& operation, int error) {
    using Type = Operation::Type;
    switch (operation.type) {
        case Type::tagged_receive: {
            auto& receiving = *static_cast<Receiving*>(operation.receiving);
            receiving.buffer = nullptr;
            port_.buffers().give_back(operation);
            return refused(receiving.self, error);
        }
        case Type::tagged_send:
        case Type::tagged_write:
            return lost(operation);
        case Type::tagged_unexpected:
            taking_ = false;
            takers_ -= provider_matches_ ? 0 : 1;
            break;
        case Type::tagged_peek:
            peek_ = Peek::nothing;
            break;
        default:
            --under_way_;
            break;
    }
    port_.buffers().give_back(operation);
}

void TaggedPort::progress() {
    if (!unposted_.empty()) post_more();
    post_takers();
    if (stalled_peers_ == 0) return;
    for (const auto& peer : peers_)
        if (peer->stalled) flush(*peer);
}

void TaggedPort::close() {
    for (auto& [number, sending] : sends_)
        sending->registered.reset();
}

}  // namespace railyard::ofi
