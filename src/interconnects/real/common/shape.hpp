#pragma once
/// What a request asks for, and what is wrong with it, before a real fabric does anything about it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "railyard/work.hpp"

namespace railyard::real {

/// What one request of a fabric may have.
struct Limits {
    std::uint32_t slices;
    std::size_t inline_bytes;
    std::uint64_t longest = std::numeric_limits<std::uint64_t>::max();
};

struct Shape {
    Code refusal = Code::ok;  ///< the call is malformed
    Code fault = Code::ok;    ///< the request is well-formed but cannot be done
    std::uint64_t length = 0;
};

inline bool is_atomic(fabric::Op op) {
    return op == fabric::Op::fetch_add || op == fabric::Op::compare_swap;
}

// Both are inline: they stand on the way of every small message.

// `nic`: whose queue is asked. Regions of another Nic make a call malformed, like none at all.

inline Shape shape_of(std::span<const fabric::Slice> local, const Limits& limits, const void* nic) {
    Shape shape;
    if (local.size() > limits.slices) shape.refusal = Code::invalid;
    for (const fabric::Slice& slice : local) {
        if (slice.region == nullptr || !slice.region->made_by(nic)) [[unlikely]] {
            shape.refusal = Code::invalid;
            return shape;
        }
        if (!slice.in_bounds()) shape.fault = Code::out_of_bounds;
        shape.length += slice.length.count();
    }
    if (shape.fault == Code::ok && shape.length > limits.longest) shape.refusal = Code::too_long;
    return shape;
}

inline Shape shape_of(const fabric::WorkRequest& work, const Limits& limits, const void* nic) {
    using fabric::Flags;
    using fabric::Op;
    Shape shape;
    if (!work.bytes.empty() || has(work.flags, Flags::inlined)) {
        const bool readable =
            work.op == Op::send || work.op == Op::rdma_write || work.op == Op::rdma_write_imm;
        if (!work.local.empty() || !has(work.flags, Flags::inlined) || !readable)
            shape.refusal = Code::invalid;
        else if (work.bytes.size() > limits.inline_bytes)
            shape.refusal = Code::too_long;
        shape.length = work.bytes.size();
    } else {
        shape = shape_of(work.local, limits, nic);
    }
    if (work.op != Op::send) {
        if (work.op == Op::receive || work.remote.region == nullptr ||
            !work.remote.region->made_by(nic))
            shape.refusal = Code::invalid;
        if (is_atomic(work.op) && shape.length != sizeof(std::uint64_t))
            shape.refusal = Code::invalid;
    } else if (work.invalidate != nullptr && !work.invalidate->made_by(nic)) [[unlikely]] {
        shape.refusal = Code::invalid;
    }
    return shape;
}

}  // namespace railyard::real
