#include "mpi/types/constructors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mpi/types/error.hpp"

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

// Arrays: one index after the other, the fastest first, each a repetition of what the faster ones
// are.

void check(Order order) {
    if (order != Order::c && order != Order::fortran)
        throw MpiError(ErrorClass::arg,
                       fmt::format("an array's order is {}; it is MPI_ORDER_C or MPI_ORDER_FORTRAN",
                                   static_cast<int>(order)));
}

void check_subarray(Counts sizes, Counts subsizes, Counts starts) {
    if (sizes.empty())
        throw MpiError(ErrorClass::arg, "an array has no dimensions; it needs at least one");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (subsizes[i] < 1 || subsizes[i] > sizes[i])
            throw MpiError(ErrorClass::arg,
                           fmt::format("dimension {}: a part of {} of {} elements; it has at least "
                                       "1 and at most all",
                                       i, subsizes[i], sizes[i]));
        if (starts[i] > sizes[i] - subsizes[i])
            throw MpiError(
                ErrorClass::arg,
                fmt::format("dimension {}: {} elements from {} do not fit into {}; the "
                            "last start is {}",
                            i, subsizes[i], starts[i], sizes[i], sizes[i] - subsizes[i]));
    }
}

/// Dimension number `step` of `count`, counted from the fastest.
std::size_t dimension(std::size_t step, std::size_t count, Order order) {
    return order == Order::c ? count - 1 - step : step;
}

/// The whole array is the type's extent, wherever the part lies in it.
void bound(Shape& shape, std::ptrdiff_t extent) {
    shape.bounds.forget_marks();
    shape.bounds.mark_lower(0);
    shape.bounds.mark_upper(extent);
}

std::size_t block_length(const DistributedDimension& d, std::size_t number) {
    const auto refuse = [&](const std::string& why) {
        throw MpiError(ErrorClass::arg, fmt::format("dimension {}: {}", number, why));
    };
    const bool by_default = d.argument == default_distribution_argument;
    if (d.size < 1 || d.processes < 1)
        refuse(
            fmt::format("{} elements over {} processes; both are at least 1", d.size, d.processes));
    if (d.distribution != Distribution::none && !by_default && d.argument < 1)
        refuse(
            fmt::format("the distribution's argument is {}; it is at least 1, or "
                        "MPI_DISTRIBUTE_DFLT_DARG",
                        d.argument));
    switch (d.distribution) {
        case Distribution::none:
            if (d.processes != 1)
                refuse(
                    fmt::format("MPI_DISTRIBUTE_NONE over {} processes; it takes 1", d.processes));
            return d.size;
        case Distribution::block: {
            if (by_default) return (d.size + d.processes - 1) / d.processes;
            const auto length = static_cast<std::size_t>(d.argument);
            if (length < (d.size + d.processes - 1) / d.processes)
                refuse(
                    fmt::format("{} blocks of {} hold less than {} elements; use larger blocks "
                                "or MPI_DISTRIBUTE_CYCLIC",
                                d.processes, length, d.size));
            return length;
        }
        case Distribution::cyclic:
            return by_default ? 1 : static_cast<std::size_t>(d.argument);
    }
    refuse(fmt::format("distribution {}; it is MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE",
                       static_cast<int>(d.distribution)));
    return 0;
}

/// What process `at` has of one dimension: blocks of `length`, dealt round.
Shape dealt(const Shape& inner, const DistributedDimension& d, std::size_t length, std::size_t at,
            std::ptrdiff_t stride) {
    length = std::min(length, d.size);
    const std::size_t round = checked_product(length, d.processes);
    const std::size_t first = length * at;
    if (first >= d.size) return empty_shape();
    const std::size_t whole = (d.size - first) / round + ((d.size - first) % round >= length);
    const std::size_t next = first + whole * round;
    const Shape block = repeated(inner, length, stride);
    Shape shape = repeated(block, whole, checked_distance(signed_of(round), stride),
                           checked_distance(signed_of(first), stride));
    if (next >= d.size) return shape;
    ShapeList list;
    list.add(shape, 1, 0);
    list.add(repeated(inner, d.size - next, stride), 1, checked_distance(signed_of(next), stride));
    return std::move(list).finish();
}

