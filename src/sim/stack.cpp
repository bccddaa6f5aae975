#include "sim/stack.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "railyard/base/error.hpp"
#include "sim/sanitizers.hpp"

namespace railyard::sim {

namespace {
constexpr std::uint64_t guard_word = 0x5afe'57ac'c0de'd00d;
}

Stack::Stack(Bytes size, Guard guard) : guard_(guard) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (size.count() + page - 1) / page * page;
    const std::size_t below = guard == Guard::page ? page : 0;
    void* mapping = mmap(nullptr, size_ + below, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw system_error("memory for the stack of a fiber");
    mapping_ = static_cast<std::byte*>(mapping);
    bottom_ = mapping_ + below;
    if (below != 0 && mprotect(mapping_, below, PROT_NONE) != 0) {
        munmap(mapping_, size_ + below);
        throw system_error("guard page of a fiber's stack (see sysctl vm.max_map_count)");
    }
    if (guard == Guard::word) std::memcpy(bottom_, &guard_word, sizeof guard_word);
}

Stack::~Stack() {
    if (!mapping_) return;
    forget();
    munmap(mapping_, static_cast<std::size_t>(bottom_ - mapping_) + size_);
}

bool Stack::intact() const {
    return guard_ == Guard::page || std::memcmp(bottom_, &guard_word, sizeof guard_word) == 0;
}

void Stack::forget() {
#if defined(RAILYARD_ASAN)
    __asan_unpoison_memory_region(bottom_, size_);
#endif
}

}  // namespace railyard::sim
