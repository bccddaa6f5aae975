// What a tagged port sends: envelopes with small data in them, and large data when they have
// matched.

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/tagged_port.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

constexpr std::uint64_t tagged_step = 512 << 10;
constexpr std::uint32_t most_writes = 4;

}  // namespace

TaggedPort::Sending* TaggedPort::sending_of(std::uint64_t number) {
    const auto found = sends_.find(number);
    return found != sends_.end() ? found->second.get() : nullptr;
}

/// Whatever waits for room, in the order in which it was posted.
void TaggedPort::flush(Peer& peer) {
    while (!peer.words.empty() && try_say(peer, *peer.words.front()))
        peer.words.pop_front();
    if (!peer.gone && !peer.met && !peer.asked && !peer.waiting.empty()) greet(peer);
    while (!peer.gone && peer.met && !peer.waiting.empty() && post(peer, *peer.waiting.front()))
        peer.waiting.pop_front();
    if (!peer.writers.empty()) {
        const std::deque<Sending*> writers = peer.writers;
        for (Sending* sending : writers)
            if (!peer.gone) write_more(*sending);
    }
    if (!peer.gone) set_stalled(peer);
}

bool TaggedPort::post(Peer& peer, Sending& sending) {
    Operation& message = *sending.message;
    Envelope envelope;
    envelope.from = peer.our_number;
    envelope.eager = sending.eager;
    envelope.synchronous = sending.synchronous;
    envelope.number = sending.number;
    envelope.length = sending.data.size();
    envelope.bits = sending.bits;
    std::memcpy(message.data, &envelope, sizeof envelope);
    fid_ep* const endpoint = port_.device().endpoint();
    const std::uint64_t tag = tag_of(sending.bits);
    const bool inlines = message.length <= port_.device().inject_size();
    const long error = inlines
                           ? fi_tinject(endpoint, message.data, message.length, peer.address, tag)
                           : fi_tsend(endpoint, message.data, message.length, message.descriptor,
                                      peer.address, tag, &message.context);
    if (!took(peer, error)) return false;
    sending.message = nullptr;
    if (inlines) went(message);
    return true;
}

void TaggedPort::went(Operation& operation) {
    Sending* const sending = sending_of(operation.tagged);
    port_.buffers().give_back(operation);
    if (sending != nullptr && sending->eager && !sending->synchronous) end(*sending, Code::ok);
}

/// It has matched, and its data are wanted.
void TaggedPort::go(Peer& peer, const Header& header, std::span<const std::byte> data) {
    Sending* const sending = sending_of(header.number);
    Place target;
    if (sending == nullptr || sending->token != 0 || data.size() != sizeof target) return;
    std::memcpy(&target, data.data(), sizeof target);
    if (target.length > sending->data.size()) return;
    sending->target = target;
    sending->token = header.length;
    if (port_.device().requires_mode(FI_MR_LOCAL)) {
        std::byte* const memory = const_cast<std::byte*>(sending->data.data());  // only read
        try {
            sending->registered = register_with(port_.device(), {memory, target.length}, false);
        } catch (const Error& error) {
            log_error("{}", error.what());
            return lose(peer, Code::timed_out);
        }
    }
    peer.writers.push_back(sending);
    write_more(*sending);
    set_stalled(peer);
}

void TaggedPort::write_more(Sending& sending) {
    Peer& peer = *peers_[sending.to];
    const std::uint64_t step = std::min(tagged_step, port_.device().longest());
    while (sending.writes < most_writes && sending.issued < sending.target.length) {
        const std::uint64_t length = std::min(step, sending.target.length - sending.issued);
        if (!write(sending, length)) return;
        sending.issued += length;
    }
    // What waits for its own writes does not wait for room.
    std::erase(peer.writers, &sending);
}

bool TaggedPort::write(Sending& sending, std::uint64_t length) {
    Peer& peer = *peers_[sending.to];
    Device& device = port_.device();
    Operation& operation = port_.buffers().take_move();
    operation.type = Operation::Type::tagged_write;
    operation.tagged = sending.number;
    iovec piece{const_cast<std::byte*>(sending.data.data() + sending.issued), length};
    void* descriptor = sending.registered ? fi_mr_desc(sending.registered.get()) : nullptr;
    fi_rma_iov remote{sending.target.address + sending.issued, length, sending.target.key};
    fi_msg_rma message{};
    message.msg_iov = &piece;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = peer.address;
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation.context;
    const std::uint64_t delivered = device.tells_delivery() ? FI_DELIVERY_COMPLETE : 0;
    long error = fi_writemsg(device.endpoint(), &message, FI_COMPLETION | delivered);
    if (delivered != 0 && (error == -FI_EOPNOTSUPP || error == -FI_EINVAL || error == -FI_ENOSYS)) {
        device.set_tells_no_delivery();
        error = fi_writemsg(device.endpoint(), &message, FI_COMPLETION);
    }
    if (error == 0) {
        ++sending.writes;
        return true;
    }
    port_.buffers().give_back(operation);
    (void)took(peer, error);
    return false;
}

void TaggedPort::written(Operation& operation) {
    Sending* const sending = sending_of(operation.tagged);
    port_.buffers().give_back(operation);
    if (sending == nullptr) return;
    --sending->writes;
    finish_writing(*sending);
}

void TaggedPort::finish_writing(Sending& sending) {
    Peer& peer = *peers_[sending.to];
    if (sending.lost) {
        if (sending.writes == 0) end(sending, Code::remote_closed);
        return;
    }
    if (sending.issued < sending.target.length) {
        if (std::ranges::find(peer.writers, &sending) == peer.writers.end())
            peer.writers.push_back(&sending);
        write_more(sending);
        if (!peer.gone) set_stalled(peer);
    } else if (sending.writes == 0) {
        const std::uint64_t number = sending.number;
        say(peer, Kind::tagged_done, sending.token);
        // Unless that has shown that the peer is gone.
        if (Sending* const still = sending_of(number)) end(*still, Code::ok);
    }
}

/// The provider could not send it, or write it.
void TaggedPort::lost(Operation& operation) {
    Sending* const sending = sending_of(operation.tagged);
    const bool was_write = operation.type == Operation::Type::tagged_write;
    port_.buffers().give_back(operation);
    if (sending == nullptr) return;
    std::erase(peers_[sending->to]->writers, sending);
    sending->lost = true;
    if (was_write) --sending->writes;
    if (sending->writes == 0) end(*sending, Code::remote_closed);
}

void TaggedPort::end(Sending& sending, Code status, bool cancelled) {
    Peer& peer = *peers_[sending.to];
    --peer.waited_for;
    if (sending.message != nullptr) port_.buffers().give_back(*sending.message);
    fabric::TaggedCompletion completion;
    completion.id = sending.id;
    completion.status = status;
    completion.peer = sending.to;
    completion.bits = sending.bits;
    completion.length = Bytes(sending.data.size());
    completion.cancelled = cancelled;
    sends_.erase(sending.number);
    complete(completion);
}

}  // namespace railyard::ofi
