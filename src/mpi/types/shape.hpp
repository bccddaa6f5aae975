#pragma once
/// All that a datatype means, without how it was made: its bytes (layout.hpp), its basics and its
/// bounds.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/types/basic.hpp"
#include "mpi/types/layout.hpp"

namespace railyard::mpi {

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
        if (!other.data_.is_empty) data_.add(at + other.data_.low, at + other.data_.high);
        if (!other.natural_.is_empty)
            natural_.add(at + other.natural_.low, at + other.natural_.high);
        if (other.low_marker_) mark_lower(at + *other.low_marker_);
        if (other.high_marker_) mark_upper(at + *other.high_marker_);
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
    std::size_t basics = 0;  ///< a pair is two

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
