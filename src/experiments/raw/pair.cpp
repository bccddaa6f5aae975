#include "experiments/raw/pair.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "experiments/core/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments::raw {

namespace {

struct Card {
    pid_t pid;
    int descriptor;
    std::byte* own;
};

std::byte* map(int descriptor, Bytes size, int flags) {
    void* p = ::mmap(nullptr, size.count(), PROT_READ | PROT_WRITE, flags, descriptor, 0);
    if (p == MAP_FAILED) throw system_error("cannot map memory for the limits");
    return static_cast<std::byte*>(p);
}

int make_memory(Bytes size) {
    const int fd = ::memfd_create("railyard-limits", MFD_CLOEXEC);
    if (fd < 0) throw system_error("cannot make shared memory for the limits");
    if (::ftruncate(fd, static_cast<off_t>(size.count())) != 0)
        throw system_error("cannot make shared memory for the limits");
    return fd;
}

int open_memory(const Card& card) {
    const std::string path =
        "/proc/" + std::to_string(card.pid) + "/fd/" + std::to_string(card.descriptor);
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) throw system_error("cannot open the peer's memory, " + path);
    return fd;
}

}  // namespace

Mapping::Mapping(Bytes size) : data_(map(-1, size, MAP_PRIVATE | MAP_ANONYMOUS)), size_(size) {
    std::memset(data_, 0, size.count());
}

Mapping::Mapping(int descriptor, Bytes size)
    : data_(map(descriptor, size, MAP_SHARED)), size_(size) {}

Mapping::~Mapping() {
    ::munmap(data_, size_.count());
}

Pair::Pair(job::Rank& rank, std::string_view tag, Bytes bulk)
    : rank_(rank), own_(std::max(bulk, least_bulk)) {
    bulk = own_.size();
    const Bytes size = bulk + Bytes(bulk_offset);
    int fd = first() ? make_memory(size) : -1;
    const Card mine{::getpid(), fd, own_.data()};
    const Card theirs = exchange(rank, tag, mine);
    peer_ = theirs.pid;
    peer_own_ = theirs.own;
    if (!first()) fd = open_memory(theirs);
    mapping_ = std::make_unique<Mapping>(fd, size);
    // Every page is touched by both, so that none is found missing while the clock runs.
    if (first()) std::memset(this->bulk(), 0, bulk.count());
    // Where the kernel asks for it, allow the peer to read this process (process_vm_readv).
    ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    rank.bootstrap().fence();
    ::close(fd);
    if (!first()) std::memset(this->bulk(), 0, bulk.count());
    rank.bootstrap().fence();
}

void Pair::meet() {
    const std::uint64_t mine = ++meetings_;
    shared().meeting[first() ? 0 : 1].set(mine);
    // The peer may be one meeting ahead already.
    while (shared().meeting[first() ? 1 : 0].get() < mine)
        relax();
}

}  // namespace railyard::experiments::raw
