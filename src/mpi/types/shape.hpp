#pragma once
/// All that a datatype means, without how it was made: its bytes, its basics and its bounds.

#include <cstddef>

#include "mpi/types/bounds.hpp"
#include "mpi/types/layout.hpp"
#include "mpi/types/signature.hpp"

namespace railyard::mpi {

struct Shape {
    LayoutRef layout;
    SignatureRef signature;
    Bounds bounds;
    std::size_t alignment = 1;

    std::ptrdiff_t extent() const { return bounds.upper() - bounds.lower(); }
};

Shape shape_of(Basic basic);
Shape empty_shape();
/// `count` times, `stride` bytes from one to the next, the first moved by `offset`.
Shape repeated(const Shape& shape, std::size_t count, std::ptrdiff_t stride,
               std::ptrdiff_t offset = 0);

/// Puts shapes one after the other.
class ShapeList {
  public:
    /// `count` in a row, the first at `offset`.
    void add(const Shape& shape, std::size_t count, std::ptrdiff_t offset);
    Shape finish() &&;

  private:
    LayoutList layouts_;
    SignatureList signatures_;
    std::size_t bytes_ = 0;
    Bounds bounds_;
    std::size_t alignment_ = 1;
};

/// Products and sums of what users give, which may be beyond what a machine can address.
std::size_t checked_product(std::size_t a, std::size_t b);
std::ptrdiff_t checked_distance(std::ptrdiff_t a, std::ptrdiff_t b);

}  // namespace railyard::mpi
