#pragma once
/// Calls of the C interface: which there are, and what an entry point does besides its work. It
/// takes the lock where several threads call, and tells whoever watches. Where there is neither, a
/// call pays one test of a pointer for both.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/rank_local.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/engine_lock.hpp"

namespace railyard::mpi::calls {

/// The functions of the C interface by number and name, from the table that entry points come from.
enum class Function : std::uint16_t {
#define RAILYARD_MPI_FUNCTION(name, c_name) name,
#include <mpi_functions.inc>
#undef RAILYARD_MPI_FUNCTION
};

inline constexpr std::string_view function_names[] = {
#define RAILYARD_MPI_FUNCTION(name, c_name) #c_name,
#include <mpi_functions.inc>
#undef RAILYARD_MPI_FUNCTION
};
inline constexpr std::size_t function_count = std::size(function_names);

constexpr std::string_view name(Function function) {
    return function_names[static_cast<std::size_t>(function)];
}

/// An argument as C has it: a number, a handle or an address.
using Word = std::int64_t;

class HandleResolver;

/// Somebody who is told whenever a rank enters and leaves the library, and what the library had
/// done by the end: how a run is accounted for, and how computation between calls is charged. Of
/// one rank, which calls from one thread. Functions that may be called at any time
/// (MPI_Get_version) are not told, but for MPI_Wtime. A call from inside another (a user's
/// operation may make some) is told as well, so calls nest.
class CallWatch {
  public:
    virtual ~CallWatch() = default;
    /// Within MPI_Init: what handles stand for, from now on and until finalised() has returned.
    virtual void began(const HandleResolver&) {}
    /// The call's work begins when this returns. It may wait, and must not throw. `arguments` are
    /// the function's, in order, not yet checked; none of MPI_Init's.
    virtual void entered(Function function, std::span<const Word> arguments) = 0;
    /// An exception may be on its way, so it must neither wait nor throw.
    virtual void left(Function function) = 0;
    /// Within MPI_Finalize: this is what the rank's library has done.
    virtual void finalised(const Counters& counters) = 0;
};

/// Several, who are told in the order in which they were added, and of a call's end the other way
/// round.
class CallWatches final : public CallWatch {
  public:
    /// It outlives this.
    void add(CallWatch& watch) { watches_.push_back(&watch); }
    bool empty() const { return watches_.empty(); }

    void began(const HandleResolver& resolver) override;
    void entered(Function function, std::span<const Word> arguments) override;
    void left(Function function) override;
    void finalised(const Counters& counters) override;

  private:
    std::vector<CallWatch*> watches_;
};

/// Which of a rank's words (base/rank_local.hpp) keeps who watches it.
inline constexpr std::size_t watch_slot = 1;

/// From the calling rank's MPI_Init on, until its MPI_Finalize. The watch outlives that; null:
/// nobody watches.
inline void watch_calls(CallWatch* watch) {
    rank_local::here->slots[watch_slot].state = watch;
}

/// Who watches the calling rank; null: nobody.
inline CallWatch* call_watch() {
    return static_cast<CallWatch*>(rank_local::here->slots[watch_slot].state);
}

struct Around {
    EngineLock* lock = nullptr;  ///< null: one thread calls
    CallWatch* watch = nullptr;  ///< null: nobody watches
};

/// The time from entering a function to leaving it.
class Call {
  public:
    /// `around` outlives it; null: nothing to do.
    template <class... Arguments>
    Call(const Around* around, Function function, Arguments... arguments)
        : around_(around), function_(function) {
        if (around_ != nullptr) [[unlikely]]
            enter(*around_, function_, std::array<Word, sizeof...(arguments)>{word(arguments)...});
    }
    ~Call() {
        if (around_ != nullptr) [[unlikely]]
            leave(*around_, function_);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

  private:
    template <class Argument>
    static Word word(Argument argument) {
        if constexpr (std::is_pointer_v<Argument>)
            return reinterpret_cast<Word>(argument);
        else
            return static_cast<Word>(argument);
    }

    // Elsewhere, out of the way of the code that runs at every message.
    [[gnu::noinline]] static void enter(const Around& around, Function function,
                                        std::span<const Word> arguments);
    [[gnu::noinline]] static void leave(const Around& around, Function function);

    const Around* around_;
    const Function function_;
};

}  // namespace railyard::mpi::calls
