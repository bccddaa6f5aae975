#pragma once
/// A datatype of MPI: what one element is made of and where its bytes lie. It never changes once
/// made, and is shared by all who use it: handles, messages under way, types made of it.
/// constructors.hpp makes derived ones.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/types/basic.hpp"
#include "mpi/types/layout.hpp"
#include "mpi/types/shape.hpp"

namespace railyard::mpi {

class Datatype;
using TypeRef = std::shared_ptr<const Datatype>;

/// How a type was made. The numbers are those of MPI_Type_get_envelope in MPICH's ABI.
enum class Combiner : std::uint8_t {
    named = 1,
    dup = 2,
    contiguous = 3,
    vector = 4,
    hvector = 6,
    indexed = 7,
    hindexed = 9,
    indexed_block = 10,
    create_struct = 12,
    subarray = 13,
    darray = 14,
    resized = 18,
    hindexed_block = 19,
};

/// What a type was made of, each list in the order of MPI_Type_get_contents.
struct Contents {
    Combiner combiner = Combiner::named;
    std::vector<std::ptrdiff_t> integers;
    std::vector<std::ptrdiff_t> addresses;
    std::vector<TypeRef> types;
};

class alignas(64) Datatype : public std::enable_shared_from_this<Datatype> {
  public:
    explicit Datatype(Basic basic);  ///< for predefined(), which has one of each
    Datatype(Shape shape, Contents contents);

    Datatype(const Datatype&) = delete;
    Datatype& operator=(const Datatype&) = delete;

    /// Bytes of data in one element.
    std::size_t size() const { return size_; }
    /// Whether n elements are n * size() bytes in a row, from address + true_lower_bound().
    bool is_dense() const { return dense_; }

    std::ptrdiff_t lower_bound() const { return lower_; }
    std::ptrdiff_t upper_bound() const { return lower_ + extent_; }
    std::ptrdiff_t extent() const { return extent_; }
    std::ptrdiff_t true_lower_bound() const { return true_lower_; }
    std::ptrdiff_t true_extent() const { return true_extent_; }

    /// Copies bytes `from_byte`, … of the packed stream of `count` elements; as many as `out`
    /// holds, which must be there.
    void pack(const void* address, [[maybe_unused]] std::size_t count, std::size_t from_byte,
              std::span<std::byte> out) const {
        if (!dense_)
            gather({*shape_.layout, extent_}, address, from_byte, out);
        else if (!out.empty())
            std::memcpy(out.data(), dense_data(address) + from_byte, out.size());
    }
    void unpack(void* address, [[maybe_unused]] std::size_t count, std::size_t from_byte,
                std::span<const std::byte> in) const {
        if (!dense_)
            scatter({*shape_.layout, extent_}, address, from_byte, in);
        else if (!in.empty())
            std::memcpy(dense_data(address) + from_byte, in.data(), in.size());
    }

    /// Where the first byte of dense elements is. Counted as an integer, as `address` may be
    /// MPI_BOTTOM, and the type made of absolute addresses.
    std::byte* dense_data(void* address) const {
        return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                            static_cast<std::uintptr_t>(true_lower_));
    }
    const std::byte* dense_data(const void* address) const {
        return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(address) +
                                                  static_cast<std::uintptr_t>(true_lower_));
    }

    /// Which predefined type this is; none for a derived one.
    Basic basic() const { return basic_; }
    bool is_predefined() const { return basic_ != Basic::none; }
    /// The one predefined type that this is made of; none if there are several.
    Basic uniform_basic() const { return shape_.signature->basic; }
    /// Basics in one element; a pair such as MPI_DOUBLE_INT is two.
    std::size_t basic_count() const { return shape_.signature->basics; }
    /// Whole basics in the first `bytes` of a stream of elements, for MPI_Get_elements.
    std::size_t basics_in(std::size_t bytes) const;

    /// Of a predefined type, its name in MPI; empty for derived ones.
    std::string_view name() const { return traits(basic_).name; }
    const Contents& contents() const { return contents_; }
    const Shape& shape() const { return shape_; }

  private:
    // In the order of use on a message's way: the first line of the cache has it all.
    std::size_t size_ = 0;
    bool dense_ = false;
    Basic basic_ = Basic::none;
    std::ptrdiff_t true_lower_ = 0;
    std::ptrdiff_t extent_ = 0;
    std::ptrdiff_t lower_ = 0;
    std::ptrdiff_t true_extent_ = 0;
    Shape shape_;
    Contents contents_;
};

/// The one object of a predefined type; never of Basic::none.
const TypeRef& predefined(Basic basic);

}  // namespace railyard::mpi
