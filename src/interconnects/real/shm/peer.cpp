#include "interconnects/real/shm/peer.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/asymmetric_fence.hpp"
#include "base/copy_whole.hpp"
#include "interconnects/real/shm/copy.hpp"
#include "railyard/base/error.hpp"

namespace railyard::shm {

ReachPolicy reach_policy_from_environment() {
    const char* value = std::getenv("RAILYARD_SHM_USER_MEMORY");
    const std::string_view word = value == nullptr ? "auto" : value;
    if (word == "auto") return ReachPolicy::automatic;
    if (word == "process_vm") return ReachPolicy::process_vm;
    if (word == "bounce") return ReachPolicy::bounce;
    throw UsageError(fmt::format(
        "RAILYARD_SHM_USER_MEMORY: expected auto, process_vm or bounce, found '{}'", word));
}

Peer::Peer(const SharedMemory::Handle& handle, ReachPolicy policy)
    : memory_(SharedMemory::open(handle)), arena_(&arena_in(memory_)) {
    if (arena_->magic != Arena::right_magic)
        throw Error(fmt::format("process {} shares no arena of this version", handle.pid));
    if ((arena_->asymmetric_fences != 0) != fences_are_asymmetric())
        throw Error(
            fmt::format("process {} and this one disagree about membarrier; run both under "
                        "the same system-call filter",
                        handle.pid));
    bell_ = hosts::RemoteBell(arena_->bell);
    if (handle.pid != getpid()) pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, handle.pid, 0));
    reach_ = find_reach(policy);
}

Peer::~Peer() {
    if (pidfd_ >= 0) close(pidfd_);
    if (memory_file_ >= 0) close(memory_file_);
}

Reach Peer::find_reach(ReachPolicy policy) const {
    if (policy == ReachPolicy::bounce) return Reach::bounce;
    if (handle().pid == getpid()) return Reach::direct;
    // Ask the kernel by doing it: the peer has its own arena mapped at an address that it tells.
    std::uint64_t magic = 0;
    const iovec local{&magic, sizeof magic};
    const Code code = read(arena_->own_address, std::span(&local, 1), sizeof magic);
    if (code == Code::ok && magic == Arena::right_magic) return Reach::process_vm;
    if (policy == ReachPolicy::process_vm)
        throw Error(
            fmt::format("RAILYARD_SHM_USER_MEMORY=process_vm, but the kernel does not let "
                        "this process read process {} (ptrace scope, or another user)",
                        handle().pid));
    return Reach::bounce;
}

bool Peer::gone() {
    if (gone_ || pidfd_ < 0) return gone_;
    pollfd exited{pidfd_, POLLIN, 0};
    return gone_ = poll(&exited, 1, 0) == 1;
}

namespace {

using Call = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                         unsigned long);

/// More are copied faster by process_vm_readv, which pins pages, than through a page of the
/// kernel's.
constexpr std::uint64_t few_bytes = 1024;

/// Repeats the call until all is moved: the kernel stops at 2 GiB less a page.
Code move(Call call, pid_t pid, std::uint64_t address, std::span<const iovec> local,
          std::uint64_t length) {
    std::array<iovec, max_slices> pieces;
    std::size_t count = std::min(local.size(), pieces.size());
    std::copy_n(local.begin(), count, pieces.begin());
    std::size_t first = 0;
    while (length > 0) {
        const iovec remote{reinterpret_cast<void*>(address), length};
        const ssize_t moved = call(pid, &pieces[first], count - first, &remote, 1, 0);
        if (moved <= 0) return errno == ESRCH ? Code::remote_closed : Code::remote_fault;
        address += static_cast<std::uint64_t>(moved);
        length -= static_cast<std::uint64_t>(moved);
        auto left = static_cast<std::size_t>(moved);
        while (left > 0 && left >= pieces[first].iov_len)
            left -= pieces[first++].iov_len;
        if (left > 0) {
            pieces[first].iov_base = static_cast<std::byte*>(pieces[first].iov_base) + left;
            pieces[first].iov_len -= left;
        }
    }
    return Code::ok;
}

}  // namespace

int Peer::memory_file() const {
    if (memory_file_ != unopened) return memory_file_;
    memory_file_ = ::open(fmt::format("/proc/{}/mem", handle().pid).c_str(), O_RDONLY | O_CLOEXEC);
    // Another process may have the number by now.
    std::uint64_t magic = 0;
    if (memory_file_ >= 0 && (pread(memory_file_, &magic, sizeof magic,
                                    static_cast<off_t>(arena_->own_address)) != sizeof magic ||
                              magic != Arena::right_magic))
        close(std::exchange(memory_file_, -1));
    return memory_file_;
}

bool Peer::reads_few(std::uint64_t address, std::span<const iovec> local,
                     std::uint64_t length) const {
    if (length > few_bytes || local.front().iov_len < length || memory_file() < 0) return false;
    return pread(memory_file_, local.front().iov_base, length, static_cast<off_t>(address)) ==
           static_cast<ssize_t>(length);
}

Code Peer::read(std::uint64_t address, std::span<const iovec> local, std::uint64_t length) const {
    if (reach_ == Reach::process_vm && reads_few(address, local, length)) return Code::ok;
    if (reach_ != Reach::direct)
        return move(process_vm_readv, handle().pid, address, local, length);
    const auto* from = reinterpret_cast<const std::byte*>(address);
    for (const iovec& piece : local) {
        load_whole(piece.iov_base, from, piece.iov_len);
        from += piece.iov_len;
    }
    return Code::ok;
}

Code Peer::write(std::uint64_t address, std::span<const iovec> local, std::uint64_t length) const {
    if (length == 0) return Code::ok;
    const iovec* tail = &local.back();
    while (tail->iov_len == 0)
        --tail;
    const auto* last_byte = static_cast<std::byte*>(tail->iov_base) + tail->iov_len - 1;
    if (reach_ == Reach::direct) {
        auto* to = reinterpret_cast<std::byte*>(address);
        for (const iovec& piece : local) {
            const std::size_t n = &piece == tail ? piece.iov_len - 1 : piece.iov_len;
            copy_bytes(to, piece.iov_base, n);
            to += n;
            if (&piece == tail) break;
        }
        store_last(to, *last_byte);
        return Code::ok;
    }
    // The kernel promises no order among the bytes of one call, so the last one has its own.
    if (length > 1) {
        const Code code = write_unordered(address, local, length - 1);
        if (code != Code::ok) return code;
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    const iovec one{const_cast<std::byte*>(last_byte), 1};
    return write_unordered(address + length - 1, std::span(&one, 1), 1);
}

Code Peer::write_unordered(std::uint64_t address, std::span<const iovec> local,
                           std::uint64_t length) const {
    if (reach_ == Reach::direct && local.size() == 1) {
        store_whole(reinterpret_cast<void*>(address), local.front().iov_base, length);
        return Code::ok;
    }
    if (reach_ == Reach::direct) return write(address, local, length);
    return move(process_vm_writev, handle().pid, address, local, length);
}

}  // namespace railyard::shm
