#pragma once
/// Memory for one fiber's stack: touched page by page as it is used, with a page below it that
/// nobody may touch, so that a stack that is too small ends in a fault and not in a wrong result.

#include <cstddef>
#include <utility>

#include "railyard/base/bytes.hpp"

namespace railyard::sim {

class Stack {
  public:
    /// A guard page costs the kernel a mapping, of which a process has some 65,000; a simulation
    /// with more fibers than that allows gives the last ones a word to check instead.
    enum class Guard { page, word };

    Stack() = default;
    Stack(Bytes size, Guard guard);
    ~Stack();
    Stack(Stack&& other) noexcept { swap(other); }
    Stack& operator=(Stack&& other) noexcept {
        swap(other);
        return *this;
    }

    explicit operator bool() const { return mapping_ != nullptr; }
    void* bottom() const { return bottom_; }
    void* top() const { return bottom_ + size_; }
    std::size_t size() const { return size_; }
    /// False once the fiber has run over its end (where there is no guard page to stop it).
    bool intact() const;
    /// Makes a used stack as good as new for the sanitizers.
    void forget();

  private:
    void swap(Stack& other) noexcept {
        std::swap(mapping_, other.mapping_);
        std::swap(bottom_, other.bottom_);
        std::swap(size_, other.size_);
        std::swap(guard_, other.guard_);
    }

    Guard guard_ = Guard::page;
    std::byte* bottom_ = nullptr;
    std::byte* mapping_ = nullptr;  ///< guard included
    std::size_t size_ = 0;
};

}  // namespace railyard::sim
