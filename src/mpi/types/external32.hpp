#pragma once
/// MPI's data representation "external32": what any machine can read. Big-endian, IEEE, sizes by
/// the standard, elements one after the other without gaps.

#include <cstddef>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// Bytes of one element.
std::size_t external_size(const Datatype& type);

/// All elements of `from`; `to` has room for them. Throws MpiError(conversion) for a value that
/// the representation has no place for.
void pack_external(const ConstBuffer& from, std::byte* to);
/// As many elements as `to` is for; `from` has them all.
void unpack_external(const std::byte* from, const Buffer& to);

}  // namespace railyard::mpi
