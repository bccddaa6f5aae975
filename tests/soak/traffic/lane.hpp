#pragma once
/// One thread of one rank, and those of its number on the other ranks: what they talk over, what
/// they have counted, and where they are, for the watchdog.

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace railyard::soak {

struct TrafficOptions {
    std::uint64_t seed = 1;
    int threads = 1;
    std::uint64_t messages = 10'000;  ///< of all lanes, about
    int first_round = 0;
    int last_round = -1;  ///< -1: as many as make so many messages
    bool large = false;
    int burst = 1;              ///< flows are so many times longer
    bool communicators = true;  ///< some rounds make communicators
    bool collectives = true;
    bool windows = true;
    bool persistent_collectives = true;
    bool cancel_sends = false;
    int watchdog_seconds = 60;  ///< 0: none
    bool check_memory = true;   ///< whether it grows
    int wrong_at_round = -1;    ///< a byte is made wrong there, to see that it is found
};

/// Where a lane is. Its owner writes, the watchdog reads: each word for itself, so relaxed order
/// will do, and a report may mix two steps.
struct Where {
    std::atomic<int> round{-1};
    std::atomic<const char*> step{"starts"};
    std::atomic<int> peer{-1};
    std::atomic<int> tag{-1};
    std::atomic<int> done{0};
    std::atomic<int> all{0};
    std::atomic<std::uint64_t> beats{0};

    void at(const char* what, int with = -1, int under = -1, int of = 0) {
        step.store(what, std::memory_order_relaxed);
        peer.store(with, std::memory_order_relaxed);
        tag.store(under, std::memory_order_relaxed);
        done.store(0, std::memory_order_relaxed);
        all.store(of, std::memory_order_relaxed);
        beat();
    }
    void beat() {
        beats.store(beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void one_more() {
        done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        beat();
    }
};

/// Memory that is handed out piece by piece and taken back all at once; it stays where it is, so
/// that whatever the library remembers of it stays true.
class Arena {
  public:
    std::byte* take(std::size_t bytes, std::size_t alignment = 16);
    void take_back() { chunk_ = used_ = 0; }
    /// By all arenas of this process.
    static std::size_t all_held() { return held_.load(std::memory_order_relaxed); }

  private:
    struct Chunk {
        std::unique_ptr<std::byte[]> memory;
        std::size_t size;
    };
    static inline std::atomic<std::size_t> held_{0};  ///< a count, which orders nothing
    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0;
    std::size_t used_ = 0;
};

struct Team {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
};
Team team_of(MPI_Comm comm);

struct Lane {
    int number = 0;
    int world_rank = 0;
    const TrafficOptions* options = nullptr;
    Team team;  ///< the lane's own communicator
    Arena arena;
    Where where;
    std::uint64_t planned = 0;   ///< messages of all ranks
    std::uint64_t messages = 0;  ///< received here
    std::uint64_t bytes = 0;

    /// Says what is wrong and where, and ends the job.
    [[noreturn]] void fail(const std::string& what) const;
};

/// Content for messages: bytes of chance, the same for every rank.
const std::byte* pattern();

/// Memory before and behind a receive buffer, and gaps in it, have this value before and after.
inline constexpr std::byte guard_byte{0xC3};
inline constexpr std::size_t guard_bytes = 16;

// The rounds. Each is played by all lanes of the same number, which draw the same from `seed`.

struct RoundTags {
    int first = 0;
    int first_in_world = -1;
    bool own = false;  ///< nobody else uses the communicator now
};
/// Returns how many messages all ranks together have sent.
std::uint64_t play_exchange(Lane& lane, const Team& team, std::uint64_t seed, RoundTags tags);
std::uint64_t play_shift(Lane& lane, const Team& team, std::uint64_t seed, int tag);
void play_collectives(Lane& lane, const Team& team, std::uint64_t seed);
/// Collectives that do not block, and those of neighbours.
void play_nonblocking(Lane& lane, const Team& team, std::uint64_t seed, int tag);
void play_neighbours(Lane& lane, const Team& team, std::uint64_t seed);
/// Makes a window, reaches for memory of all ranks in epochs of all kinds, and frees it.
void play_windows(Lane& lane, const Team& team, std::uint64_t seed);
/// Makes a communicator, plays on it, and frees it.
void play_communicators(Lane& lane, std::uint64_t seed, int depth, const Team& parent);
/// Sends that nobody receives are cancelled.
void play_cancelled_sends(Lane& lane, const Team& team, std::uint64_t seed, int tag);

}  // namespace railyard::soak
