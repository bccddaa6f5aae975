#pragma once
/// The commonest operations of all, inline: elements of one predefined type, here and there alike,
/// in memory that every rank of the window maps, or that the kernel copies to and from. Each is
/// done, or is refused without a word and has to go the long way, which says what is wrong if
/// something is.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/copy_whole.hpp"
#include "mpi/windows/combining.hpp"
#include "mpi/windows/window.hpp"

namespace railyard::mpi {

inline std::optional<std::uint64_t> Window::locate(int rank, std::ptrdiff_t displacement,
                                                   std::uint64_t count, const Datatype& type) {
    // As few bits for both factors as their product has.
    if (!type.is_predefined() || !type.is_dense() || ((count | type.size()) >> 31) != 0 ||
        !epochs_.may_use(rank)) [[unlikely]]
        return std::nullopt;
    const Peer& target = peers_[static_cast<std::size_t>(rank)];
    const std::uint64_t bytes = count * type.size();
    std::ptrdiff_t at = 0;
    if (__builtin_mul_overflow(displacement, static_cast<std::ptrdiff_t>(target.unit), &at) ||
        at < 0 || bytes > target.size || static_cast<std::uint64_t>(at) > target.size - bytes)
        [[unlikely]]
        return std::nullopt;
    epochs_.use(rank);
    return static_cast<std::uint64_t>(at);
}

inline std::byte* Window::reach(int rank, std::ptrdiff_t displacement, std::size_t count,
                                const Datatype& type) {
    if (!reaches_all_) [[unlikely]]
        return nullptr;
    const auto at = locate(rank, displacement, count, type);
    return at ? reinterpret_cast<std::byte*>(peers_[static_cast<std::size_t>(rank)].base + *at)
              : nullptr;
}

inline bool Window::put_plain(const void* data, std::size_t count, const Datatype& type, int rank,
                              std::ptrdiff_t displacement) {
    std::byte* const to = reach(rank, displacement, count, type);
    if (to == nullptr) [[unlikely]]
        return copy_plain(fabric::Op::rdma_write, const_cast<void*>(data), count, type, rank,
                          displacement);
    has_stored_ = true;
    store_whole(to, data, count * type.size());
    return true;
}

inline bool Window::get_plain(void* into, std::size_t count, const Datatype& type, int rank,
                              std::ptrdiff_t displacement) {
    const std::byte* const from = reach(rank, displacement, count, type);
    if (from == nullptr) [[unlikely]]
        return copy_plain(fabric::Op::rdma_read, into, count, type, rank, displacement);
    load_whole(into, from, count * type.size());
    return true;
}

inline bool Window::fetch_plain(const void* data, void* old, const Datatype& type, int rank,
                                std::ptrdiff_t displacement, const Operation& operation) {
    if (!operation.is_predefined() || !operation.allows(type)) [[unlikely]]
        return false;
    std::byte* const at = reach(rank, displacement, 1, type);
    if (at == nullptr) [[unlikely]]
        return false;
    has_stored_ |=
        !combine(operation, type, at, 1, static_cast<const std::byte*>(data),
                 static_cast<std::byte*>(old), guard_of(peers_[static_cast<std::size_t>(rank)]));
    return true;
}

}  // namespace railyard::mpi
