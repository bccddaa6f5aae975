#include "mpi/types/datatype.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

[[noreturn]] void refuse() {
    throw MpiError(ErrorClass::arg,
                   "the datatype would reach beyond 2^62 bytes; use smaller counts, block lengths, "
                   "strides or displacements");
}

constexpr std::ptrdiff_t farthest = PTRDIFF_MAX / 2;

}  // namespace

std::size_t Signature::basics_in(std::size_t of_bytes) const {
    if (of_bytes >= bytes) return basics;
    if (basic != Basic::none) {
        const BasicTraits& t = traits(basic);
        const std::size_t rest = of_bytes % t.size();
        const std::size_t first_of_pair = t.parts() == 2 && rest >= t.first ? 1 : 0;
        return of_bytes / t.size() * t.parts() + first_of_pair;
    }
    if (child)
        return of_bytes / child->bytes * child->basics + child->basics_in(of_bytes % child->bytes);
    std::size_t found = 0;
    for (const SignatureRef& part : sequence) {
        found += part->basics_in(of_bytes);
        if (of_bytes <= part->bytes) break;
        of_bytes -= part->bytes;
    }
    return found;
}

SignatureRef signature_of(Basic basic, std::size_t count) {
    auto signature = std::make_shared<Signature>();
    const BasicTraits& t = traits(basic);
    if (count == 0 || t.size() == 0) return signature;
    signature->basic = basic;
    signature->count = count;
    signature->bytes = count * t.size();
    signature->basics = count * t.parts();
    return signature;
}

SignatureRef repeated(const SignatureRef& child, std::size_t count) {
    if (count == 1) return child;
    if (count == 0 || child->bytes == 0) return std::make_shared<Signature>();
    if (child->basic != Basic::none) return signature_of(child->basic, child->count * count);
    if (child->child) return repeated(child->child, child->count * count);
    auto signature = std::make_shared<Signature>();
    signature->count = count;
    signature->child = child;
    signature->depth = child->depth + 1;
    signature->bytes = count * child->bytes;
    signature->basics = count * child->basics;
    return signature;
}

void SignatureList::add(const SignatureRef& child, std::size_t count) {
    if (count == 0 || child->bytes == 0) return;
    if (!sequence_.empty() && child->basic != Basic::none &&
        sequence_.back()->basic == child->basic) {
        sequence_.back() =
            signature_of(child->basic, sequence_.back()->count + child->count * count);
        return;
    }
    sequence_.push_back(repeated(child, count));
}

SignatureRef SignatureList::finish() && {
    if (sequence_.size() == 1) return sequence_[0];
    auto signature = std::make_shared<Signature>();
    for (const SignatureRef& part : sequence_) {
        signature->bytes += part->bytes;
        signature->basics += part->basics;
        signature->depth = std::max(signature->depth, part->depth + 1);
    }
    signature->sequence = std::move(sequence_);
    return signature;
}

std::size_t checked_product(std::size_t a, std::size_t b) {
    std::ptrdiff_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) refuse();
    return static_cast<std::size_t>(product);
}

std::ptrdiff_t checked_distance(std::ptrdiff_t a, std::ptrdiff_t b) {
    std::ptrdiff_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) refuse();
    return checked_sum(product, 0);
}

std::ptrdiff_t checked_sum(std::ptrdiff_t a, std::ptrdiff_t b) {
    std::ptrdiff_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum) || sum > farthest || sum < -farthest) refuse();
    return sum;
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
    Bounds bounds;  // before the layout, which counts on them
    bounds.add(shape.bounds, offset);
    bounds.add(shape.bounds, checked_sum(offset, last));
    return {repeated(shape.layout, count, stride, offset), repeated(shape.signature, count), bounds,
            shape.alignment};
}

void ShapeList::add(const Shape& shape, std::size_t count, std::ptrdiff_t offset) {
    if (count == 0) return;
    const std::ptrdiff_t stride = shape.extent();
    if (__builtin_add_overflow(bytes_, checked_product(shape.layout->bytes, count), &bytes_) ||
        bytes_ > PTRDIFF_MAX)
        refuse();
    bounds_.add(shape.bounds, offset);
    bounds_.add(
        shape.bounds,
        checked_sum(offset, checked_distance(static_cast<std::ptrdiff_t>(count) - 1, stride)));
    layouts_.add(shape.layout, count, stride, offset);
    signatures_.add(shape.signature, count);
    alignment_ = std::max(alignment_, shape.alignment);
}

Shape ShapeList::finish() && {
    return {std::move(layouts_).finish(), std::move(signatures_).finish(), bounds_, alignment_};
}

Datatype::Datatype(Basic basic, Contents contents)
    : Datatype(shape_of(basic), std::move(contents)) {
    basic_ = basic;
}

Datatype::Datatype(Shape shape, Contents contents)
    : shape_(std::move(shape)), contents_(std::move(contents)) {
    const Layout& layout = *shape_.layout;
    if (std::max(layout.depth, shape_.signature->depth) > max_nesting)
        throw MpiError(ErrorClass::type, "the datatype is nested more than " +
                                             std::to_string(max_nesting) +
                                             " levels deep; make it of fewer types, each larger");
    const Bounds& bounds = shape_.bounds;
    size_ = layout.bytes;
    uniform_ = shape_.signature->basic;
    true_lower_ = bounds.true_lower();
    true_extent_ = bounds.true_upper() - bounds.true_lower();
    lower_ = bounds.lower();
    extent_ = shape_.extent();
    window_ = best_window({layout, extent_});
    const bool in_a_row = layout.kind == Layout::Kind::block || layout.kind == Layout::Kind::empty;
    dense_ = in_a_row && static_cast<std::ptrdiff_t>(size_) == extent_ && true_lower_ == lower_;
}

// Types that copy others, or hold them at the same level, may be made of each other without end, so
// they go one after the other and not one inside the other.
Datatype::~Datatype() {
    std::vector<TypeRef> last = std::move(contents_.types);
    while (!last.empty()) {
        const TypeRef type = std::move(last.back());
        last.pop_back();
        // We hold the only reference, so that nobody looks at its contents any more.
        if (type.use_count() != 1) continue;
        for (TypeRef& part : type->contents_.types)
            last.push_back(std::move(part));
        type->contents_.types.clear();
    }
}

std::size_t Datatype::basics_in(std::size_t bytes) const {
    if (size_ == 0) return 0;
    return bytes / size_ * basic_count() + shape_.signature->basics_in(bytes % size_);
}

const TypeRef& predefined(Basic basic) {
    static const auto all = [] {
        std::array<TypeRef, basic_kinds> types;
        for (std::size_t i = 1; i < types.size(); ++i)
            types[i] = std::make_shared<const Datatype>(static_cast<Basic>(i));
        return types;
    }();
    return all[static_cast<std::size_t>(basic)];
}

}  // namespace railyard::mpi
