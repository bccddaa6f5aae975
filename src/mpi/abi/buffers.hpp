#pragma once
/// Users' buffers as the engine takes them.

#include "mpi/abi/entry.hpp"
#include "mpi/types/buffer.hpp"

namespace railyard::mpi::abi {

/// A null address is right only with a type made of absolute addresses (MPI_BOTTOM).
[[gnu::cold]] void check_null_address(std::size_t count, const Datatype& type);

inline ConstBuffer const_buffer(const void* address, std::size_t count, const TypeRef& type) {
    if (address == nullptr) [[unlikely]]
        check_null_address(count, *type);
    return ConstBuffer(address, count, *type);
}

inline Buffer buffer(void* address, std::size_t count, const TypeRef& type) {
    if (address == nullptr) [[unlikely]]
        check_null_address(count, *type);
    return Buffer{address, count, type.get()};
}

}  // namespace railyard::mpi::abi
