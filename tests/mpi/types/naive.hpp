#pragma once
/// Datatypes as MPI defines them, word by word and as slow as that is: a list of basics with their
/// displacements. What the library makes of a type is held against this.

#include <cstddef>
#include <optional>
#include <vector>

#include "mpi/types/constructors.hpp"

namespace railyard::mpi {

class Naive {
  public:
    /// One basic, or one half of a pair.
    struct Entry {
        Basic basic;
        std::size_t size;
        std::ptrdiff_t at;
        bool second = false;  ///< of a pair
    };

    Naive() = default;
    explicit Naive(Basic basic);

    /// The type map of `old`, once more, moved by `at`.
    void put(const Naive& old, std::ptrdiff_t at);
    void put(const Naive& old, std::size_t times, std::ptrdiff_t at);
    void pad();
    void set_bounds(std::ptrdiff_t lower, std::ptrdiff_t upper);

    const std::vector<Entry>& map() const { return map_; }
    std::size_t size() const;
    std::ptrdiff_t lower() const;
    std::ptrdiff_t upper() const;
    std::ptrdiff_t extent() const { return upper() - lower(); }
    std::ptrdiff_t true_lower() const;
    std::ptrdiff_t true_upper() const;
    /// The one basic in it, or none.
    Basic uniform() const;
    /// Where each byte of the stream of `count` elements comes from, relative to the address.
    std::vector<std::ptrdiff_t> stream(std::size_t count) const;
    /// Whole basics in the first bytes of a stream of elements.
    std::size_t basics_in(std::size_t bytes) const;

  private:
    std::vector<Entry> map_;
    std::vector<std::ptrdiff_t> natural_;  ///< ends of all parts, padding included
    std::vector<std::ptrdiff_t> lower_marks_;
    std::vector<std::ptrdiff_t> upper_marks_;
    std::size_t alignment_ = 1;
};

Naive naive_vector(std::size_t count, std::size_t length, std::ptrdiff_t stride_bytes,
                   const Naive& old);
/// Displacements in bytes.
Naive naive_indexed(Counts lengths, Displacements displacements, const Naive& old);
Naive naive_struct(Counts lengths, Displacements displacements, const std::vector<Naive>& types);
Naive naive_resized(const Naive& old, std::ptrdiff_t lower, std::ptrdiff_t extent);
Naive naive_subarray(Counts sizes, Counts subsizes, Counts starts, Order order, const Naive& old);
Naive naive_darray(std::size_t rank, std::span<const DistributedDimension> dimensions, Order order,
                   const Naive& old);

}  // namespace railyard::mpi
