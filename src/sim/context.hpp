#pragma once
/// A flow of control on a stack of its own, which whoever owns it may enter and which may leave
/// again: Boost.Context, and what the sanitizers and the C++ runtime have to be told.

#include <boost/context/detail/fcontext.hpp>

#include "sim/sanitizers.hpp"
#include "sim/stack.hpp"

namespace railyard::sim {

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
