#include "mpi/engine/mail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/copy_few.hpp"
#include "mpi/engine/patient_post.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

namespace {

// A bundle's first bytes should not wait long for its last.
constexpr std::size_t longest_bundle = 8 << 10;

}  // namespace

PostOffice::PostOffice(fabric::Nic& nic, std::uint32_t buffers, std::size_t packet_limit,
                       bool counts)
    : nic_(nic),
      buffers_(buffers),
      slot_size_((sizeof(Header) + packet_limit + cache_line - 1) / cache_line * cache_line),
      receives_(nic.create_receive_queue(buffers, fabric::ReceiveQueue::Sharing::shared)),
      waiting_(buffers, nobody),
      bundle_size_(std::min(slot_size_, longest_bundle)),
      counts_(counts) {}

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
    send(queue_pair, slot, sizeof header + header.length);
}

void PostOffice::send(fabric::QueuePair& queue_pair, std::uint32_t slot, std::size_t length) {
    const fabric::Slice slice(*outbox_, Bytes(slot * slot_size_), Bytes(length));
    fabric::WorkRequest work;
    work.op = fabric::Op::send;
    work.id = job_id(Job::mail_sent, slot);
    work.local = std::span(&slice, 1);
    const bool inlined = Bytes(length) <= nic_.traits().max_inline;
    if (inlined) {
        // Costs the adapter no read of our memory, and the slot is free at once.
        work.flags = fabric::Flags::inlined;
        if (!counts_) work.flags = work.flags | fabric::Flags::unsignalled;
        work.id = job_id(Job::mail_sent, nobody);
        work.local = {};
        work.bytes = {out(slot), length};
    }
    post(queue_pair, work);
    if (inlined) free_.push_back(slot);
}

void PostOffice::post(fabric::QueuePair& queue_pair, const fabric::WorkRequest& work) {
    if (const railyard::Status status = patient_post(nic_, queue_pair, work); !status.ok())
        throw Error(fmt::format("cannot send to a peer: {}", status.name()));
    ++under_way_;
}

void PostOffice::send_straight(fabric::QueuePair& queue_pair, const Header& header,
                               const fabric::Slice& bytes, std::uint32_t request) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    waiting_[slot] = request;
    std::memcpy(out(slot), &header, sizeof header);
    const std::array slices{fabric::Slice(*outbox_, Bytes(slot * slot_size_), Bytes(sizeof header)),
                            bytes};
    fabric::WorkRequest work;
    work.op = fabric::Op::send;
    work.id = job_id(Job::mail_sent, slot);
    work.local = slices;
    post(queue_pair, work);
}

void PostOffice::add(Bundle& bundle, const Header& header, const std::byte* data) {
    std::byte* const to = out(bundle.slot) + bundle.used;
    std::memcpy(to, &header, sizeof header);
    copy_bytes(to + sizeof header, data, header.length);
    bundle.used += static_cast<std::uint32_t>(sizeof header + header.length);
}

void PostOffice::send(fabric::QueuePair& queue_pair, const Bundle& bundle) {
    send(queue_pair, bundle.slot, bundle.used);
}

std::optional<std::uint32_t> PostOffice::sent(std::uint32_t slot) {
    --under_way_;
    if (slot == nobody) return std::nullopt;
    free_.push_back(slot);
    const std::uint32_t request = std::exchange(waiting_[slot], nobody);
    return request == nobody ? std::nullopt : std::optional(request);
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
