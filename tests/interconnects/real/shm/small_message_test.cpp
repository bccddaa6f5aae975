// The way of a small message: no allocation and no system call, on either side. A lock that is
// taken without contention makes neither; the code has none.

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "interconnects/real/shm/pair.hpp"
#include "launch/job/job.hpp"

namespace {
std::atomic<long> allocations{0};
}

// Counts every allocation of this program. Not inlined: where only one of a pair is, the compiler
// takes the other for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace railyard::shm::test {
namespace {

using namespace literals;
using fabric::Wait;

/// From here on a system call kills the process (SIGSYS). Two are let through: leaving, and the
/// poll by which a waiting rank asks ten times a second whether its peers live.
void forbid_system_calls() {
#if defined(SYS_poll)
    constexpr auto poll_call = SYS_poll;
#else
    constexpr auto poll_call = SYS_ppoll;
#endif
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, poll_call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const sock_fprog program{5, filter};
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp");
}

/// One exchange by every small operation, both ways.
void exchange(Pair& pair, std::uint8_t round) {
    auto& host = pair.rank.host();
    const fabric::Slice source(*pair.memory, 0_B, 8_B);
    std::byte* arrival = pair.memory->data() + 64;

    pair.memory->data()[7] = std::byte{round};
    fabric::WorkRequest write;
    write.op = fabric::Op::rdma_write;
    write.local = std::span(&source, 1);
    write.remote = {pair.remote.get(), 64_B};
    require(pair.qp->post(write).ok(), "write refused");
    host.wait_until([&] { return fabric::arrived(arrival + 7, std::byte{round}); }, Time::never(),
                    Wait::spin);

    fabric::WorkRequest send;
    send.local = std::span(&source, 1);
    require(pair.qp->post(send).ok(), "send refused");
    fabric::Completion completion;
    host.wait_until([&] { return pair.receives->poll(completion); }, Time::never(), Wait::spin);
    pair.post_receive(128_B, 64_B);

    fabric::WorkRequest add;
    add.op = fabric::Op::fetch_add;
    add.operand = 1;
    add.local = std::span(&source, 1);
    add.remote = {pair.remote.get(), 256_B};
    require(pair.qp->post(add).ok(), "add refused");
    for (int reaped = 0; reaped < 3;)
        host.wait_until([&] { return pair.sends->poll(completion) && ++reaped > 0; }, Time::never(),
                        Wait::spin);
}

TEST(SmallMessage, AllocatesNothing) {
    const auto result = job::run(ranks_on_shm(2), [](job::Rank& rank) {
        Pair pair(rank, 1 - rank.id(), 4_KiB);
        for (int i = 0; i < 8; ++i)
            pair.post_receive(128_B, 64_B);
        rank.bootstrap().fence();
        for (int i = 0; i < 100; ++i)
            exchange(pair, static_cast<std::uint8_t>(i + 1));
        const long before = allocations.load();
        for (int i = 0; i < 2000; ++i)
            exchange(pair, static_cast<std::uint8_t>(i + 101));
        const long after = allocations.load();
        require(after == before, std::to_string(after - before) + " allocations");
        rank.bootstrap().fence();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(SmallMessage, MakesNoSystemCall) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "sanitizers make system calls of their own";
#endif
    const auto result = job::run(ranks_on_shm(2), [](job::Rank& rank) {
        Pair pair(rank, 1 - rank.id(), 4_KiB);
        for (int i = 0; i < 8; ++i)
            pair.post_receive(128_B, 64_B);
        rank.bootstrap().fence();
        for (int i = 0; i < 100; ++i)
            exchange(pair, static_cast<std::uint8_t>(i + 1));
        // The clock is read without the kernel, but its first use may map something.
        (void)rank.host().now();
        forbid_system_calls();
        for (int i = 0; i < 2000; ++i)
            exchange(pair, static_cast<std::uint8_t>(i + 101));
        _exit(0);
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(SmallMessage, AForbiddenSystemCallWouldHaveBeenSeen) {
    const auto result = job::run(ranks_on_shm(1), [](job::Rank&) {
        forbid_system_calls();
        (void)getppid();
        _exit(0);
    });
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.failure.find("signal"), std::string::npos) << result.failure;
}

}  // namespace
}  // namespace railyard::shm::test
