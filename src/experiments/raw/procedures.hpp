#pragma once
/// The physical limits of two cores of this machine: two processes and the memory between them,
/// with nothing of this library on the measured way, and plain functions on such a pair. Here, and
/// only here, code spins on plain memory.

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/core/sampling.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/cpu.hpp"
#include "railyard/base/time.hpp"

namespace railyard::experiments::raw {

/// A counter that is alone in its cache lines: two lines, since some CPUs fetch them in pairs.
struct alignas(128) Word {
    std::atomic<std::uint64_t> value{0};

    void set(std::uint64_t to) { value.store(to, std::memory_order_release); }
    std::uint64_t get() const { return value.load(std::memory_order_acquire); }
    void await(std::uint64_t wanted) const {
        while (get() != wanted)
            relax();
    }
};

/// Memory of one process, page by page its own: mapped, touched, zeroed.
class Mapping {
  public:
    /// Private memory.
    explicit Mapping(Bytes size);
    /// Shared memory, from an open descriptor.
    Mapping(int descriptor, Bytes size);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    std::byte* data() const { return data_; }
    Bytes size() const { return size_; }

  private:
    std::byte* data_;
    Bytes size_;
};

class Pair {
  public:
    /// What both sides see, before the bulk memory.
    struct Shared {
        Word ping;      ///< rank 0 writes
        Word pong;      ///< rank 1 writes
        Word produced;  ///< chunks copied in, by rank 0
        Word consumed;  ///< chunks copied out, by rank 1
        Word meeting[2];
    };

    /// Maps `bulk` bytes of shared memory in ranks 0 and 1. `tag` is unique in the job.
    Pair(job::Rank& rank, std::string_view tag, Bytes bulk);

    bool first() const { return rank_.id() == 0; }
    job::Rank& rank() { return rank_; }
    fabric::Host& host() { return rank_.host(); }
    pid_t peer() const { return peer_; }
    Shared& shared() { return *reinterpret_cast<Shared*>(mapping_->data()); }
    /// The shared bulk memory, from the start of a page on.
    std::byte* bulk() { return mapping_->data() + bulk_offset; }
    Bytes bulk_size() const { return own_.size(); }
    /// This side's own memory, as large as the bulk, and where the peer's is in its own address
    /// space.
    std::byte* own() { return own_.data(); }
    std::byte* peer_own() const { return peer_own_; }

    /// Returns once both sides are here.
    void meet();
    /// Counts what the two sides have told each other; the same on both at a meeting.
    std::uint64_t& counter() { return counter_; }

    /// There is room for two pages at least.
    static constexpr Bytes least_bulk{8192};

  private:
    static constexpr std::size_t bulk_offset = 4096;
    static_assert(sizeof(Shared) <= bulk_offset);

    job::Rank& rank_;
    Mapping own_;
    std::unique_ptr<Mapping> mapping_;
    pid_t peer_ = 0;
    std::byte* peer_own_ = nullptr;
    std::uint64_t meetings_ = 0;
    std::uint64_t counter_ = 0;
};

// The procedures. Both ranks call them alike; what they return is of interest on rank 0.

/// One 8-byte value handed from core to core and back, in us one way. Each direction has a line of
/// its own, as any two that talk would do it. On a CPU whose last-level cache is spread over the
/// chip, a line's address decides how far away it lives, and lines differ by half: so every sample
/// takes other lines, and the median is that of a typical one.
std::vector<double> cache_line_handover(Pair& pair, const Sampling& sampling);

/// Messages of a window, as many as bandwidth-uni-window has by default.
inline constexpr unsigned default_window = 64;

/// One core copies window after window of messages into shared memory, then raises a flag; the
/// other sees it and answers: MB/s. The receiver does not touch the messages, as it would not touch
/// those of an RDMA write whose last byte it watches. Iterations are windows.
std::vector<double> copy(Pair& pair, Bytes size, unsigned window, const Sampling& sampling);

/// A way to cut a stream: into chunks, that many of which fit between the two sides.
struct Cut {
    Bytes chunk;
    unsigned depth;
};
/// The cuts worth trying: the best depends on the sizes of the caches.
std::span<const Cut> cuts();
/// One core copies chunks into a ring in shared memory, the other copies them out at the same time;
/// windows and answers as in copy(): MB/s.
std::vector<double> copy_pipeline(Pair& pair, Bytes size, Cut cut, unsigned window,
                                  const Sampling& sampling);
/// The fastest cut, found by a few windows of each. The same on both sides.
Cut best_cut(Pair& pair, Bytes size, unsigned window);

/// Rank 0 reads the peer's private memory, one call after the other: MB/s.
std::vector<double> process_vm_readv(Pair& pair, Bytes size, const Sampling& sampling);
/// Why that is not possible here; empty if it is. The same on both sides.
std::string process_vm_readv_forbidden(Pair& pair);

}  // namespace railyard::experiments::raw
