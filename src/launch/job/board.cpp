#include "launch/job/board.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <new>

#include "launch/job/bootstrap.hpp"
#include "railyard/base/cpu.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

constexpr std::uint64_t magic = 0x32'64'72'61'6f'62'79'72;  // "ryboard2", little-endian
constexpr std::size_t page = 64 << 10;  // the largest page there is on Linux machines of today
// Bells wake every sleeper; the bound is only there so that no error can make a wait eternal.
constexpr timespec longest_sleep{0, 500'000'000};
/// Of those who do something between two sleeps.
constexpr timespec short_sleep{0, 5'000'000};

constexpr std::size_t round_up(std::size_t n, std::size_t to) {
    return (n + to - 1) / to * to;
}

/// Is one fence earlier than the other? A difference, so that the numbers may wrap around.
constexpr bool before(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
}

/// A record is these two numbers, the key and the value, at any alignment.
struct RecordHeader {
    std::uint32_t key_size;
    std::uint32_t value_size;
};

}  // namespace

struct Board::Header {
    std::uint64_t magic;
    std::uint32_t ranks;
    std::uint32_t capacity_per_rank;
    std::atomic<std::uint32_t> failed_rank_plus_one;
    /// Fences that all ranks have entered; the last one in counts it up.
    std::atomic<std::uint32_t> fences_done;
    std::atomic<std::uint64_t> fence_entries;
    std::atomic<std::uint32_t> ranks_left;
    std::uint32_t relayed;  ///< written before any rank is there
    alignas(cache_line) Doorbell fence_bell;
};

struct alignas(cache_line) Board::Log {
    Doorbell bell;
    /// Bytes of values() that are complete: stored with release after the bytes.
    std::atomic<std::uint32_t> used;
    std::atomic<std::uint32_t> fences_entered;
    std::atomic<std::uint32_t> left;
    std::atomic<std::uint32_t> joined;
    fabric::NodeId node;  ///< written before any rank is there
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint32_t>) == 4);

// Layout: header, logs, and from the next page on the values of each rank.

Board::Header& Board::header() const {
    return *reinterpret_cast<Header*>(base_);
}

Board::Log& Board::log(int rank) const {
    return reinterpret_cast<Log*>(base_ + sizeof(Header))[rank];
}

std::byte* Board::values(int rank) const {
    const std::size_t start =
        round_up(sizeof(Header) + sizeof(Log) * static_cast<std::size_t>(ranks_), page);
    return base_ + start + capacity_per_rank.count() * static_cast<std::size_t>(rank);
}

Bytes Board::size_for(int ranks) {
    const auto n = static_cast<std::size_t>(ranks);
    return Bytes(round_up(sizeof(Header) + sizeof(Log) * n, page)) + capacity_per_rank * n;
}

Board Board::format(std::span<std::byte> memory, int ranks, std::span<const fabric::NodeId> nodes) {
    if (memory.size() < size_for(ranks).count())
        throw UsageError("bootstrap board: the memory is too small for so many ranks");
    auto* header = new (memory.data()) Header{};
    header->ranks = static_cast<std::uint32_t>(ranks);
    header->capacity_per_rank = static_cast<std::uint32_t>(capacity_per_rank.count());
    // Zero bytes are empty logs: they come to life unwritten, and their pages untouched.
    header->magic = magic;
    Board board(memory.data(), ranks);
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
        if (nodes[rank] != 0) board.place(static_cast<int>(rank), nodes[rank]);
    return board;
}

Board Board::attach(std::span<std::byte> memory) {
    if (memory.size() < sizeof(Header)) throw Error("bootstrap board: there is none here");
    const auto* header = reinterpret_cast<const Header*>(memory.data());
    if (header->magic != magic || header->capacity_per_rank != capacity_per_rank.count() ||
        header->ranks > INT_MAX ||
        memory.size() < size_for(static_cast<int>(header->ranks)).count())
        throw Error("bootstrap board: there is none here, or one of another version of Railyard");
    return Board(memory.data(), static_cast<int>(header->ranks));
}

