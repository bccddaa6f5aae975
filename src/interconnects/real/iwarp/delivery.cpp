// The second half of the Receiver: what is done with a message that is complete.

#include <cstring>
#include <utility>

#include "interconnects/real/iwarp/receiver.hpp"

namespace railyard::iwarp {

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
