// What this side knows of the peer's memory before it asks, and what a Terminate says about what
// was asked.

#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {

using fabric::Access;
using fabric::Op;

namespace {

Access access_for(Op op) {
    switch (op) {
        case Op::rdma_write:
        case Op::rdma_write_imm:
            return Access::remote_write;
        case Op::rdma_read:
            return Access::remote_read;
        case Op::fetch_add:
        case Op::compare_swap:
            return Access::remote_atomic;
        default:
            return Access::local;
    }
}

Code tagged_status(std::uint8_t code) {
    switch (static_cast<ddp::TaggedError>(code)) {
        case ddp::TaggedError::invalid_stag:
            return Code::region_gone;  // its rights were checked before it was used
        case ddp::TaggedError::out_of_bounds:
        case ddp::TaggedError::wraps:
            return Code::out_of_bounds;
        case ddp::TaggedError::not_of_stream:
            return Code::bad_key;
        default:
            return Code::remote_fault;
    }
}

Code untagged_status(std::uint8_t code) {
    switch (static_cast<ddp::UntaggedError>(code)) {
        case ddp::UntaggedError::no_buffer:
            return Code::receiver_not_ready;
        case ddp::UntaggedError::too_long:
            return Code::too_long;
        default:
            return Code::remote_fault;
    }
}

Code protection_status(std::uint8_t code) {
    switch (static_cast<rdmap::ProtectionError>(code)) {
        case rdmap::ProtectionError::invalid_stag:
            return Code::region_gone;
        case rdmap::ProtectionError::out_of_bounds:
        case rdmap::ProtectionError::wraps:
            return Code::out_of_bounds;
        case rdmap::ProtectionError::no_right:
            return Code::no_right;
        case rdmap::ProtectionError::not_of_stream:
        case rdmap::ProtectionError::cannot_invalidate:
            return Code::bad_key;
    }
    return Code::remote_fault;
}

}  // namespace

Code QueuePair::check(const fabric::WorkRequest& work, std::uint64_t length) const {
    // A peer that is not ours may serve no Reads, and those that say "done" are Reads, too.
    const bool asks = work.op == Op::rdma_read || real::is_atomic(work.op) ||
                      has(work.flags, fabric::Flags::remote_completion);
    if (asks && link_->stream().outstanding().capacity() == 0) return Code::unsupported;
    if (work.op == Op::send) {
        if (work.with_immediate && !peer_is_ours_) return Code::unsupported;
        if (work.invalidate == nullptr) return Code::ok;
        const auto& region = static_cast<const ImportedRegion&>(*work.invalidate);
        return region.owner() == peer_ ? Code::ok : Code::bad_key;
    }
    const auto& region = static_cast<const ImportedRegion&>(*work.remote.region);
    if (region.owner() != peer_) return Code::bad_key;
    return region.check(work.remote.offset.count(), length, access_for(work.op));
}

Code QueuePair::status_of(const Terminate& found) const {
    constexpr std::uint8_t local = 0;
    constexpr std::uint8_t first = 1;
    constexpr std::uint8_t second = 2;
    if (found.layer == Terminate::Layer::ddp) {
        if (found.type == first) return tagged_status(found.code);
        if (found.type == second) return untagged_status(found.code);
        return Code::remote_fault;
    }
    if (found.layer == Terminate::Layer::llp) return Code::remote_fault;
    if (found.type == local) return Code::remote_closed;  // through no fault of ours
    if (found.type == first) return protection_status(found.code);
    if (found.code == static_cast<std::uint8_t>(rdmap::OperationError::cannot_invalidate))
        return Code::region_gone;
    return Code::remote_fault;
}

}  // namespace railyard::iwarp