std::size_t Board::record_size(std::string_view key, std::span<const std::byte> value) {
    return sizeof(RecordHeader) + key.size() + value.size();
}

void Board::put(int rank, std::string_view key, std::span<const std::byte> value) {
    check_rank(rank);
    if (find(rank, key)) throw bootstrap_put_twice(rank, key);
    Log& mine = log(rank);
    // Only the rank itself writes here, so its own view of `used` needs no order.
    const std::uint32_t used = mine.used.load(std::memory_order_relaxed);
    const std::size_t room = capacity_per_rank.count() - used;
    const std::size_t size = record_size(key, value);
    if (size > room) throw bootstrap_full(rank, room, key, value.size());

    const RecordHeader record{static_cast<std::uint32_t>(key.size()),
                              static_cast<std::uint32_t>(value.size())};
    std::byte* at = values(rank) + used;
    std::memcpy(at, &record, sizeof record);
    if (!key.empty()) std::memcpy(at + sizeof record, key.data(), key.size());
    if (!value.empty()) std::memcpy(at + sizeof record + key.size(), value.data(), value.size());
    mine.used.store(used + static_cast<std::uint32_t>(size), std::memory_order_release);
    ring(mine.bell);
}

std::optional<std::span<const std::byte>> Board::find(int rank, std::string_view key) const {
    const std::byte* at = values(rank);
    const std::byte* end = at + log(rank).used.load(std::memory_order_acquire);
    while (at < end) {
        RecordHeader record;
        std::memcpy(&record, at, sizeof record);
        const auto* text = reinterpret_cast<const char*>(at + sizeof record);
        const std::byte* value = at + sizeof record + record.key_size;
        if (key == std::string_view(text, record.key_size))
            return std::span(value, record.value_size);
        at = value + record.value_size;
    }
    return std::nullopt;
}

std::vector<std::byte> Board::get(int rank, std::string_view key) {
    check_rank(rank);
    Log& theirs = log(rank);
    for (;;) {
        const std::uint32_t seen = theirs.bell.load(std::memory_order_acquire);
        // Looked at before the log: what the rank put before it left must be found.
        const bool left = theirs.left.load(std::memory_order_acquire) != 0;
        if (const auto value = find(rank, key)) return {value->begin(), value->end()};
        if (left) throw bootstrap_never_put(rank, key);
        throw_if_aborted();
        sleep(theirs.bell, seen, longest_sleep);
    }
}

std::uint32_t Board::enter_fence(int rank) {
    check_rank(rank);
    Header& all = header();
    Log& mine = log(rank);
    const std::uint32_t number = mine.fences_entered.load(std::memory_order_relaxed) + 1;
    mine.fences_entered.store(number, std::memory_order_release);
    // acq_rel: the last one in has seen, and passes on, all that the others did before.
    const std::uint64_t entries = all.fence_entries.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (entries % static_cast<std::uint64_t>(ranks_) == 0) {
        all.fences_done.store(number, std::memory_order_release);
        ring(all.fence_bell);
    }
    return number;
}

void Board::await_fence(int rank, std::uint32_t number, const std::function<void()>& meanwhile) {
    Header& all = header();
    for (;;) {
        const std::uint32_t seen = all.fence_bell.load(std::memory_order_acquire);
        if (!before(all.fences_done.load(std::memory_order_acquire), number)) return;
        if (const auto absent = absent_from_fence(number))
            throw bootstrap_outside_fence(*absent, rank);
        throw_if_aborted();
        if (meanwhile) meanwhile();
        sleep(all.fence_bell, seen, meanwhile ? short_sleep : longest_sleep);
    }
}

std::optional<int> Board::absent_from_fence(std::uint32_t number) const {
    // As a rule nobody has left, and thousands may ask.
    if (header().ranks_left.load(std::memory_order_acquire) == 0) return std::nullopt;
    for (int rank = 0; rank < ranks_; ++rank) {
        const Log& theirs = log(rank);
        if (theirs.left.load(std::memory_order_acquire) != 0 &&
            before(theirs.fences_entered.load(std::memory_order_acquire), number))
            return rank;
    }
    return std::nullopt;
}

