#pragma once
/// A queue whose elements are named by sequence number and used again in place, so that what they
/// have allocated serves the next. It grows by doubling: a deep queue costs nothing until it is
/// used.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace railyard::virtual_time {

template <class T>
class Ring {
  public:
    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    bool empty() const { return begin_ == end_; }

    T& operator[](std::uint64_t sequence) { return slots_[sequence & (slots_.size() - 1)]; }
    T& front() { return (*this)[begin_]; }
    /// The new last element, with whatever its slot held before.
    T& push() {
        if (size() == slots_.size()) grow();
        return (*this)[end_++];
    }
    void pop() { ++begin_; }
    void pop_last() { --end_; }

  private:
    void grow() {
        std::vector<T> larger(slots_.empty() ? 1 : slots_.size() * 2);
        for (std::uint64_t i = begin_; i != end_; ++i)
            larger[i & (larger.size() - 1)] = std::move((*this)[i]);
        slots_ = std::move(larger);
    }

    std::vector<T> slots_;  // a power of two
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace railyard::virtual_time
