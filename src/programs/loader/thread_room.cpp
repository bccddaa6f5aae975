#include "programs/loader/thread_room.hpp"

#include <algorithm>

namespace railyard::loader::thread_room {

namespace {

// In a section of its own, which the linker puts next to the thread pointer (thread_room_*.ld): at
// the end of what is zero, where it ends as aligned as the thread pointer is; or at the beginning
// of what need not be, where more alignment would leave a gap, which other libraries get.
#if defined(__x86_64__)
#define RAILYARD_ROOM ".tbss.railyard_room"
constexpr std::size_t room_alignment = 64;
#elif defined(__aarch64__)
#define RAILYARD_ROOM ".tdata.railyard_room"
constexpr std::size_t room_alignment = 16;
#endif
[[gnu::section(RAILYARD_ROOM), gnu::tls_model("local-exec"),
  gnu::aligned(room_alignment)]] thread_local std::byte room[size];

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

}  // namespace

bool is_there() {
    return room == thread_pointer() + begin;
}

bool Plan::add(std::uint64_t bytes, std::uint64_t alignment, std::ptrdiff_t& from_thread_pointer) {
    if (bytes > size) return false;
    alignment = std::max<std::uint64_t>(alignment, 1);
#if defined(__x86_64__)
    const std::uint64_t used = round_up(used_ + bytes, alignment);
    from_thread_pointer = -static_cast<std::ptrdiff_t>(used);
#elif defined(__aarch64__)
    // Behind the two words of the thread's control block.
    const std::uint64_t at = round_up(begin + used_, alignment);
    const std::uint64_t used = at - begin + bytes;
    from_thread_pointer = static_cast<std::ptrdiff_t>(at);
#endif
    if (used > size) return false;
    used_ = used;
    return true;
}

std::ptrdiff_t Plan::used_begin() const {
#if defined(__x86_64__)
    return -static_cast<std::ptrdiff_t>(used_);
#elif defined(__aarch64__)
    return begin;
#endif
}

}  // namespace railyard::loader::thread_room
