#pragma once
/// Makes derived datatypes, as MPI_Type_* do. Counts and lengths were checked not to be negative;
/// displacements and strides may be. What cannot be is an MpiError that says what would be right.

#include <cstddef>
#include <span>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

using Counts = std::span<const std::size_t>;
using Displacements = std::span<const std::ptrdiff_t>;

TypeRef contiguous(std::size_t count, const TypeRef& old);
/// The stride is counted in extents of `old`; with an h, in bytes, here and below.
TypeRef vector(std::size_t count, std::size_t length, std::ptrdiff_t stride, const TypeRef& old);
TypeRef hvector(std::size_t count, std::size_t length, std::ptrdiff_t stride, const TypeRef& old);
TypeRef indexed(Counts lengths, Displacements displacements, const TypeRef& old);
TypeRef hindexed(Counts lengths, Displacements displacements, const TypeRef& old);
TypeRef indexed_block(std::size_t length, Displacements displacements, const TypeRef& old);
TypeRef hindexed_block(std::size_t length, Displacements displacements, const TypeRef& old);
TypeRef create_struct(Counts lengths, Displacements displacements, std::span<const TypeRef> types);
TypeRef resized(const TypeRef& old, std::ptrdiff_t lower_bound, std::ptrdiff_t extent);
TypeRef dup(const TypeRef& old);

/// Which index of an array runs fastest: the last in C, the first in Fortran. Numbered as in
/// MPICH's ABI, here and below.
enum class Order : int { c = 56, fortran = 57 };

/// A part of an array: `subsizes` elements from `starts`.
TypeRef subarray(Counts sizes, Counts subsizes, Counts starts, Order order, const TypeRef& old);

enum class Distribution : int { block = 121, cyclic = 122, none = 123 };
constexpr std::ptrdiff_t default_distribution_argument = -49767;

/// How one dimension of an array is dealt out to processes.
struct DistributedDimension {
    std::size_t size = 1;
    Distribution distribution = Distribution::none;
    std::ptrdiff_t argument = default_distribution_argument;
    std::size_t processes = 1;
};

/// The part of a distributed array that process `rank` of `size` has.
TypeRef darray(std::size_t size, std::size_t rank, std::span<const DistributedDimension> dimensions,
               Order order, const TypeRef& old);

/// Fortran's kinds, by the decimal digits and the range of exponents that they must have at least,
/// or no_requirement. They are predefined types, of which reductions know what they are, but with a
/// combiner of their own.
constexpr int no_requirement = -32766;
TypeRef f90_real(int digits, int range);
TypeRef f90_complex(int digits, int range);
TypeRef f90_integer(int range);

/// The same type as a large-count call makes it: with the numbers in its contents that are such.
TypeRef with_large_counts(const TypeRef& type);

}  // namespace railyard::mpi
