#include "experiments/raw/procedures.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "experiments/core/exchange.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/row.hpp"

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

namespace {

/// Times `play(n)` with both sides starting together. Counters start from 0.
template <class Play>
std::vector<Duration> duel(Pair& pair, const Sampling& sampling, Play play) {
    auto& shared = pair.shared();
    if (pair.first()) {
        for (Word* word : {&shared.ping, &shared.pong, &shared.produced, &shared.consumed})
            word->set(0);
    }
    pair.meet();
    auto times = time_batches(pair.host(), sampling, play);
    pair.meet();
    return times;
}

/// Where in the bulk memory a value goes to and fro: a page for each sample, and in it a line that
/// differs from page to page. The way back lies half the memory away.
class Places {
  public:
    explicit Places(Pair& pair)
        : bulk_(pair.bulk()), half_(pair.bulk_size().count() / 2), pages_(half_ / page) {}

    Word& ping() const { return at(0); }
    Word& pong() const { return at(half_); }
    void move_on() { ++sample_; }

  private:
    static constexpr std::size_t page = 4096;

    Word& at(std::size_t start) const {
        constexpr std::size_t lines = page / sizeof(Word);
        const std::size_t line = sample_ * 11 % lines;
        const std::size_t offset = start + sample_ % pages_ * page + line * sizeof(Word);
        return *reinterpret_cast<Word*>(bulk_ + offset);
    }

    std::byte* bulk_;
    std::size_t half_;
    std::size_t pages_;
    std::size_t sample_ = 0;
};
/// Enough to bring both lines and the code that spins on them into the caches.
constexpr unsigned warmup_of_a_place = 20;

constexpr std::array cut_list{
    Cut{Bytes(8 << 10), 4},   Cut{Bytes(8 << 10), 16}, Cut{Bytes(16 << 10), 8},
    Cut{Bytes(16 << 10), 16}, Cut{Bytes(32 << 10), 4}, Cut{Bytes(32 << 10), 8},
    Cut{Bytes(64 << 10), 4},
};

/// One end of a ring of chunks. One counter each way, seen by both sides: the consumer then often
/// finds several chunks at a time, which a flag in each chunk would not show.
class ChunkRing {
  public:
    ChunkRing(Pair& pair, Bytes size, Cut cut)
        : pair_(pair), size_(size.count()), chunk_(cut.chunk.count()), depth_(cut.depth) {}

    /// A message into the ring.
    void produce() {
        for (std::size_t at = 0; at < size_; at += chunk_) {
            while (next_ - peer_ >= depth_) {
                peer_ = pair_.shared().consumed.get();
                relax();
            }
            std::memcpy(place(), pair_.own() + at, std::min(chunk_, size_ - at));
            pair_.shared().produced.set(++next_);
        }
    }
    /// A message out of it.
    void consume() {
        for (std::size_t at = 0; at < size_; at += chunk_) {
            while (next_ >= peer_) {
                peer_ = pair_.shared().produced.get();
                relax();
            }
            std::memcpy(pair_.own() + at, place(), std::min(chunk_, size_ - at));
            pair_.shared().consumed.set(++next_);
        }
    }

  private:
    std::byte* place() { return pair_.bulk() + next_ % depth_ * chunk_; }

    Pair& pair_;
    std::size_t size_;
    std::size_t chunk_;
    unsigned depth_;
    std::uint64_t next_ = 0;
    std::uint64_t peer_ = 0;  ///< how far the other end was when last looked at
};

bool read_peer(Pair& pair, Bytes size) {
    const iovec here{pair.own(), size.count()};
    const iovec there{pair.peer_own(), size.count()};
    return ::process_vm_readv(pair.peer(), &here, 1, &there, 1, 0) ==
           static_cast<ssize_t>(size.count());
}

}  // namespace

