#pragma once
/// Two processes and the memory between them, with nothing of this library on the measured way:
/// what the physical limits are measured with. Here, and only here, code spins on plain memory.

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

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

}  // namespace railyard::experiments::raw
