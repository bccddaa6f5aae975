#pragma once
/// A flow of control on a stack of its own, which whoever owns it may enter and which may leave
/// again: Boost.Context, and what the sanitizers and the C++ runtime have to be told.

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <utility>

#include "railyard/base/bytes.hpp"

// Which sanitizers look on. They have to be told when a fiber changes the stack under them.
#if defined(__SANITIZE_ADDRESS__)
#define RAILYARD_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RAILYARD_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define RAILYARD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAILYARD_TSAN 1
#endif
#endif

#if defined(RAILYARD_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(RAILYARD_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace railyard::sim {

/// Memory for one fiber's stack: touched page by page as it is used, with a page below it that
/// nobody may touch, so that a stack that is too small ends in a fault and not in a wrong result.
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

class Context {
  public:
    using Entry = void (*)(void* argument);

    /// Runs `entry(argument)` when first entered. The entry must not let an exception out.
    Context(Stack stack, Entry entry, void* argument);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// From outside: runs it until it leaves or its entry returns.
    void enter();
    /// From inside: back to whoever entered.
    void leave() { leave(false); }

    bool finished() const { return finished_; }
    bool stack_intact() const { return stack_.intact(); }
    /// The stack back, for another use. Only of a finished context, or one never entered.
    Stack release();

  private:
    // The runtime keeps the exceptions in flight in a per-thread record; a fiber that waits in a
    // catch block or in a destructor must find its own again. The layout is the C++ ABI's.
    struct Exceptions {
        void* caught = nullptr;
        unsigned uncaught = 0;
    };

    static void start(boost::context::detail::transfer_t from);
    void leave(bool for_good);

    // What every switch touches comes first.
    boost::context::detail::fcontext_t inside_ = nullptr;
    boost::context::detail::fcontext_t outside_ = nullptr;
    Exceptions exceptions_;
    bool finished_ = false;
    Stack stack_;
    Entry entry_;
    void* argument_;
#if defined(RAILYARD_ASAN)
    void* inside_fake_ = nullptr;
    void* outside_fake_ = nullptr;
    const void* outside_bottom_ = nullptr;
    std::size_t outside_size_ = 0;
#endif
#if defined(RAILYARD_TSAN)
    void* inside_tsan_ = nullptr;
    void* outside_tsan_ = nullptr;
#endif
};

}  // namespace railyard::sim
