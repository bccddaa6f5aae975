#pragma once
/// Data where a user has them: an address, a count and a type.

#include <cstddef>

namespace railyard::mpi {

class Datatype;

struct Buffer {
    void* address = nullptr;
    std::size_t count = 0;
    const Datatype* type = nullptr;  ///< outlives the use
};

struct ConstBuffer {
    const void* address = nullptr;
    std::size_t count = 0;
    const Datatype* type = nullptr;

    ConstBuffer() = default;
    ConstBuffer(const void* a, std::size_t n, const Datatype& t) : address(a), count(n), type(&t) {}
    ConstBuffer(const Buffer& b) : address(b.address), count(b.count), type(b.type) {}  // NOLINT
};

}  // namespace railyard::mpi
