#include "base/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace railyard {

namespace {

long membarrier(int command) {
    return syscall(SYS_membarrier, command, 0, 0);
}

bool probe() {
    const long offered = membarrier(MEMBARRIER_CMD_QUERY);
    constexpr long needed =
        MEMBARRIER_CMD_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED;
    if (offered < 0 || (offered & needed) != needed) return false;
    return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

}  // namespace

namespace detail {
const bool membarrier_works = probe();
}

void register_for_heavy_fences() {
    if (detail::membarrier_works) membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

void heavy_fence() {
    if (detail::membarrier_works) {
        membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
    } else {
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
}

}  // namespace railyard
