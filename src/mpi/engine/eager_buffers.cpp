#include "mpi/engine/eager_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/copy_few.hpp"
#include "mpi/engine/netmod.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

namespace {

// The first packet of a send should not wait long for the last.
constexpr std::size_t longest_coalesced = 8 << 10;

}  // namespace

EagerBuffers::EagerBuffers(fabric::Nic& nic, Sharing sharing, std::uint32_t buffers,
                           std::size_t packet_limit, bool signals_all)
    : nic_(nic),
      buffers_(buffers),
      slot_size_((sizeof(Header) + packet_limit + cache_line - 1) / cache_line * cache_line),
      receives_(nic.create_receive_queue(buffers, sharing)),
      waiting_(buffers, none),
      coalesced_limit_(std::min(slot_size_, longest_coalesced)),
      signals_all_(signals_all) {}

void EagerBuffers::open() {
    if (is_open()) return;
    const Bytes size(slot_size_ * buffers_);
    constexpr fabric::Access access = fabric::Access::local;
    receive_buffers_ = nic_.reserve_addresses(size, access, this);
    if (receive_buffers_)
        came_.resize(buffers_);
    else
        receive_buffers_ = nic_.allocate(size, access);
    // Coalesced packets are made bit by bit, and others are sent from where they lie.
    if (!signals_all_) send_buffers_ = nic_.reserve_addresses(size, access, nullptr);
    if (!send_buffers_) send_buffers_ = nic_.allocate(size, access);
    for (std::uint32_t slot = 0; slot < buffers_; ++slot) {
        repost(slot);
        free_.push_back(buffers_ - 1 - slot);
    }
}

std::size_t EagerBuffers::memory() const {
    return is_open() ? 2 * slot_size_ * buffers_ : 0;
}

bool EagerBuffers::send(fabric::QueuePair& queue_pair, const Header& header, bool stays) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    const std::size_t length = sizeof header + header.length;
    if (stores_sends()) {
        std::memcpy(out(slot), &header, sizeof header);
        return send(queue_pair, slot, {out(slot), length}, nullptr, stays);
    }
    if (header.length == 0) packet_ = nic_.take_parcel(length);
    fabric::Parcel packet = std::move(packet_);
    std::memcpy(packet.data(), &header, sizeof header);
    return send(queue_pair, slot, {packet.data(), length}, &packet);
}

bool EagerBuffers::send(fabric::QueuePair& queue_pair, std::uint32_t slot,
                        std::span<const std::byte> bytes, fabric::Parcel* parcel, bool stays) {
    const Bytes length(bytes.size());
    const fabric::Slice slice(*send_buffers_, Bytes(slot * slot_size_), length);
    fabric::WorkRequest work;
    work.op = fabric::Op::send;
    work.id = completion_id(CompletionKind::sent, slot);
    work.local = std::span(&slice, 1);
    work.parcel = parcel;
    if (stays) [[unlikely]]
        work.content = Bytes(sizeof(Header));
    const bool inlined = length <= nic_.traits().max_inline;
    if (inlined) {
        // The adapter need not read our memory, and the slot is free at once.
        work.flags = fabric::Flags::inlined;
        if (!signals_all_) work.flags = work.flags | fabric::Flags::unsignalled;
        work.id =
            completion_id(signals_all_ ? CompletionKind::sent : CompletionKind::unsignalled, none);
        work.local = {};
        work.parcel = nullptr;
        work.bytes = bytes;
    }
    post(queue_pair, work);
    if (inlined) free_.push_back(slot);
    return !inlined || signals_all_;
}

void EagerBuffers::post(fabric::QueuePair& queue_pair, const fabric::WorkRequest& work) {
    if (const railyard::Status status = post_blocking(nic_, queue_pair, work); !status.ok())
        throw Error(fmt::format("cannot send to a peer: {}", status.name()));
    ++under_way_;
}

void EagerBuffers::send_zero_copy(fabric::QueuePair& queue_pair, const Header& header,
                                  const fabric::Slice& bytes, std::uint32_t request, bool stays) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    waiting_[slot] = request;
    std::memcpy(out(slot), &header, sizeof header);
    const std::array slices{
        fabric::Slice(*send_buffers_, Bytes(slot * slot_size_), Bytes(sizeof header)), bytes};
    fabric::WorkRequest work;
    work.op = fabric::Op::send;
    work.id = completion_id(CompletionKind::sent, slot);
    work.local = slices;
    if (stays) [[unlikely]]
        work.content = Bytes(sizeof header);
    post(queue_pair, work);
}

void EagerBuffers::add(Coalesced& coalesced, const Header& header, const std::byte* data) {
    std::byte* const to = out(coalesced.slot) + coalesced.used;
    std::memcpy(to, &header, sizeof header);
    copy_bytes(to + sizeof header, data, header.length);
    coalesced.used += static_cast<std::uint32_t>(sizeof header + header.length);
}

bool EagerBuffers::send(fabric::QueuePair& queue_pair, const Coalesced& coalesced) {
    return send(queue_pair, coalesced.slot, {out(coalesced.slot), coalesced.used}, nullptr);
}

std::optional<std::uint32_t> EagerBuffers::sent(std::uint32_t slot) {
    --under_way_;
    if (slot == none) return std::nullopt;
    free_.push_back(slot);
    const std::uint32_t request = std::exchange(waiting_[slot], none);
    return request == none ? std::nullopt : std::optional(request);
}

void EagerBuffers::put(Bytes offset, fabric::Parcel parcel) {
    came_[offset.count() / slot_size_] = std::move(parcel);
}

void EagerBuffers::repost(std::uint32_t slot) {
    if (!came_.empty()) came_[slot].reset();
    const fabric::Slice slice(*receive_buffers_, Bytes(slot * slot_size_), Bytes(slot_size_));
    fabric::ReceiveRequest receive;
    receive.id = completion_id(CompletionKind::received, slot);
    receive.local = std::span(&slice, 1);
    if (const railyard::Status status = receives_->post(receive); !status.ok())
        throw Error(fmt::format("cannot post a receive: {}", status.name()));
}

}  // namespace railyard::mpi
