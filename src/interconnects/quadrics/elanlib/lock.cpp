#include "interconnects/quadrics/elanlib/lock.hpp"

namespace railyard::elanlib {

/// Nobody writes here before this process is in the queue.
void Lock::prepare() {
    shmem_.process().put_value(next(), std::uint32_t{0});
    shmem_.process().put_value(granted(), std::uint32_t{0});
}

Status Lock::set() {
    prepare();
    const auto before = atomics_.swap(home, last(), me());
    if (before.status.failed() || before.value == 0) return before.status;
    shmem_.p(before.value - 1, next(), me());
    const Status told = shmem_.quiet();
    if (told.ok()) shmem_.wait_until(granted(), Compare::ne, std::uint32_t{0});
    return told;
}

Status Lock::test() {
    prepare();
    const auto before = atomics_.cswap(home, last(), std::uint32_t{0}, me());
    if (before.status.failed()) return before.status;
    return before.value == 0 ? Status() : Status(Code::again);
}

Status Lock::clear() {
    if (const Status done = shmem_.quiet(); done.failed()) return done;
    elan3::Process& process = shmem_.process();
    if (process.value<std::uint32_t>(next()) == 0) {
        const auto before = atomics_.cswap(home, last(), me(), std::uint32_t{0});
        if (before.status.failed() || before.value == me()) return before.status;
        shmem_.wait_until(next(), Compare::ne, std::uint32_t{0});
    }
    shmem_.p(process.value<std::uint32_t>(next()) - 1, granted(), std::uint32_t{1});
    return shmem_.quiet();
}

}  // namespace railyard::elanlib
