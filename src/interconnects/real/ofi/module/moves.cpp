// Bulk data of a link: moved by one-sided operations of the provider, or written by the peer where
// reads are not to be trusted.

#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/uio.h>

#include <array>
#include <cstring>

#include "interconnects/real/ofi/module/link.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queues.hpp"

namespace railyard::ofi {

bool Link::move(Direction direction, const Memory& memory, const Place& place, Inbound& inbound,
                const Memory& tail) {
    if (down_) return false;
    Operation& operation = port_.buffers().take_move();
    operation.inbound = &inbound;
    operation.memory = memory.bytes;
    operation.region = memory.region;
    std::array<iovec, 2> list = {
        {{memory.bytes.data(), memory.bytes.size() - tail.bytes.size()}, {tail.bytes.data(), 1}}};
    std::array<void*, 2> descriptors = {memory.descriptor, tail.descriptor};
    const bool only_tail = list[0].iov_len == 0 && !tail.bytes.empty();
    fi_rma_iov remote{place.address, place.length, place.key};
    fi_msg_rma message{};
    message.msg_iov = list.data() + (only_tail ? 1 : 0);
    message.desc = descriptors.data() + (only_tail ? 1 : 0);
    message.iov_count = tail.bytes.empty() || only_tail ? 1 : 2;
    message.addr = address_;
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation.context;
    begin(operation);
    if (took(move_now(direction, message))) {
        ++moving_;
        return true;
    }
    end(operation);
    port_.buffers().give_back(operation);
    return false;
}

/// Data that go there are followed by a message that says so: unless that cannot overtake them,
/// they must have been delivered.
long Link::move_now(Direction direction, const fi_msg_rma& message) {
    if (direction == Direction::here) return fi_readmsg(endpoint_, &message, FI_COMPLETION);
    Device& device = port_.device();
    const std::uint64_t delivered =
        !device.is_ordered() && device.tells_delivery() ? FI_DELIVERY_COMPLETE : 0;
    const long error = fi_writemsg(endpoint_, &message, FI_COMPLETION | delivered);
    if (delivered == 0 || (error != -FI_EOPNOTSUPP && error != -FI_EINVAL && error != -FI_ENOSYS))
        return error;
    device.set_tells_no_delivery();
    return fi_writemsg(endpoint_, &message, FI_COMPLETION);
}

void Link::fetch(Header header, const Memory& memory, const Place& to, Inbound& inbound) {
    if (down_) return;
    Operation& operation = port_.buffers().take_move();
    operation.inbound = &inbound;
    operation.memory = memory.bytes;
    operation.region = memory.region;
    operation.fetch = ++fetches_;
    begin(operation);
    ++moving_;
    header.region = operation.fetch;
    say(header, std::as_bytes(std::span(&to, 1)));
}

bool Link::fetched(const Header& header, std::span<const std::byte> tail) {
    Operation* operation = under_way_;
    while (operation != nullptr && (operation->type != Operation::Type::move ||
                                    operation->fetch == 0 || operation->fetch != header.region))
        operation = operation->next;
    if (operation == nullptr) return false;
    if (!tail.empty() && operation->inbound != nullptr)
        operation->inbound->buffer->data[0] = tail.front();
    completed(*operation, 0);
    return true;
}

bool Link::push(const Memory& memory, const Place& to, Request* request,
                std::optional<std::uint64_t> word) {
    if (down_ || !waiting_.empty()) return false;
    Operation& operation = port_.buffers().take_move();
    operation.type = Operation::Type::push;
    operation.request = request;
    operation.memory = memory.bytes;
    operation.region = memory.region;
    iovec piece{memory.bytes.data(), memory.bytes.size()};
    void* descriptor = memory.descriptor;
    fi_rma_iov remote{to.address, memory.bytes.size(), to.key};
    fi_msg_rma message{};
    message.msg_iov = &piece;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = address_;
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation.context;
    message.data = word.value_or(0);
    begin(operation);
    const std::uint64_t with_word = word ? FI_REMOTE_CQ_DATA : 0;
    if (took(fi_writemsg(endpoint_, &message, FI_COMPLETION | with_word))) {
        ++pushing_;
        return true;
    }
    end(operation);
    port_.buffers().give_back(operation);
    return false;
}

void Link::lands(std::uint64_t number, const Memory& memory) {
    Operation& operation = port_.buffers().take_move();
    operation.type = Operation::Type::landing;
    operation.fetch = number;
    operation.memory = memory.bytes;
    operation.region = memory.region;
    begin(operation);
}

void Link::landed(std::uint64_t number) {
    for (Operation* operation = under_way_; operation != nullptr; operation = operation->next)
        if (operation->type == Operation::Type::landing && operation->fetch == number)
            return completed(*operation, 0);
}

}  // namespace railyard::ofi
