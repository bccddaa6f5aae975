#pragma once
/// From where to where a type reaches: with its data, and with what MPI counts as its extent.

#include <algorithm>
#include <cstddef>
#include <optional>

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

}  // namespace railyard::mpi
