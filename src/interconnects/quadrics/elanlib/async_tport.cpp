#include "interconnects/quadrics/elanlib/async_tport.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace railyard::elanlib {

using elan::Home;

namespace {

// A packet and, behind it, the descriptor that sends it.
constexpr std::uint32_t packet_room = elan::packet_data + elan::block_size;

}  // namespace

AsyncTport::AsyncTport(elan::Machine& machine, const elan::Job& job, Vpid self,
                       std::uint32_t number, Host& host)
    : machine_(machine),
      job_(job),
      port_(machine.adapter(job.processes.at(self).node), machine.context(job, self)),
      number_(number),
      host_(&host),
      matcher_(Matcher::start(port_.adapter(), port_.context(), number)) {
    matcher_->on_unexpected = [this] { host_->unexpected(); };
}

AsyncTport::~AsyncTport() {
    close();
    for (Slot& slot : slots_)
        retire_event(slot);
}

AsyncTport::Slot& AsyncTport::take_slot(Kind kind) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back().index = free_.back();
    }
    Slot& slot = slots_[free_.back()];
    free_.pop_back();
    slot.kind = kind;
    slot.ended = slot.taken = false;
    slot.firings = 1;
    slot.buffer = elan::null_address;
    if (slot.event == elan::null_address) make_event(slot);
    if (kind != Kind::receive && slot.packet == elan::null_address)
        slot.packet = space().allocate(Home::sdram, packet_room);
    return slot;
}

void AsyncTport::let_go_if_done(Slot& slot) {
    if (!slot.taken || slot.firings > 0) return;
    if (slot.kind == Kind::send && slot.buffer != elan::null_address)
        space().release(slot.buffer, inline_below);
    if (std::exchange(slot.given_up, false)) retire_event(slot);
    ++slot.laps;
    free_.push_back(slot.index);
}

void AsyncTport::make_event(Slot& slot) {
    slot.prepared = space().allocate(Home::sdram, elan::block_size);
    slot.seen = space().allocate(Home::main, elan::block_size);
    const Found nothing;
    for (const Address block : {slot.prepared, slot.seen})
        space().store(block, std::as_bytes(std::span(&nothing, 1)));
    elan::EventState state;
    state.rearms = true;
    state.copy = {slot.prepared, slot.seen, sizeof(Found)};
    state.listener = [this, &slot](Status status) { fired(slot, status); };
    slot.event = port_.make_event(std::move(state));
}

/// It is not used again: somebody may still set it.
void AsyncTport::retire_event(Slot& slot) {
    if (slot.event == elan::null_address) return;
    port_.context().events.at(slot.event).listener = nullptr;
    slot.event = elan::null_address;
    slot.firings = 0;
}

/// The next of those to that peer.
void AsyncTport::name(Slot& slot, Envelope& envelope, Vpid to) {
    envelope.from = self();
    envelope.number = slot.number = peers_[to].sent++;
    slot.peer = to;
}

AsyncTport::Request AsyncTport::send_with_envelope(Vpid to, Tag tag,
                                                   std::span<const std::byte> data) {
    work(parameters().tports.post);
    tell_of_gaps(to);
    Slot& slot = take_slot(Kind::send);
    Envelope envelope;
    envelope.tag = tag;
    envelope.size = static_cast<std::uint32_t>(data.size());
    name(slot, envelope, to);
    if (on_this_node(to)) {
        envelope.data = Envelope::Data::on_the_node;
        envelope.address = slot.buffer = space().allocate(Home::main, inline_below);
        envelope.event = slot.event;
        space().store(slot.buffer, data);
        slot.firings = 2;  // it is in the peer's queue; the peer has copied it
        data = {};
    }
    send_packet(slot, envelope, data);
    return request_of(slot);
}

AsyncTport::Request AsyncTport::send_envelope(Vpid to, Tag tag, Address from, std::uint32_t size) {
    work(parameters().tports.post);
    tell_of_gaps(to);
    Slot& slot = take_slot(Kind::send);
    Envelope envelope;
    envelope.tag = tag;
    envelope.size = size;
    envelope.data = on_this_node(to) ? Envelope::Data::on_the_node : Envelope::Data::at_sender;
    envelope.address = from;
    envelope.event = slot.event;
    name(slot, envelope, to);
    send_packet(slot, envelope);
    return request_of(slot);
}

