#pragma once
/// The exchange behind Bootstrap, in memory that all ranks of a job map: every rank appends what it
/// puts to a log of its own, the others read it there.
///
/// The memory holds offsets and no pointers, so it may be mapped anywhere: inherited by fork,
/// shared by threads, or mapped again after exec from a descriptor that was passed on.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/job/bootstrap.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

/// Thrown by a wait that another rank's failure has made pointless.
class Aborted : public Error {
  public:
    using Error::Error;
};

class Board {
  public:
    /// How much one rank may put, keys and a few bytes of bookkeeping included.
    static constexpr Bytes capacity_per_rank{64 << 10};

    /// What a value takes of it.
    static std::size_t record_size(std::string_view key, std::span<const std::byte> value);
    /// How much memory a job of that many ranks needs; it is touched only as it is used.
    static Bytes size_for(int ranks);
    /// Lays out an empty board, on which each rank is on its node, or all on node 0. The memory is
    /// zeroed, page-aligned, and outlives every Board on it.
    static Board format(std::span<std::byte> memory, int ranks,
                        std::span<const fabric::NodeId> nodes = {});
    /// A board that somebody else laid out. Throws Error if there is none.
    static Board attach(std::span<std::byte> memory);

    int ranks() const { return ranks_; }

    /// Says which node a rank is on; 0 as long as nobody does. For whoever laid the board out.
    void place(int rank, fabric::NodeId node);
    fabric::NodeId node_of(int rank) const;
    /// There are other boards of this job, on other hosts: whoever puts something or enters a fence
    /// must say so to its launcher, who tells them.
    void set_relayed();
    bool is_relayed() const;

    /// Throws UsageError for a key that the rank has put before, Error when its log is full.
    void put(int rank, std::string_view key, std::span<const std::byte> value);
    /// Waits. Throws Error if the rank ends without having put it, Aborted after abort().
    std::vector<std::byte> get(int rank, std::string_view key);
    /// Waits until all have entered. Throws Error if a rank ends outside, Aborted after abort().
    void fence(int rank) { await_fence(rank, enter_fence(rank)); }
    /// The two halves of it. The first does not wait, and gives the number of the fence.
    std::uint32_t enter_fence(int rank);
    /// `meanwhile`, if there is one, is called every few milliseconds.
    void await_fence(int rank, std::uint32_t number, const std::function<void()>& meanwhile = {});

    /// The rank has found the board by itself (see join.hpp). False if it had been here before.
    bool join(int rank);
    /// The rank has ended well: nobody waits for it any more. To say so twice is no mistake.
    void leave(int rank);
    /// It joined and has not left yet.
    bool present(int rank) const;
    bool has_left(int rank) const;
    /// The rank has failed: all who wait, or are going to, throw.
    void abort(int rank);

  private:
    /// Something to sleep on. A sleeper reads it, looks at what it waits for, and sleeps only if it
    /// still has that value; whoever changes what is waited for counts it up.
    using Doorbell = std::atomic<std::uint32_t>;
    struct Header;
    struct Log;

    explicit Board(std::byte* base, int ranks) : base_(base), ranks_(ranks) {}
    Header& header() const;
    Log& log(int rank) const;
    std::byte* values(int rank) const;
    std::optional<std::span<const std::byte>> find(int rank, std::string_view key) const;
    std::optional<int> absent_from_fence(std::uint32_t number) const;
    void check_rank(int rank) const;
    void throw_if_aborted() const;
    static void ring(Doorbell& bell);
    static void sleep(Doorbell& bell, std::uint32_t seen, const timespec& longest);

    std::byte* base_;
    int ranks_;
};

/// One rank's view of a Board. Whoever watches the rank says when it leaves.
class BoardBootstrap : public Bootstrap {
  public:
    /// How the launcher learns what it has to pass on to other hosts.
    struct Relay {
        std::function<void(std::string_view key, std::span<const std::byte> value)> put;
        std::function<void()> fence;
    };

    using Abort = std::function<void(int code, std::string_view why)>;  ///< must not return

    BoardBootstrap(Board board, int rank, Relay relay = {}, Abort abort = {})
        : board_(board), rank_(rank), relay_(std::move(relay)), abort_(std::move(abort)) {}

    int rank() const override { return rank_; }
    int size() const override { return board_.ranks(); }
    fabric::NodeId node_of(int rank) const override { return board_.node_of(rank); }

    void put(std::string_view key, std::span<const std::byte> value) override {
        board_.put(rank_, key, value);
        if (relay_.put) relay_.put(key, value);
    }
    std::vector<std::byte> get(int rank, std::string_view key) override {
        return board_.get(rank, key);
    }
    void fence() override { fence_while({}); }
    void fence_while(const std::function<void()>& meanwhile) override {
        const std::uint32_t number = board_.enter_fence(rank_);
        if (relay_.fence) relay_.fence();
        board_.await_fence(rank_, number, meanwhile);
    }
    void abort(int code, std::string_view why) override {
        if (abort_) abort_(code, why);
        std::abort();
    }

  private:
    Board board_;
    int rank_;
    Relay relay_;
    Abort abort_;
};

/// Zeroed memory that this process shares with those it forks. Pages take memory only once touched.
class AnonymousMemory {
  public:
    explicit AnonymousMemory(Bytes size);  ///< Throws Error.
    ~AnonymousMemory();
    AnonymousMemory(const AnonymousMemory&) = delete;
    AnonymousMemory& operator=(const AnonymousMemory&) = delete;

    std::span<std::byte> span() const { return memory_; }

  private:
    std::span<std::byte> memory_;
};

}  // namespace railyard::job
