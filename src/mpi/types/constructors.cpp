#include "mpi/types/constructors.hpp"

#include <utility>

namespace railyard::mpi {

namespace {

TypeRef make(Shape shape, Contents contents) {
    return std::make_shared<const Datatype>(std::move(shape), std::move(contents));
}

/// `count` blocks of `length` in a row, `stride` bytes from one to the next.
Shape blocks(std::size_t count, std::size_t length, std::ptrdiff_t stride, const Shape& old) {
    return repeated(repeated(old, length, old.extent()), count, stride);
}

/// Displacements are in units of so many bytes.
Shape listed(Counts lengths, Displacements displacements, std::ptrdiff_t unit, const Shape& old) {
    ShapeList list;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        list.add(old, lengths[i], checked_distance(displacements[i], unit));
    return std::move(list).finish();
}

Shape listed(std::size_t length, Displacements displacements, std::ptrdiff_t unit,
             const Shape& old) {
    ShapeList list;
    for (const std::ptrdiff_t displacement : displacements)
        list.add(old, length, checked_distance(displacement, unit));
    return std::move(list).finish();
}

void append(std::vector<std::ptrdiff_t>& to, Counts counts) {
    for (const std::size_t count : counts)
        to.push_back(signed_of(count));
}

void append(std::vector<std::ptrdiff_t>& to, Displacements displacements) {
    to.insert(to.end(), displacements.begin(), displacements.end());
}

}  // namespace

TypeRef contiguous(std::size_t count, const TypeRef& old) {
    return make(repeated(old->shape(), count, old->extent()),
                {Combiner::contiguous, {signed_of(count)}, {}, {old}});
}

TypeRef vector(std::size_t count, std::size_t length, std::ptrdiff_t stride, const TypeRef& old) {
    return make(blocks(count, length, checked_distance(stride, old->extent()), old->shape()),
                {Combiner::vector, {signed_of(count), signed_of(length), stride}, {}, {old}});
}

TypeRef hvector(std::size_t count, std::size_t length, std::ptrdiff_t stride, const TypeRef& old) {
    return make(blocks(count, length, stride, old->shape()),
                {Combiner::hvector, {signed_of(count), signed_of(length)}, {stride}, {old}});
}

TypeRef indexed(Counts lengths, Displacements displacements, const TypeRef& old) {
    Contents contents{Combiner::indexed, {signed_of(lengths.size())}, {}, {old}};
    append(contents.integers, lengths);
    append(contents.integers, displacements);
    return make(listed(lengths, displacements, old->extent(), old->shape()), std::move(contents));
}

TypeRef hindexed(Counts lengths, Displacements displacements, const TypeRef& old) {
    Contents contents{Combiner::hindexed, {signed_of(lengths.size())}, {}, {old}};
    append(contents.integers, lengths);
    append(contents.addresses, displacements);
    return make(listed(lengths, displacements, 1, old->shape()), std::move(contents));
}

TypeRef indexed_block(std::size_t length, Displacements displacements, const TypeRef& old) {
    Contents contents{
        Combiner::indexed_block, {signed_of(displacements.size()), signed_of(length)}, {}, {old}};
    append(contents.integers, displacements);
    return make(listed(length, displacements, old->extent(), old->shape()), std::move(contents));
}

TypeRef hindexed_block(std::size_t length, Displacements displacements, const TypeRef& old) {
    Contents contents{
        Combiner::hindexed_block, {signed_of(displacements.size()), signed_of(length)}, {}, {old}};
    append(contents.addresses, displacements);
    return make(listed(length, displacements, 1, old->shape()), std::move(contents));
}

TypeRef create_struct(Counts lengths, Displacements displacements, std::span<const TypeRef> types) {
    Contents contents{
        Combiner::create_struct, {signed_of(lengths.size())}, {}, {types.begin(), types.end()}};
    append(contents.integers, lengths);
    append(contents.addresses, displacements);
    ShapeList list;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        list.add(types[i]->shape(), lengths[i], displacements[i]);
    Shape shape = std::move(list).finish();
    shape.bounds.pad(signed_of(shape.alignment));
    return make(std::move(shape), std::move(contents));
}

TypeRef resized(const TypeRef& old, std::ptrdiff_t lower_bound, std::ptrdiff_t extent) {
    Shape shape = old->shape();
    shape.bounds.forget_marks();
    shape.bounds.mark_lower(lower_bound);
    shape.bounds.mark_upper(lower_bound + extent);
    return make(std::move(shape), {Combiner::resized, {}, {lower_bound, extent}, {old}});
}

TypeRef dup(const TypeRef& old) {
    return make(old->shape(), {Combiner::dup, {}, {}, {old}});
}

}  // namespace railyard::mpi