/// Envelope, and data if they go with it, into Elan memory and from there to the peer's queue. What
/// the library itself sends takes no time of the process.
void AsyncTport::send_packet(Slot& slot, const Envelope& envelope,
                             std::span<const std::byte> data) {
    const auto spend = [&](Duration time) {
        if (slot.kind == Kind::send) work(time);
    };
    std::array<std::byte, elan::packet_data> bytes;
    std::memcpy(bytes.data(), &envelope, sizeof envelope);
    std::copy(data.begin(), data.end(), bytes.begin() + sizeof envelope);
    const std::size_t size = sizeof envelope + data.size();
    space().store(slot.packet, std::span(bytes).first(size));
    port_.adapter().chip().path.host_access(Bytes(size), false, [] {});
    spend(Bytes(size) / parameters().pci.burst);

    elan::Descriptor descriptor;
    descriptor.direction = elan::Direction::message;
    descriptor.size = static_cast<std::uint32_t>(size);
    descriptor.source = self();
    descriptor.destination = slot.peer;
    descriptor.source_address = slot.packet;
    descriptor.destination_address = number_;
    // Where the receiver alone tells of the end, an envelope that gets lost is the adapter's to
    // tell.
    const bool receiver_tells = envelope.event != elan::null_address && slot.firings == 1;
    (receiver_tells ? descriptor.failure_event : descriptor.source_event) = slot.event;
    const Address at = slot.packet + elan::packet_data;
    port_.store(at, descriptor);
    spend(parameters().host.descriptor);
    spend(parameters().host.command);
    const elan::DmaId id = port_.adapter().dma().next_id();
    port_.adapter().chip().note(elan::Step::give_command, id);
    port_.command({elan::Command::Kind::run_dma, at, self()}, id);
}

AsyncTport::Request AsyncTport::receive(const Selector& selector, Address buffer,
                                        std::uint32_t size) {
    work(parameters().tports.post);
    Slot& slot = take_slot(Kind::receive);
    slot.buffer = buffer;
    slot.size = size;
    const Found nothing;
    space().store(slot.prepared, std::as_bytes(std::span(&nothing, 1)));
    matcher_->post({selector, buffer, size, slot.event, slot.prepared});
    work(parameters().host.command);
    port_.command({elan::Command::Kind::set_event, matcher_->posted_event(), self()});
    return request_of(slot);
}

bool AsyncTport::cancel(Request receive) {
    work(parameters().tports.post);
    Slot& slot = slots_[slot_of(receive)];
    if (slot.ended || !matcher_->cancel(slot.event)) return false;
    slot.ended = slot.taken = true;
    slot.firings = 0;
    let_go_if_done(slot);
    return true;
}

void AsyncTport::withdraw(Request send) {
    const elan::HostCosts& costs = parameters().host;
    work(parameters().tports.post + costs.descriptor + costs.command);
    const Slot& slot = slots_[slot_of(send)];
    if (slot.ended) return;
    send_notice(slot.peer, Envelope::Data::withdrawn, peers_[slot.peer].sent++, slot.number);
}

void AsyncTport::send_notice(Vpid to, Envelope::Data what, std::uint32_t number, Address about) {
    Slot& slot = take_slot(Kind::notice);
    slot.taken = true;
    slot.peer = to;
    slot.number = number;
    Envelope envelope;
    envelope.from = self();
    envelope.data = what;
    envelope.number = number;
    envelope.address = about;
    send_packet(slot, envelope);
}

void AsyncTport::tell_of_gaps(Vpid peer) {
    for (const std::uint32_t number : std::exchange(peers_[peer].gaps, {}))
        send_notice(peer, Envelope::Data::lost, number, elan::null_address);
}

