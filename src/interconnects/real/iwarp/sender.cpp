#include "interconnects/real/iwarp/sender.hpp"

#include <algorithm>
#include <cstring>

namespace railyard::iwarp {

using rdmap::Opcode;

namespace {

template <class Control>
Message control_message(Opcode opcode, const Control& control) {
    Message message;
    message.opcode = opcode;
    rdmap::write(message.control.data(), control);
    message.control_size = Control::size;
    return message;
}

Message tagged_message(Opcode opcode, std::uint32_t stag, std::uint64_t to,
                       std::span<const Place> payload, std::uint64_t length) {
    Message message;
    message.opcode = opcode;
    message.stag = stag;
    message.to = to;
    message.payload = payload;
    message.length = length;
    return message;
}

}  // namespace

Message send_message(std::span<const Place> payload, std::uint64_t length, SendFlags flags) {
    Message message;
    message.opcode = flags.invalidates ? (flags.solicited ? Opcode::send_solicited_invalidate
                                                          : Opcode::send_invalidate)
                                       : (flags.solicited ? Opcode::send_solicited : Opcode::send);
    message.stag = flags.invalidates ? flags.stag : 0;
    message.payload = payload;
    message.length = length;
    return message;
}
Message write_message(std::uint32_t stag, std::uint64_t to, std::span<const Place> payload,
                      std::uint64_t length) {
    return tagged_message(Opcode::write, stag, to, payload, length);
}
Message immediate_message(std::uint32_t value, bool solicited) {
    return control_message(solicited ? Opcode::immediate_solicited : Opcode::immediate,
                           rdmap::Immediate{value});
}
Message immediate_of_send_message(std::uint32_t value) {
    return control_message(Opcode::immediate, rdmap::Immediate{value, true});
}
Message read_message(const rdmap::ReadRequest& request) {
    return control_message(Opcode::read_request, request);
}
Message read_response_message(const rdmap::ReadRequest& request, std::span<const Place> payload) {
    Message message = tagged_message(Opcode::read_response, request.sink_stag, request.sink_to,
                                     payload, request.length);
    message.may_change = true;  // it lies in a region, which is anybody's
    return message;
}
Message atomic_message(const rdmap::AtomicRequest& request) {
    return control_message(Opcode::atomic_request, request);
}
Message atomic_response_message(const rdmap::AtomicResponse& response) {
    return control_message(Opcode::atomic_response, response);
}
Message terminate_message(const Terminate& found) {
    Message message;
    message.opcode = Opcode::terminate;
    message.control_size = found.write(message.control.data());
    return message;
}

void Sender::begin(const Message& message) {
    const rdmap::Shape shape = rdmap::shape_of(message.opcode);
    message_ = message;
    payload_ = Cursor(message.payload);
    progress_ = 0;
    busy_ = true;
    header_ = {};
    header_.tagged = shape.tagged;
    header_.ulp_control = rdmap::to_byte(message.opcode);
    if (shape.tagged) {
        header_.stag = message.stag;
        return;
    }
    header_.ulp_word = message.stag;
    header_.queue = static_cast<std::uint32_t>(shape.queue);
    header_.msn = next_msn_[header_.queue]++;
}

Sender::Pumped Sender::pump(Outbox& out) {
    std::array<std::byte, ddp::longest_header + rdmap::longest_control> head;
    const std::size_t head_size = header_.size() + message_.control_size;
    while (busy_) {
        const std::uint64_t left = message_.length - progress_;
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, ulpdu_ - head_size));
        if (!payload_.holds(n)) return Pumped::source_lost;
        header_.last = n == left;
        header_.to = message_.to + progress_;
        header_.mo = static_cast<std::uint32_t>(progress_);
        ddp::write(head.data(), header_);
        std::memcpy(head.data() + header_.size(), message_.control.data(), message_.control_size);
        if (!framer_.frame(out, {head.data(), head_size}, payload_, n, message_.may_change))
            return Pumped::full;
        progress_ += n;
        busy_ = !header_.last;
    }
    return Pumped::done;
}

}  // namespace railyard::iwarp
