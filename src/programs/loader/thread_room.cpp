#include "programs/loader/thread_room.hpp"

#include <algorithm>

namespace railyard::loader::thread_room {

namespace {

// In a section of its own, which the linker puts next to the thread pointer (thread_room_*.ld).
[[gnu::section(".tbss.railyard_room"), gnu::tls_model("local-exec"),
  gnu::aligned(64)]] thread_local std::byte room[size];

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
