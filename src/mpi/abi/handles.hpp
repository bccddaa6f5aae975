#pragma once
/// Handles of MPICH's ABI: 32 bits, of which the upper two say where the object is, the next four
/// what it is, and the rest which one. Ours that users make have both upper bits set.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "mpi/engine/request.hpp"
#include "mpi/types/basic.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi {
class AttachedBuffer;
}

namespace railyard::mpi::abi {

/// The upper six bits of the handles of what users make.
enum class Prefix : std::uint32_t {
    comm = 0xc4000000,
    group = 0xc8000000,
    datatype = 0xcc000000,
    error_handler = 0xd4000000,
    op = 0xd8000000,
    info = 0xdc000000,
    win = 0xe0000000,
    keyval = 0xe4000000,
    session = 0xf8000000,
    request_class = 0xfc000000,   ///< of generalized requests
    engine_request = 0xac000000,  ///< the engine's pool has them
    local_request = 0xec000000,   ///< none of the engine's
    message = 0xac000000,         ///< the engine's, found by a matched probe
};

inline constexpr std::uint32_t index_mask = 0x03ffffff;
/// Of an index, the upper bits count how often its place was given anew: who uses a handle that was
/// freed meets no other object. Few bits, as places are many; MPI's mistakes are mostly fresh.
inline constexpr unsigned place_bits = 22;
inline constexpr std::uint32_t place_mask = (1u << place_bits) - 1;
static_assert(index_mask >> place_bits == Request::turns - 1);

constexpr bool has_prefix(int handle, Prefix prefix) {
    return (static_cast<std::uint32_t>(handle) & ~index_mask) == static_cast<std::uint32_t>(prefix);
}
constexpr std::uint32_t index_of(int handle) {
    return static_cast<std::uint32_t>(handle) & index_mask;
}
constexpr int make_handle(Prefix prefix, std::uint32_t index) {
    return static_cast<int>(static_cast<std::uint32_t>(prefix) | index);
}

/// The objects of one kind that the user has made and not yet freed. They do not move.
template <class T, Prefix prefix>
class HandleTable {
  public:
    int add(std::unique_ptr<T> object) {
        std::size_t place = slots_.size();
        if (free_.empty()) {
            slots_.push_back({std::move(object)});
        } else {
            place = free_.back();
            free_.pop_back();
            slots_[place].object = std::move(object);
        }
        return handle_at(place);
    }
    /// Null if there is none.
    T* find(int handle) const {
        const std::uint32_t index = index_of(handle);
        const std::size_t place = index & place_mask;
        if (!has_prefix(handle, prefix) || place >= slots_.size() ||
            slots_[place].turn != index >> place_bits) [[unlikely]]
            return nullptr;
        return slots_[place].object.get();
    }
    /// Takes out an object that is there.
    std::unique_ptr<T> remove(int handle) {
        const std::size_t place = index_of(handle) & place_mask;
        free_.push_back(place);
        slots_[place].turn = (slots_[place].turn + 1) % Request::turns;
        return std::move(slots_[place].object);
    }
    /// Calls visit(handle, object) for each, in the order of handles, until it returns true.
    template <class Visit>
    bool any(Visit&& visit) const {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i].object && visit(handle_at(i), *slots_[i].object)) return true;
        return false;
    }

  private:
    struct Slot {
        std::unique_ptr<T> object;
        std::uint32_t turn = 0;
    };
    int handle_at(std::size_t place) const {
        return make_handle(prefix,
                           static_cast<std::uint32_t>(place) | slots_[place].turn << place_bits);
    }

    std::vector<Slot> slots_;
    std::vector<std::size_t> free_;
};

/// What a request of this layer waits for: several of the engine's, or the user.
class Deferred {
  public:
    Deferred() = default;
    virtual ~Deferred() = default;
    Deferred(const Deferred&) = delete;
    Deferred& operator=(const Deferred&) = delete;

    /// May start what can be started by now.
    virtual bool is_complete() = 0;
    /// How it ended, once it is complete. May call the user, and throw what the user returns.
    virtual Status result() = 0;
    /// Of a persistent one.
    virtual void start() {}
    /// Its handle goes after it was complete. May call the user, as result() may.
    virtual void release() {}
    /// Its handle is freed before it is complete. True: the handle stays, and this sees to its end.
    virtual bool abandon() { return false; }
    /// Throws MpiError (request) where MPI does not allow it.
    virtual void cancel() = 0;
    /// Of a send and a receive in one: the receive.
    virtual const Request* receive_within() const { return nullptr; }

    // Of those that only look whether they are complete when they are asked.

    /// How long a call that waits may sleep before it asks again.
    virtual Duration longest_sleep() const { return Duration::forever(); }
    /// May come back before it is complete.
    virtual void wait() {}
    /// What wait() does may be done for those of the same sort together; null: it is of no sort.
    virtual const void* sort() const { return nullptr; }
    /// wait() for all of these, which are of this one's sort.
    virtual void wait_for(std::span<Deferred* const>) {}
};

/// A request that is none of the engine's: of a partner that is not there, a send whose data were
/// copied, or what a Deferred stands for. Without one it is complete always, but a copied message
/// can be cancelled until it has left; one that has, and is not persistent, is the handle
/// `done_request`.
struct LocalRequest {
    /// A message that was copied into a buffer, by its number there; 0: none.
    struct Buffered {
        std::shared_ptr<AttachedBuffer> in;
        std::uint64_t number = 0;
    };
    std::function<Buffered()> start;  ///< returns what `buffered` becomes; null: nothing to do
    Status status;
    bool active = false;
    bool persistent = true;
    Buffered buffered;
    std::uint32_t context = 0;  ///< of the communicator that hears of a failure
    std::unique_ptr<Deferred> deferred;
};

/// A handle for whatever was complete when it was made, from or to nobody.
inline constexpr int done_request = 0x6c000001;

/// The handles of predefined datatypes. The lowest byte of a handle is its place in the table;
/// pairs of mixed types, whose handles are of another series, follow behind.
struct BuiltinType {
    std::uint32_t handle = 0;
    Basic basic = Basic::none;
};

inline constexpr std::size_t first_pair = 0x47;
inline constexpr std::size_t builtin_type_count = first_pair + 5;

/// `builtin_type_count` of them; none where the ABI has a gap.
const BuiltinType* builtin_types();

/// The place in the table that a handle would have; beyond the table for none of ours.
constexpr std::size_t builtin_index(std::uint32_t handle) {
    if ((handle & 0xff000000) == 0x4c000000) [[likely]]
        return handle & 0xff;
    if ((handle & 0xff000000) == 0x8c000000 && (handle & 0xffffff) < 5)
        return first_pair + (handle & 0xffffff);
    return builtin_type_count;
}

/// The handle of a predefined type.
int handle_of(Basic basic);

}  // namespace railyard::mpi::abi
