#pragma once
/// Copies between elements where a user has them and their packed stream, any part of it.

#include <cstddef>
#include <span>

#include "mpi/types/layout.hpp"

namespace railyard::mpi {

/// Elements of a layout, each `extent` after the one before.
struct Elements {
    const Layout& layout;
    std::ptrdiff_t extent;
};

/// Bytes `from`, `from` + 1, … of the stream, as many as `out` holds; it must not reach beyond the
/// elements that are there.
void gather(const Elements& elements, const void* address, std::size_t from,
            std::span<std::byte> out);
void scatter(const Elements& elements, void* address, std::size_t from,
             std::span<const std::byte> in);

}  // namespace railyard::mpi