void Board::place(int rank, fabric::NodeId node) {
    check_rank(rank);
    log(rank).node = node;
}

fabric::NodeId Board::node_of(int rank) const {
    check_rank(rank);
    return log(rank).node;
}

void Board::set_relayed() {
    header().relayed = 1;
}

bool Board::is_relayed() const {
    return header().relayed != 0;
}

bool Board::join(int rank) {
    check_rank(rank);
    return log(rank).joined.exchange(1, std::memory_order_acq_rel) == 0;
}

bool Board::present(int rank) const {
    check_rank(rank);
    return log(rank).joined.load(std::memory_order_acquire) != 0 &&
           log(rank).left.load(std::memory_order_acquire) == 0;
}

bool Board::has_left(int rank) const {
    check_rank(rank);
    return log(rank).left.load(std::memory_order_acquire) != 0;
}

void Board::leave(int rank) {
    check_rank(rank);
    if (log(rank).left.exchange(1, std::memory_order_acq_rel) != 0) return;
    header().ranks_left.fetch_add(1, std::memory_order_release);
    ring(log(rank).bell);
    ring(header().fence_bell);
}

void Board::abort(int rank) {
    std::uint32_t nobody = 0;
    header().failed_rank_plus_one.compare_exchange_strong(
        nobody, static_cast<std::uint32_t>(rank) + 1, std::memory_order_release,
        std::memory_order_relaxed);
    for (int i = 0; i < ranks_; ++i)
        ring(log(i).bell);
    ring(header().fence_bell);
}

void Board::check_rank(int rank) const {
    if (rank < 0 || rank >= ranks_) throw bootstrap_no_such_rank(rank, ranks_);
}

void Board::throw_if_aborted() const {
    const auto failed = header().failed_rank_plus_one.load(std::memory_order_acquire);
    if (failed != 0) throw Aborted(fmt::format("given up because rank {} failed", failed - 1));
}

void Board::ring(Doorbell& bell) {
    bell.fetch_add(1, std::memory_order_release);
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell), FUTEX_WAKE, INT_MAX, nullptr,
              nullptr, 0);
}

void Board::sleep(Doorbell& bell, std::uint32_t seen, const timespec& longest) {
    // Whether woken, too late, interrupted or timed out: the caller looks again.
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell), FUTEX_WAIT, seen, &longest,
              nullptr, 0);
}

AnonymousMemory::AnonymousMemory(Bytes size) {
    void* data = ::mmap(nullptr, size.count(), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw system_error("cannot map memory for the bootstrap exchange");
    memory_ = {static_cast<std::byte*>(data), size.count()};
}

AnonymousMemory::~AnonymousMemory() {
    ::munmap(memory_.data(), memory_.size());
}

int as_exit_code(int code) {
    const int low = code & 0xff;
    return code != 0 && low == 0 ? 1 : low;
}

UsageError bootstrap_no_such_rank(int rank, int ranks) {
    return UsageError(fmt::format("bootstrap: there is no rank {} in a job of {}", rank, ranks));
}

UsageError bootstrap_put_twice(int rank, std::string_view key) {
    return UsageError(fmt::format("bootstrap: rank {} puts '{}' twice", rank, key));
}

Error bootstrap_full(int rank, std::size_t room, std::string_view key, std::size_t value_size) {
    return Error(
        fmt::format("bootstrap: rank {} has room for {} more bytes and '{}' has {}; send "
                    "large data over the fabric",
                    rank, room, key, value_size));
}

Error bootstrap_never_put(int rank, std::string_view key) {
    return Error(fmt::format("bootstrap: rank {} ended without putting '{}'", rank, key));
}

Error bootstrap_outside_fence(int absent, int waiting) {
    return Error(fmt::format("bootstrap: rank {} ended outside the fence that rank {} is in",
                             absent, waiting));
}

}  // namespace railyard::job
