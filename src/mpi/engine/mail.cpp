#include "mpi/engine/mail.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "mpi/engine/patient_post.hpp"

namespace railyard::mpi {

PostOffice::PostOffice(fabric::Nic& nic, std::uint32_t buffers, std::size_t packet_limit)
    : nic_(nic),
      buffers_(buffers),
      slot_size_((sizeof(Header) + packet_limit + cache_line - 1) / cache_line * cache_line),
      receives_(nic.create_receive_queue(buffers, fabric::ReceiveQueue::Sharing::shared)) {}

void PostOffice::open() {
    if (inbox_) return;
    inbox_ = nic_.allocate(Bytes(slot_size_ * buffers_), fabric::Access::local);
    outbox_ = nic_.allocate(Bytes(slot_size_ * buffers_), fabric::Access::local);
    for (std::uint32_t slot = 0; slot < buffers_; ++slot) {
        emptied(slot);
        free_.push_back(buffers_ - 1 - slot);
    }
}

std::size_t PostOffice::memory() const {
    return inbox_ ? 2 * slot_size_ * buffers_ : 0;
}

void PostOffice::send(fabric::QueuePair& queue_pair, const Header& header) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    std::memcpy(out(slot), &header, sizeof header);
    const std::size_t length = sizeof header + header.length;
    const fabric::Slice slice(*outbox_, Bytes(slot * slot_size_), Bytes(length));
    fabric::WorkRequest work;
    work.op = fabric::Op::send;
    work.id = job_id(Job::mail_sent, slot);
    work.local = std::span(&slice, 1);
    const bool inlined = Bytes(length) <= nic_.traits().max_inline;
    if (inlined) {
        // Costs the adapter no read of our memory, and the slot is free at once.
        work.flags = fabric::Flags::inlined | fabric::Flags::unsignalled;
        work.local = {};
        work.bytes = {out(slot), length};
    }
    if (const railyard::Status status = patient_post(nic_, queue_pair, work); !status.ok())
        throw Error(fmt::format("cannot send to a peer: {}", status.name()));
    if (inlined) free_.push_back(slot);
}

void PostOffice::emptied(std::uint32_t slot) {
    const fabric::Slice slice(*inbox_, Bytes(slot * slot_size_), Bytes(slot_size_));
    fabric::ReceiveRequest receive;
    receive.id = job_id(Job::mail_came, slot);
    receive.local = std::span(&slice, 1);
    if (const railyard::Status status = receives_->post(receive); !status.ok())
        throw Error(fmt::format("cannot post a receive: {}", status.name()));
}

}  // namespace railyard::mpi