std::vector<double> cache_line_handover(Pair& pair, const Sampling& sampling) {
    // Values go on rising from call to call, so what a line still holds cannot be taken for an
    // answer.
    std::uint64_t& value = pair.counter();
    Places places(pair);
    const auto play = [&](unsigned n) {
        Word& ping = places.ping();
        Word& pong = places.pong();
        if (pair.first()) {
            for (; n > 0; --n) {
                ping.set(++value);
                pong.await(value);
            }
        } else {
            for (; n > 0; --n) {
                ping.await(++value);
                pong.set(value);
            }
        }
    };
    std::vector<Duration> times;
    pair.meet();
    play(sampling.warmup);
    for (unsigned i = 0; i < sampling.samples; ++i) {
        places.move_on();
        const auto time = time_batches(pair.host(), {warmup_of_a_place, 1, sampling.batch}, play);
        times.push_back(time[0]);
    }
    pair.meet();
    return microseconds(times, 2.0 * sampling.batch);
}

std::vector<double> copy(Pair& pair, Bytes size, unsigned window, const Sampling& sampling) {
    auto& shared = pair.shared();
    std::uint64_t round = 0;
    const auto times = duel(pair, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            ++round;
            if (pair.first()) {
                for (unsigned i = 0; i < window; ++i) {
                    std::memcpy(pair.bulk(), pair.own(), size.count());
                    // Each message is a copy of its own, though it repeats the one before it.
                    asm volatile("" ::: "memory");
                }
                shared.ping.set(round);
                shared.pong.await(round);
            } else {
                shared.ping.await(round);
                shared.pong.set(round);
            }
        }
    });
    return megabytes_per_second(times, size * window * sampling.batch);
}

std::span<const Cut> cuts() {
    return cut_list;
}

std::vector<double> copy_pipeline(Pair& pair, Bytes size, Cut cut, unsigned window,
                                  const Sampling& sampling) {
    auto& shared = pair.shared();
    ChunkRing ring(pair, size, cut);
    std::uint64_t round = 0;
    const auto times = duel(pair, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            ++round;
            if (pair.first()) {
                for (unsigned i = 0; i < window; ++i)
                    ring.produce();
                shared.pong.await(round);
            } else {
                for (unsigned i = 0; i < window; ++i)
                    ring.consume();
                shared.pong.set(round);
            }
        }
    });
    return megabytes_per_second(times, size * window * sampling.batch);
}

Cut best_cut(Pair& pair, Bytes size, unsigned window) {
    std::size_t best = 0;
    double best_rate = 0;
    for (std::size_t i = 0; i < cut_list.size(); ++i) {
        const double rate =
            results::summarize(copy_pipeline(pair, size, cut_list[i], window, {1, 5, 1})).p50;
        if (rate > best_rate) {
            best = i;
            best_rate = rate;
        }
    }
    // The sides have seen slightly different times: rank 0 decides.
    auto& ping = pair.shared().ping;
    if (pair.first()) ping.set(best);
    pair.meet();
    best = ping.get();
    pair.meet();
    return cut_list[best];
}

std::vector<double> process_vm_readv(Pair& pair, Bytes size, const Sampling& sampling) {
    pair.meet();
    std::vector<Duration> times;
    if (pair.first()) {
        times = time_batches(pair.host(), sampling, [&](unsigned n) {
            for (; n > 0; --n)
                if (!read_peer(pair, size)) throw system_error("process_vm_readv");
        });
    }
    pair.meet();
    return megabytes_per_second(times, size * sampling.batch);
}

std::string process_vm_readv_forbidden(Pair& pair) {
    auto& ping = pair.shared().ping;
    if (pair.first()) ping.set(read_peer(pair, Bytes(1)) ? 0 : static_cast<std::uint64_t>(errno));
    pair.meet();
    const auto error = static_cast<int>(ping.get());
    pair.meet();
    return error == 0 ? std::string() : std::strerror(error);
}

}  // namespace railyard::experiments::raw
