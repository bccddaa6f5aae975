#include "mpi/types/shape.hpp"

#include <cstdint>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

[[noreturn]] void refuse() {
    throw MpiError(ErrorClass::arg,
                   "the datatype would reach beyond 2^63 bytes; use smaller counts, block lengths "
                   "or strides");
}

}  // namespace

std::size_t checked_product(std::size_t a, std::size_t b) {
    std::ptrdiff_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) refuse();
    return static_cast<std::size_t>(product);
}

std::ptrdiff_t checked_distance(std::ptrdiff_t a, std::ptrdiff_t b) {
    std::ptrdiff_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) refuse();
    return product;
}

Shape empty_shape() {
    return {empty_layout(), signature_of(Basic::none), Bounds(), 1};
}

Shape shape_of(Basic basic) {
    const BasicTraits& t = traits(basic);
    Shape shape = empty_shape();
    if (basic == Basic::lb) shape.bounds.mark_lower(0);
    if (basic == Basic::ub) shape.bounds.mark_upper(0);
    if (t.size() == 0) return shape;
    LayoutList layouts;
    layouts.add(block_layout(0, t.first), 1, 0, 0);
    layouts.add(block_layout(0, t.second), 1, 0, static_cast<std::ptrdiff_t>(t.second_at));
    shape.layout = std::move(layouts).finish();
    shape.signature = signature_of(basic);
    const std::size_t end = t.second == 0 ? t.first : t.second_at + t.second;
    shape.bounds = Bounds(static_cast<std::ptrdiff_t>(end), static_cast<std::ptrdiff_t>(t.extent));
    shape.alignment = t.alignment;
    return shape;
}

Shape repeated(const Shape& shape, std::size_t count, std::ptrdiff_t stride,
               std::ptrdiff_t offset) {
    if (count == 0) return empty_shape();
    checked_product(shape.layout->bytes, count);
    const std::ptrdiff_t last = checked_distance(static_cast<std::ptrdiff_t>(count) - 1, stride);
    Shape result{repeated(shape.layout, count, stride, offset), repeated(shape.signature, count),
                 Bounds(), shape.alignment};
    result.bounds.add(shape.bounds, offset);
    result.bounds.add(shape.bounds, offset + last);
    return result;
}

void ShapeList::add(const Shape& shape, std::size_t count, std::ptrdiff_t offset) {
    if (count == 0) return;
    const std::ptrdiff_t stride = shape.extent();
    if (__builtin_add_overflow(bytes_, checked_product(shape.layout->bytes, count), &bytes_) ||
        bytes_ > PTRDIFF_MAX)
        refuse();
    layouts_.add(shape.layout, count, stride, offset);
    signatures_.add(shape.signature, count);
    bounds_.add(shape.bounds, offset);
    bounds_.add(shape.bounds,
                offset + checked_distance(static_cast<std::ptrdiff_t>(count) - 1, stride));
    alignment_ = std::max(alignment_, shape.alignment);
}

Shape ShapeList::finish() && {
    return {std::move(layouts_).finish(), std::move(signatures_).finish(), bounds_, alignment_};
}

}  // namespace railyard::mpi