void AsyncTport::fired(Slot& slot, Status status) {
    if (slot.firings > 0) --slot.firings;
    if (slot.kind != Kind::receive && status.code() == Code::timed_out) {
        lost(slot);
        retire_event(slot);
    } else if (slot.kind != Kind::receive) {
        if (status.failed()) slot.firings = 0;
        tell_of_gaps(slot.peer);  // it can be reached
    }
    end(slot, status);
    let_go_if_done(slot);
}

/// Once more only when something gets there again, or when the process sends more: a run must end.
void AsyncTport::lost(const Slot& slot) {
    peers_[slot.peer].gaps.push_back(slot.number);
    if (slot.kind == Kind::send) tell_of_gaps(slot.peer);
}

void AsyncTport::end(Slot& slot, Status status) {
    if (std::exchange(slot.ended, true)) return;
    slot.status = status;
    if (slot.kind == Kind::notice) return;
    if (host_) return host_->ended(request_of(slot));
    slot.taken = true;
    refuse_untouched(slot);
}

bool AsyncTport::is_known(Request request) const {
    if (slot_of(request) >= slots_.size()) return false;
    const Slot& slot = slots_[slot_of(request)];
    return !slot.taken && request_of(slot) == request;
}

/// Until its event has fired, only the adapter has it.
Envelope AsyncTport::found(const Slot& slot) const {
    Found found;
    space().load(slot.firings > 0 ? slot.prepared : slot.seen,
                 std::as_writable_bytes(std::span(&found, 1)));
    return found.matched != 0 ? found.envelope : Envelope();
}

Outcome AsyncTport::take(Request request) {
    Slot& slot = slots_[slot_of(request)];
    Outcome outcome{slot.status, {}};
    if (slot.kind == Kind::receive) {
        outcome.envelope = found(slot);
        if (outcome.envelope.data == Envelope::Data::on_the_node && slot.status.ok())
            outcome.status = copy_from_peer(slot, outcome.envelope);
        if (outcome.status.ok() && outcome.envelope.size > slot.size)
            outcome.status = Code::too_long;
    }
    slot.taken = true;
    let_go_if_done(slot);
    return outcome;
}

/// Both processes have the node's memory: the receiver copies, and says so (TP-6).
Status AsyncTport::copy_from_peer(const Slot& receive, const Envelope& envelope) {
    std::vector<std::byte> bytes(std::min(receive.size, envelope.size));
    if (!machine_.context(job_, envelope.from).space.load(envelope.address, bytes))
        return Code::remote_closed;
    host_->copy(request_of(receive), Bytes(bytes.size()));
    space().store(receive.buffer, bytes);
    work(parameters().host.command);
    port_.command({elan::Command::Kind::set_event, envelope.event, envelope.from});
    return {};
}

/// Nobody copies it any more.
void AsyncTport::refuse_untouched(const Slot& receive) {
    if (receive.kind != Kind::receive) return;
    const Envelope envelope = found(receive);
    if (envelope.data == Envelope::Data::on_the_node)
        matcher_->refuse(envelope, Code::remote_closed);
}

void AsyncTport::give_up(elite::NodeId node) {
    matcher_->give_up(node);
    for (Slot& slot : slots_) {
        if (slot.ended || slot.kind == Kind::notice) continue;
        const Envelope envelope = slot.kind == Kind::receive ? found(slot) : Envelope();
        const bool waits = slot.kind == Kind::send || envelope.data != Envelope::Data::with_it;
        const Vpid peer = slot.kind == Kind::send ? slot.peer : envelope.from;
        if (!waits || node_of(peer) != node) continue;
        // Its memory is about to be the program's again: a read that comes after all is refused.
        slot.given_up = port_.context().events.at(slot.event).revoked = slot.kind == Kind::send;
        end(slot, Code::timed_out);
    }
}

void AsyncTport::close() {
    if (!std::exchange(host_, nullptr)) return;
    for (Slot& slot : slots_) {
        if (slot.taken || !slot.ended) continue;
        refuse_untouched(slot);
        slot.taken = true;
        let_go_if_done(slot);
    }
    matcher_->close();
}

}  // namespace railyard::elanlib
