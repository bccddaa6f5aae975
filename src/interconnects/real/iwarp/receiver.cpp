#include "interconnects/real/iwarp/receiver.hpp"

#include <cstring>
#include <utility>

namespace railyard::iwarp {

using ddp::TaggedError;
using ddp::UntaggedError;
using mpa::Verdict;
using rdmap::Opcode;
using rdmap::OperationError;
using rdmap::ProtectionError;

namespace {

ProtectionError to_error(TagFault fault) {
    switch (fault) {
        case TagFault::not_of_stream:
            return ProtectionError::not_of_stream;
        case TagFault::no_right:
            return ProtectionError::no_right;
        case TagFault::wraps:
            return ProtectionError::wraps;
        case TagFault::out_of_bounds:
            return ProtectionError::out_of_bounds;
        case TagFault::none:
        case TagFault::invalid:
            break;
    }
    return ProtectionError::invalid_stag;
}

}  // namespace

Receiver::Receiver(const Settings& settings, TagTable& tags, Upcalls& upcalls)
    : settings_(settings),
      tags_(tags),
      upcalls_(upcalls),
      inbound_(settings.ird),
      outstanding_(settings.ord) {
    next_msn_.fill(settings.first_msn);
}

Verdict Receiver::begin(std::span<const std::byte> head, std::size_t length, Cursor& payload) {
    payload = {};
    raw_size_ = 0;
    if (head.empty() || head.size() < ddp::header_size(head[0]))
        return fail(terminate_short_segment());
    raw_size_ = head.size();
    std::memcpy(raw_.data(), head.data(), raw_size_);
    header_ = ddp::read(head.data());
    segment_length_ = length;
    payload_size_ = length - head.size();

    if (header_.version != ddp::version)
        return fail(header_.tagged ? terminate(TaggedError::bad_version)
                                   : terminate(UntaggedError::bad_version));
    const rdmap::Control control = rdmap::to_control(header_.ulp_control);
    if (control.version != rdmap::version) return fail(terminate(OperationError::bad_version));
    opcode_ = control.opcode;
    const rdmap::Shape shape = rdmap::shape_of(opcode_);
    const bool known = shape.assigned && (settings_.extended || opcode_ <= Opcode::terminate);
    // Last words may come between the segments of a message, which then is never finished.
    if (opcode_ == Opcode::terminate && untagged_.opcode != opcode_) untagged_ = {};
    const Unfinished& unfinished = header_.tagged ? tagged_ : untagged_;
    if (!known || shape.tagged != header_.tagged ||
        (unfinished.open && unfinished.opcode != opcode_))
        return fail(terminate(OperationError::opcode));
    if (opcode_ == Opcode::write) return begin_write(payload);
    if (opcode_ == Opcode::read_response) return begin_read_response(payload);
    return begin_untagged(shape, payload);
}

Verdict Receiver::begin_write(Cursor& payload) {
    if (payload_size_ == 0) return Verdict::go;  // tag and offset mean nothing then
    const TagTable::Access access = tags_.check(header_.stag, settings_.asker, header_.to,
                                                payload_size_, fabric::Access::remote_write);
    switch (access.fault) {
        case TagFault::none:
            place_ = {access.data, payload_size_, access.lease};
            payload = Cursor({&place_, 1});
            return Verdict::go;
        case TagFault::not_of_stream:
            return fail(terminate(TaggedError::not_of_stream));
        case TagFault::wraps:
            return fail(terminate(TaggedError::wraps));
        case TagFault::out_of_bounds:
            return fail(terminate(TaggedError::out_of_bounds));
        case TagFault::invalid:
        case TagFault::no_right:  // DDP has no code for it
            break;
    }
    return fail(terminate(TaggedError::invalid_stag));
}

Verdict Receiver::begin_read_response(Cursor& payload) {
    if (outstanding_.empty() || outstanding_.front().atomic)
        return fail(terminate(OperationError::opcode));
    const Outstanding& request = outstanding_.front();
    const std::uint64_t end = tagged_.placed + payload_size_;
    if (payload_size_ > 0 && header_.stag != request.sink_stag)
        return fail(terminate(TaggedError::invalid_stag));
    const bool wrong_place = payload_size_ > 0 && header_.to != request.sink_to + tagged_.placed;
    const bool wrong_length = end > request.length || (header_.last && end != request.length);
    if (wrong_place || wrong_length) return fail(terminate(TaggedError::out_of_bounds));
    payload = Cursor(request.sink, tagged_.placed);
    return Verdict::go;
}

Verdict Receiver::begin_untagged(const rdmap::Shape& shape, Cursor& payload) {
    if (opcode_ == Opcode::atomic_response &&
        (outstanding_.empty() || !outstanding_.front().atomic))
        return fail(terminate(OperationError::opcode));
    if (header_.queue != static_cast<std::uint32_t>(shape.queue))
        return fail(terminate(UntaggedError::queue));
    if (header_.msn != next_msn_[header_.queue]) return fail(terminate(UntaggedError::msn));
    if (shape.queue == ddp::Queue::request && inbound_.full())
        return fail(terminate(UntaggedError::no_buffer));
    if (shape.queue == ddp::Queue::send && receive_ == nullptr) {
        receive_ = upcalls_.claim_receive();
        if (receive_ == nullptr)
            return settings_.wait_for_receives ? Verdict::wait
                                               : fail(terminate(UntaggedError::no_buffer));
    }
    if (header_.mo != untagged_.placed) return fail(terminate(UntaggedError::mo));
    const bool has_control = shape.length > 0 || opcode_ == Opcode::terminate;
    return has_control ? begin_control(shape, payload) : begin_send(shape, payload);
}

/// Into a buffer of our own, to be understood when it is complete.
Verdict Receiver::begin_control(const rdmap::Shape& shape, Cursor& payload) {
    const std::size_t total = header_.mo + payload_size_;  // MO is what was placed: small
    if (opcode_ == Opcode::terminate) {
        if (total > Terminate::longest) {
            upcalls_.lost();
            return Verdict::stop;
        }
    } else if (total > shape.length || (header_.last && total != shape.length)) {
        return fail(terminate(OperationError::stream));
    }
    place_ = {control_.data() + header_.mo, payload_size_, Lease()};
    payload = Cursor({&place_, 1});
    return Verdict::go;
}

/// Into the receive that it claimed.
Verdict Receiver::begin_send(const rdmap::Shape& shape, Cursor& payload) {
    if (untagged_.placed + payload_size_ > receive_->size) {
        upcalls_.receive_failed(Code::too_long);
        return fail(terminate(UntaggedError::too_long));
    }
    if (header_.last && shape.invalidates) {
        const TagFault fault = tags_.check_invalidate(header_.ulp_word, settings_.asker);
        if (fault != TagFault::none) {
            upcalls_.receive_failed(Code::bad_key);
            return fail(fault == TagFault::invalid
                            ? terminate(OperationError::cannot_invalidate)
                            : terminate(rdmap::ProtectionError::cannot_invalidate));
        }
    }
    payload = Cursor(receive_->places, untagged_.placed);
    return Verdict::go;
}

Verdict Receiver::end() {
    if (header_.tagged) return end_tagged();
    untagged_.opcode = opcode_;
    untagged_.open = !header_.last;
    untagged_.placed += payload_size_;
    if (untagged_.open) return Verdict::go;
    const std::uint64_t length = std::exchange(untagged_.placed, 0);
    ++next_msn_[header_.queue];
    return deliver(length);
}

Verdict Receiver::end_tagged() {
    tagged_.opcode = opcode_;
    tagged_.open = !header_.last;
    tagged_.placed += payload_size_;
    if (opcode_ == Opcode::write && payload_size_ > 0)
        coverage_.add(header_.stag, header_.to, payload_size_);
    if (tagged_.open) return Verdict::go;
    tagged_.placed = 0;
    if (opcode_ == Opcode::write) {
        last_write_ = coverage_.take();
        upcalls_.written();
    } else {
        upcalls_.answered(outstanding_.front(), 0);
        outstanding_.pop();
    }
    return Verdict::go;
}

void Receiver::place_lost() {
    (void)(header_.tagged ? fail(terminate(TaggedError::invalid_stag))
                          : fail(terminate(OperationError::stream)));
}

void Receiver::broken(mpa::Fault fault) {
    raw_size_ = 0;
    (void)fail(terminate(fault));
}

Verdict Receiver::fail(Terminate found) {
    if (raw_size_ > 0) {
        found.has_length = true;
        found.segment_length = static_cast<std::uint16_t>(segment_length_);
        found.ddp_size = static_cast<std::uint8_t>(raw_size_);
        std::memcpy(found.ddp.data(), raw_.data(), raw_size_);
    }
    upcalls_.failed(found);
    return Verdict::stop;
}

// What is done with a message that is complete.

Verdict Receiver::deliver(std::uint64_t length) {
    switch (opcode_) {
        case Opcode::read_request:
            return admit_read();
        case Opcode::atomic_request:
            return admit_atomic();
        case Opcode::atomic_response:
            return take_atomic_response();
        case Opcode::terminate:
            return take_terminate(length);
        default:
            return deliver_to_receive(length);
    }
}

Verdict Receiver::deliver_to_receive(std::uint64_t length) {
    const rdmap::Shape shape = rdmap::shape_of(opcode_);
    Arrival arrival{.length = length, .solicited = shape.solicited};
    if (shape.length > 0) {
        const rdmap::Immediate immediate = rdmap::read_immediate(control_.data());
        if (settings_.immediate_with_send) {
            // What follows is the Send that it belongs to, and nothing else.
            if (immediate_of_send_) return fail(terminate(OperationError::stream));
            if (immediate.with_send) {
                immediate_of_send_ = immediate.value;
                return Verdict::go;  // the receive stays claimed, for the Send
            }
        }
        arrival.length = std::exchange(last_write_, 0);
        arrival.has_immediate = true;
        arrival.immediate = immediate.value;
    } else if (immediate_of_send_) {
        arrival.has_immediate = true;
        arrival.immediate = *std::exchange(immediate_of_send_, std::nullopt);
    }
    if (shape.invalidates) arrival.invalidated = tags_.invalidate(header_.ulp_word);
    receive_ = nullptr;
    upcalls_.received(arrival);
    return Verdict::go;
}

Inbound Receiver::inbound_from_segment() const {
    Inbound item;
    std::memcpy(item.ddp.data(), raw_.data(), item.ddp.size());
    item.segment_length = static_cast<std::uint16_t>(segment_length_);
    return item;
}

Verdict Receiver::admit_read() {
    Inbound item = inbound_from_segment();
    item.read = rdmap::read_read_request(control_.data());
    if (item.read.length > 0) {  // of nothing, neither tag nor offset is looked at
        const TagTable::Access access =
            tags_.check_request(item.read.source_stag, settings_.asker, item.read.source_to,
                                item.read.length, fabric::Access::remote_read);
        if (access.fault != TagFault::none) return fail_read(to_error(access.fault), item.read);
        item.data = access.data;
        item.lease = access.lease;
    }
    inbound_.push(item);
    upcalls_.requested();
    return Verdict::go;
}

Verdict Receiver::admit_atomic() {
    Inbound item = inbound_from_segment();
    item.atomic = true;
    item.operation = rdmap::read_atomic_request(control_.data());
    const TagTable::Access access =
        tags_.check_request(item.operation.stag, settings_.asker, item.operation.to,
                            sizeof(std::uint64_t), fabric::Access::remote_atomic);
    if (access.fault != TagFault::none) return fail(terminate(to_error(access.fault)));
    if (reinterpret_cast<std::uintptr_t>(access.data) % alignof(std::uint64_t) != 0)
        return fail(terminate(OperationError::stream));
    if (item.operation.op != rdmap::AtomicOp::fetch_add &&
        item.operation.op != rdmap::AtomicOp::compare_swap)
        return fail(terminate(OperationError::opcode));
    item.data = access.data;
    item.lease = access.lease;
    inbound_.push(item);
    upcalls_.requested();
    return Verdict::go;
}

Verdict Receiver::take_atomic_response() {
    const rdmap::AtomicResponse response = rdmap::read_atomic_response(control_.data());
    if (response.id != outstanding_.front().id) return fail(terminate(OperationError::stream));
    upcalls_.answered(outstanding_.front(), response.original);
    outstanding_.pop();
    return Verdict::go;
}

Verdict Receiver::take_terminate(std::size_t length) {
    const auto found = Terminate::read_from({control_.data(), length});
    if (found) {
        upcalls_.terminated_by_peer(*found);
    } else {
        upcalls_.lost();
    }
    return Verdict::stop;
}

Verdict Receiver::fail_read(ProtectionError error, const rdmap::ReadRequest& request) {
    Terminate found = terminate(error);
    found.has_read = true;
    found.read = request;
    return fail(found);
}

}  // namespace railyard::iwarp
