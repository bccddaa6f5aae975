#include "interconnects/quadrics/fabric/tagged_port.hpp"

#include <algorithm>
#include <utility>

namespace railyard::quadrics {

using elanlib::Envelope;
using fabric::TaggedCompletion;
using fabric::TaggedPeer;
using virtual_time::HostStep;

namespace {

constexpr std::uint32_t port_number = 0;

elanlib::Selector selector_of(TaggedPeer from, fabric::MatchBits bits, fabric::MatchBits mask) {
    elanlib::Selector selector{{}, bits, mask};
    if (from != fabric::any_peer) selector.from = from;
    return selector;
}

/// As the interface has it. Whatever else the machine says of a peer's memory and queue, it is
/// because the peer has closed them, or has given this node up.
Status status_of(Status machine, bool peer_is_open) {
    switch (machine.code()) {
        case Code::ok:
        case Code::too_long:
        case Code::timed_out:
            return machine;
        case Code::flushed:
            return {};  // taken back
        default:
            return peer_is_open ? Code::timed_out : Code::remote_closed;
    }
}

}  // namespace

TaggedPort::TaggedPort(std::shared_ptr<virtual_time::NicState> nic, elan::Machine& machine,
                       const elan::Job& job, Bytes eager_limit)
    : nic_(std::move(nic)),
      nodes_(machine.network().tree().nodes()),
      eager_limit_(eager_limit),
      memory_(machine.context(job, vpid(nic_->name)).space),
      tport_(machine, job, vpid(nic_->name), port_number, *this) {}

void TaggedPort::close() {
    tport_.close();
    memory_.close();
    nic_ = nullptr;
}

void TaggedPort::give_up(fabric::NodeId from, fabric::NodeId to) {
    if (!nic_) return;
    if (nic_->name.node == from) tport_.give_up(to);
    if (nic_->name.node == to) tport_.give_up(from);
}

TaggedPeer TaggedPort::peer(const fabric::Address& address) {
    return vpid(nic_->network->name_of(address));
}

Status TaggedPort::send(const fabric::TaggedSend& request) {
    nic_->settle();
    const Bytes size(request.data.size());
    if (!tport_.knows(request.to)) return Code::invalid;
    if (size > nic_->network->traits.max_message) return Code::too_long;
    if (!request.synchronous && size <= eager_limit_) {
        const std::byte* const from = request.scratch ? nullptr : request.data.data();
        if (tport_.on_this_node(request.to))
            nic_->copy(size, size, nullptr, from);
        else
            nic_->touch(size, nullptr, from);
        open(tport_.send_with_envelope(request.to, request.bits, request.data), request.id,
             request.to, request.bits)
            .completion.length = size;
        return {};
    }
    const ProgramMemory::Use use = take(request.data, request.scratch);
    Open& opened = open(tport_.send_envelope(request.to, request.bits, use.address,
                                             static_cast<std::uint32_t>(size.count())),
                        request.id, request.to, request.bits);
    opened.completion.length = size;
    opened.use = use;
    opened.on_offer = true;
    return {};
}

Status TaggedPort::receive(const fabric::TaggedReceive& request) {
    nic_->settle();
    if (request.from != fabric::any_peer && !tport_.knows(request.from)) return Code::invalid;
    const ProgramMemory::Use use = take(request.buffer, request.scratch);
    Open& opened =
        open(tport_.receive(selector_of(request.from, request.bits, request.mask), use.address,
                            static_cast<std::uint32_t>(request.buffer.size())),
             request.id, request.from, request.bits);
    opened.completion.receive = true;
    opened.use = use;
    if (!request.scratch) opened.buffer = request.buffer;
    opened.on_offer = true;
    return {};
}

ProgramMemory::Use TaggedPort::take(std::span<const std::byte> buffer, bool scratch) {
    return scratch ? memory_.take_scratch(buffer) : memory_.take(buffer);
}

TaggedPort::Open& TaggedPort::open(Request request, std::uint64_t id, TaggedPeer peer,
                                   fabric::MatchBits bits) {
    const std::uint32_t slot = elanlib::AsyncTport::slot_of(request);
    if (slot >= open_.size()) open_.resize(slot + 1);
    Open& opened = open_[slot];
    opened = {.request = request, .order = ++started_, .pending = true};
    opened.completion.id = id;
    opened.completion.peer = peer;
    opened.completion.bits = bits;
    return opened;
}

std::vector<TaggedPort::Open*> TaggedPort::find(std::uint64_t id, bool receive) {
    std::vector<Open*> found;
    for (Open& one : open_)
        if (one.pending && one.on_offer && one.completion.id == id &&
            one.completion.receive == receive)
            found.push_back(&one);
    std::ranges::sort(found, {}, [](const Open* one) { return one->order; });
    return found;
}

bool TaggedPort::cancel(std::uint64_t receive_id) {
    nic_->settle();
    for (Open* const receive : find(receive_id, true)) {
        if (!tport_.cancel(receive->request)) continue;
        receive->pending = false;
        memory_.let_go(receive->use);
        receive->completion.cancelled = true;
        ended_.push_back({receive->request, receive->completion});
        nic_->notify();
        return true;
    }
    return false;
}

void TaggedPort::cancel_send(std::uint64_t send_id) {
    nic_->settle();
    const std::vector<Open*> found = find(send_id, false);
    if (!found.empty()) tport_.withdraw(found.front()->request);
}

std::optional<TaggedCompletion> TaggedPort::probe(TaggedPeer from, fabric::MatchBits bits,
                                                  fabric::MatchBits mask) {
    nic_->settle();
    const Envelope* const found = tport_.probe(selector_of(from, bits, mask));
    if (!found) {
        probing_ = true;  // before time passes: what comes meanwhile must be heard
        nic_->spend(HostStep::poll_empty);
        return std::nullopt;
    }
    TaggedCompletion completion;
    completion.peer = found->from;
    completion.bits = found->tag;
    completion.length = Bytes(found->size);
    completion.receive = true;
    return completion;
}

std::size_t TaggedPort::poll(std::span<TaggedCompletion> out) {
    nic_->settle();
    // Those that come while the processor is busy with these are for the next poll.
    const std::size_t n = std::min(out.size(), ended_.size());
    for (std::size_t i = 0; i < n; ++i) {
        const Ended next = ended_.front();
        ended_.pop_front();
        nic_->spend(HostStep::tagged_reap);
        out[i] = next.cancelled ? *next.cancelled
                                : finish(open_[elanlib::AsyncTport::slot_of(next.request)]);
    }
    if (n == 0) nic_->spend(HostStep::poll_empty);
    return n;
}

TaggedCompletion TaggedPort::finish(Open& open) {
    const elanlib::Outcome outcome = tport_.take(open.request);
    TaggedCompletion& completion = open.completion;
    if (completion.receive) {
        const Envelope& envelope = outcome.envelope;
        completion.peer = envelope.from;
        completion.bits = envelope.tag;
        completion.length = Bytes(envelope.size);
        if (envelope.data != Envelope::Data::on_the_node)
            nic_->host->overwritten(open.buffer.data(),
                                    std::min<std::size_t>(envelope.size, open.buffer.size()));
    } else {
        completion.cancelled = outcome.status.code() == Code::flushed;
    }
    completion.status = status_of(outcome.status, is_open(completion.peer));
    memory_.let_go(open.use);
    open.pending = false;
    return completion;
}

bool TaggedPort::is_open(TaggedPeer peer) const {
    const virtual_time::Network& network = *nic_->network;
    return network.find({network.id, peer % nodes_, peer / nodes_}) != nullptr;
}

void TaggedPort::work(Duration work) {
    if (nic_->network->engine.current()) nic_->host->compute(work);
}

void TaggedPort::copy(Request receive, Bytes size) {
    nic_->copy(size, size, open_[elanlib::AsyncTport::slot_of(receive)].buffer.data(), nullptr);
}

void TaggedPort::ended(Request request) {
    ended_.push_back({request, {}});
    nic_->notify();
}

void TaggedPort::unexpected() {
    if (std::exchange(probing_, false)) nic_->notify();
}

}  // namespace railyard::quadrics