/// Where `rank` stands in a grid of processes, which is counted in C's order always.
std::vector<std::size_t> coordinates(std::size_t size, std::size_t rank,
                                     std::span<const DistributedDimension> dimensions) {
    std::size_t processes = 1;
    for (const DistributedDimension& d : dimensions)
        processes = checked_product(processes, d.processes);
    if (processes != size || rank >= size)
        throw MpiError(ErrorClass::arg,
                       fmt::format("rank {} of {} in a grid of {} processes; the grid has as many "
                                   "as there are, and the rank is below that",
                                   rank, size, processes));
    std::vector<std::size_t> at(dimensions.size());
    for (std::size_t i = dimensions.size(); i-- > 0;) {
        at[i] = rank % dimensions[i].processes;
        rank /= dimensions[i].processes;
    }
    return at;
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
    shape.bounds.mark_lower(checked_sum(lower_bound, 0));
    shape.bounds.mark_upper(checked_sum(lower_bound, extent));
    return make(std::move(shape), {Combiner::resized, {}, {lower_bound, extent}, {old}});
}

TypeRef dup(const TypeRef& old) {
    return make(old->shape(), {Combiner::dup, {}, {}, {old}});
}

TypeRef subarray(Counts sizes, Counts subsizes, Counts starts, Order order, const TypeRef& old) {
    check(order);
    check_subarray(sizes, subsizes, starts);
    Shape shape = old->shape();
    std::ptrdiff_t stride = old->extent();
    for (std::size_t step = 0; step < sizes.size(); ++step) {
        const std::size_t i = dimension(step, sizes.size(), order);
        shape =
            repeated(shape, subsizes[i], stride, checked_distance(signed_of(starts[i]), stride));
        stride = checked_distance(stride, signed_of(sizes[i]));
    }
    bound(shape, stride);

    Contents contents{Combiner::subarray, {signed_of(sizes.size())}, {}, {old}};
    for (const Counts list : {sizes, subsizes, starts})
        append(contents.integers, list);
    contents.integers.push_back(static_cast<int>(order));
    return make(std::move(shape), std::move(contents));
}

TypeRef darray(std::size_t size, std::size_t rank, std::span<const DistributedDimension> dimensions,
               Order order, const TypeRef& old) {
    check(order);
    if (dimensions.empty())
        throw MpiError(ErrorClass::arg, "an array has no dimensions; it needs at least one");
    const std::vector<std::size_t> at = coordinates(size, rank, dimensions);
    Shape shape = old->shape();
    std::ptrdiff_t stride = old->extent();
    for (std::size_t step = 0; step < dimensions.size(); ++step) {
        const std::size_t i = dimension(step, dimensions.size(), order);
        shape = dealt(shape, dimensions[i], block_length(dimensions[i], i), at[i], stride);
        stride = checked_distance(stride, signed_of(dimensions[i].size));
    }
    bound(shape, stride);

    Contents contents{Combiner::darray,
                      {signed_of(size), signed_of(rank), signed_of(dimensions.size())},
                      {},
                      {old}};
    auto& integers = contents.integers;
    for (const auto& d : dimensions)
        integers.push_back(signed_of(d.size));
    for (const auto& d : dimensions)
        integers.push_back(static_cast<int>(d.distribution));
    for (const auto& d : dimensions)
        integers.push_back(d.argument);
    for (const auto& d : dimensions)
        integers.push_back(signed_of(d.processes));
    integers.push_back(static_cast<int>(order));
    return make(std::move(shape), std::move(contents));
}

TypeRef with_large_counts(const TypeRef& type) {
    Contents contents = type->contents();
    auto& integers = contents.integers;
    auto& large = contents.large_counts;
    const auto widen = [&](std::ptrdiff_t from, std::ptrdiff_t count) {
        large.assign(integers.begin() + from, integers.begin() + from + count);
        integers.erase(integers.begin() + from, integers.begin() + from + count);
    };
    if (contents.combiner == Combiner::subarray) {
        widen(1, 3 * integers[0]);
    } else if (contents.combiner == Combiner::darray) {
        widen(3, integers[2]);  // the sizes of the array
    } else {
        large = std::exchange(integers, {});
        append(large, contents.addresses);
        contents.addresses.clear();
    }
    return make(type->shape(), std::move(contents));
}

}  // namespace railyard::mpi
