#pragma once
/// What a collective does inside its own rank: finds elements, copies, packs, and says what it
/// cost.

#include <cstddef>
#include <cstdint>
#include <span>

#include "mpi/collectives/team.hpp"
#include "mpi/types/buffer.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// Bytes of data, without gaps.
inline std::size_t bytes_of(const ConstBuffer& buffer) {
    return buffer.count == 0 ? 0 : buffer.count * buffer.type->size();
}

/// Counted as an integer, as the address may be MPI_BOTTOM.
inline void* moved(const void* address, std::ptrdiff_t by) {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) +
                                   static_cast<std::uintptr_t>(by));
}

/// `count` elements from number `first` on.
inline Buffer part(const Buffer& buffer, std::size_t first, std::size_t count) {
    const auto offset = static_cast<std::ptrdiff_t>(first) * buffer.type->extent();
    return {moved(buffer.address, offset), count, buffer.type};
}
inline ConstBuffer part(const ConstBuffer& buffer, std::size_t first, std::size_t count) {
    const auto offset = static_cast<std::ptrdiff_t>(first) * buffer.type->extent();
    return {moved(buffer.address, offset), count, *buffer.type};
}

/// Plain bytes, as a message of them.
inline Buffer as_buffer(std::span<std::byte> bytes) {
    return {bytes.data(), bytes.size(), predefined(Basic::byte).get()};
}
inline ConstBuffer as_buffer(std::span<const std::byte> bytes) {
    return {bytes.data(), bytes.size(), *predefined(Basic::byte)};
}
/// A message of nothing, where only its coming matters.
inline Buffer nothing() {
    return as_buffer(std::span<std::byte>());
}

/// The data in one row, as they are sent; `out` and `in` have just that size.
void pack(Team& team, const ConstBuffer& from, std::span<std::byte> out);
void unpack(Team& team, std::span<const std::byte> in, const Buffer& to);

/// Both have as many bytes of data, perhaps in different types; they do not overlap, or are the
/// same.
void copy(Team& team, const ConstBuffer& from, const Buffer& to);

}  // namespace railyard::mpi
