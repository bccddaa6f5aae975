#pragma once
/// Room for the thread-local variables of loaded programs. An executable finds its own at fixed
/// distances from the thread pointer, where those of the running executable, Railyard's, lie. So
/// that one has this room there, and nothing else; it is part of every thread.
///
/// Only a program of railyard_loads_programs() (cmake/loader.cmake) has it.

#include <cstddef>
#include <cstdint>

namespace railyard::loader::thread_room {

inline constexpr std::size_t size = 64 << 10;

/// Where it begins and ends, from the thread pointer: below it on x86-64, above on aarch64.
#if defined(__x86_64__)
inline constexpr std::ptrdiff_t begin = -static_cast<std::ptrdiff_t>(size);
#elif defined(__aarch64__)
inline constexpr std::ptrdiff_t begin = 16;
#endif
inline constexpr std::ptrdiff_t end = begin + static_cast<std::ptrdiff_t>(size);

inline std::byte* thread_pointer() {
    return static_cast<std::byte*>(__builtin_thread_pointer());
}

/// Whether this program has the room where it must be.
bool is_there();

/// Gives out parts of the room, of which each has a distance from the thread pointer.
class Plan {
  public:
    /// The executable's own comes first. None: no room is left.
    bool add(std::uint64_t bytes, std::uint64_t alignment, std::ptrdiff_t& from_thread_pointer);
    /// Of all that is used.
    std::ptrdiff_t used_begin() const;
    std::size_t used() const { return used_; }

  private:
    std::size_t used_ = 0;
};

}  // namespace railyard::loader::thread_room
