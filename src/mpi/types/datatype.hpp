#pragma once
/// A datatype of MPI, and data of one where a user has them. What one element is made of and where
/// its bytes lie. It never changes once made, and is shared by all who use it: handles, messages
/// under way, types made of it. constructors.hpp makes derived ones.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/types/basic.hpp"
#include "mpi/types/layout.hpp"

namespace railyard::mpi {

// Products and sums of what users give, which may be beyond what a machine can address.

std::size_t checked_product(std::size_t a, std::size_t b);
/// These give an offset of at most 2^62 either way, so that two of them can be added, and taken one
/// from the other.
std::ptrdiff_t checked_distance(std::ptrdiff_t a, std::ptrdiff_t b);
std::ptrdiff_t checked_sum(std::ptrdiff_t a, std::ptrdiff_t b);

/// A range of offsets; nothing until something is put in.
struct Reach {
    bool is_empty = true;
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;

    void add(std::ptrdiff_t from, std::ptrdiff_t to) {
        low = is_empty ? from : std::min(low, from);
        high = is_empty ? to : std::max(high, to);
        is_empty = false;
    }
};

/// MPI's rule: once any part of a type has an explicit bound, only explicit ones count.
class Bounds {
  public:
    Bounds() = default;
    Bounds(std::ptrdiff_t data_end, std::ptrdiff_t extent) {
        data_.add(0, data_end);
        natural_.add(0, extent);
    }

    std::ptrdiff_t lower() const { return low_marker_.value_or(natural_.low); }
    std::ptrdiff_t upper() const { return high_marker_.value_or(natural_.high); }
    std::ptrdiff_t true_lower() const { return data_.low; }
    std::ptrdiff_t true_upper() const { return data_.high; }

    /// Also contains `other`, moved by `at`.
    void add(const Bounds& other, std::ptrdiff_t at) {
        const auto moved = [at](std::ptrdiff_t offset) { return checked_sum(at, offset); };
        if (!other.data_.is_empty) data_.add(moved(other.data_.low), moved(other.data_.high));
        if (!other.natural_.is_empty)
            natural_.add(moved(other.natural_.low), moved(other.natural_.high));
        if (other.low_marker_) mark_lower(moved(*other.low_marker_));
        if (other.high_marker_) mark_upper(moved(*other.high_marker_));
    }

    void mark_lower(std::ptrdiff_t at) {
        low_marker_ = low_marker_ ? std::min(*low_marker_, at) : at;
    }
    void mark_upper(std::ptrdiff_t at) {
        high_marker_ = high_marker_ ? std::max(*high_marker_, at) : at;
    }
    void forget_marks() {
        low_marker_.reset();
        high_marker_.reset();
    }

    /// A struct ends where the next could begin, unless its end is given.
    void pad(std::ptrdiff_t alignment) {
        if (high_marker_ || natural_.is_empty) return;
        const std::ptrdiff_t over = (natural_.high - lower()) % alignment;
        if (over > 0) natural_.high += alignment - over;
    }

  private:
    Reach data_;
    Reach natural_;
    std::optional<std::ptrdiff_t> low_marker_;
    std::optional<std::ptrdiff_t> high_marker_;
};

struct Signature;
using SignatureRef = std::shared_ptr<const Signature>;

/// Which basic types an element is made of, in order, wherever they lie: what a reduction may do
/// with the element, and how many basics a number of received bytes is. `count` times a basic type,
/// or a shorter signature, or a sequence of signatures.
struct Signature {
    Basic basic = Basic::none;  ///< none: it has different ones, or none at all
    std::size_t count = 0;
    SignatureRef child;  ///< what is repeated, where it is not one basic
    std::vector<SignatureRef> sequence;
    std::size_t bytes = 0;
    std::size_t basics = 0;   ///< a pair is two
    std::uint32_t depth = 0;  ///< levels of others below this one

    /// Whole basics in the first `of_bytes`.
    std::size_t basics_in(std::size_t of_bytes) const;
};

SignatureRef signature_of(Basic basic, std::size_t count = 1);
SignatureRef repeated(const SignatureRef& child, std::size_t count);

/// Puts signatures one after the other.
class SignatureList {
  public:
    void add(const SignatureRef& child, std::size_t count);
    SignatureRef finish() &&;

  private:
    std::vector<SignatureRef> sequence_;
};

/// All that a datatype means, without how it was made: its bytes (layout.hpp), its basics and its
/// bounds.
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
    f90_real = 15,
    f90_complex = 16,
    f90_integer = 17,
    resized = 18,
    hindexed_block = 19,
};

/// What a type was made of, each list in the order of MPI_Type_get_contents.
struct Contents {
    Combiner combiner = Combiner::named;
    std::vector<std::ptrdiff_t> integers;
    std::vector<std::ptrdiff_t> addresses;
    std::vector<TypeRef> types;
    /// Of a type that a large-count call has made; then the others lack them.
    std::vector<std::ptrdiff_t> large_counts = {};
};

/// How deep layouts and signatures may be nested. What walks them calls itself once a level, on the
/// stack of whoever calls MPI, which may be a fiber's.
inline constexpr std::uint32_t max_nesting = 256;

class alignas(64) Datatype : public std::enable_shared_from_this<Datatype> {
  public:
    /// For predefined(), which has one of each, and for other names of it.
    explicit Datatype(Basic basic, Contents contents = {});
    /// Throws MpiError(type) for a shape that is nested too deep.
    Datatype(Shape shape, Contents contents);
    ~Datatype();

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
    /// How many bytes of the stream are best packed or unpacked at once; 0: any.
    std::size_t window() const { return window_; }

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
    /// Predefined under a name of its own; not so what MPI_Type_create_f90_* return.
    bool is_named() const { return contents_.combiner == Combiner::named; }
    /// The one predefined type that this is made of; none if there are several.
    Basic uniform_basic() const { return uniform_; }
    /// Basics in one element; a pair such as MPI_DOUBLE_INT is two.
    std::size_t basic_count() const { return shape_.signature->basics; }
    /// Whole basics in the first `bytes` of a stream of elements, for MPI_Get_elements.
    std::size_t basics_in(std::size_t bytes) const;

    /// Of a named type, its name in MPI; empty for others.
    std::string_view name() const { return is_named() ? traits(basic_).name : std::string_view(); }
    const Contents& contents() const { return contents_; }
    const Shape& shape() const { return shape_; }

  private:
    // In the order of use on a message's way: the first line of the cache has it all.
    std::size_t size_ = 0;
    bool dense_ = false;
    Basic basic_ = Basic::none;
    Basic uniform_ = Basic::none;
    std::ptrdiff_t true_lower_ = 0;
    std::ptrdiff_t extent_ = 0;
    std::ptrdiff_t lower_ = 0;
    std::ptrdiff_t true_extent_ = 0;
    std::size_t window_ = 0;
    Shape shape_;
    mutable Contents contents_;  ///< changed only by the end of the last type made of this one
};

/// The one object of a predefined type; never of Basic::none.
const TypeRef& predefined(Basic basic);

/// Whether the bytes of a message have to come. Where only its time matters, those of a long one
/// may stay behind (Settings::payload): what a program alone would look at, and never what decides
/// how the library goes on.
enum class Content : std::uint8_t { comes, may_stay };

/// Data where a user has them: an address, a count and a type.
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
