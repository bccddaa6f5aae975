#pragma once
/// Which way the large messages of one peer take where both are open: streamed through mapped
/// memory, which both processors copy at once, or read by the receiver, which copies once. Which is
/// faster is a matter of processors, sizes and neighbours, so the receiver measures both now and
/// then, and tells the sender with the CTS or the FIN which to take next.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi/engine/packet.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi {

struct Request;

class BulkChoice {
  public:
    // The sender's part.

    Way advised(std::uint64_t bytes) const { return advised_[size_class(bytes)]; }
    void advise(std::uint64_t bytes, Way way) { advised_[size_class(bytes)] = way; }

    // The receiver's.

    /// A receive begins of which so many bytes are to come. Only one that has the channel to itself
    /// is timed.
    void begin(const Request& receive, std::uint64_t to_come, Time now) {
        if (under_way_++ != 0) return;
        timed_ = &receive;
        to_come_ = to_come;
        begun_ = now;
    }
    void end(const Request& receive, Way way, std::uint64_t bytes, Time now) {
        --under_way_;
        if (timed_ != &receive) return;
        timed_ = nullptr;
        const double time = (now - begun_).microseconds() / static_cast<double>(to_come_);
        measured(bytes).add(way, time);
    }
    /// Those under way have failed.
    void forget() {
        under_way_ = 0;
        timed_ = nullptr;
    }
    /// What the next message of such a size should take.
    Way next(std::uint64_t bytes) { return measured_ ? measured(bytes).next() : Way::stream; }

  private:
    /// Both ways of one size, as times a byte.
    class Measured {
      public:
        void add(Way way, double time) {
            if (way != last_) in_a_row_ = 0;
            last_ = way;
            if (++in_a_row_ <= cold) return;
            Score& score = of(way);
            // A process that lost its processor says nothing of the way: no single one counts much.
            score.time = score.times == 0
                             ? time
                             : score.time + (std::min(time, 2 * score.time) - score.time) / 4;
            if (score.times < enough) ++score.times;
        }
        Way next() {
            for (const Way way : {Way::stream, Way::read})
                if (of(way).times < enough) return way;
            const bool reads = of(Way::read).time < of(Way::stream).time;
            const bool other = ++turn_ % cycle >= cycle - trials;
            return reads != other ? Way::read : Way::stream;
        }

      private:
        struct Score {
            double time = 0;
            std::uint32_t times = 0;
        };
        /// The first ones of a way find the caches as the other has left them.
        static constexpr std::uint32_t cold = 2;
        static constexpr std::uint32_t enough = 2;
        /// So many of each cycle try what has been slower.
        static constexpr std::uint32_t trials = 4;
        static constexpr std::uint32_t cycle = 128;

        Score& of(Way way) { return way == Way::read ? read_ : stream_; }

        Score stream_, read_;
        Way last_ = Way::stream;
        std::uint32_t in_a_row_ = 0;
        std::uint32_t turn_ = 0;
    };

    static constexpr std::size_t classes = 8;
    /// Below 64 KiB, 128 KiB … 4 MiB, and all others.
    static std::size_t size_class(std::uint64_t bytes) {
        const auto width = static_cast<std::size_t>(std::bit_width(bytes >> 16));
        return std::min(width, classes - 1);
    }

    Measured& measured(std::uint64_t bytes) {
        if (!measured_) measured_ = std::make_unique<std::array<Measured, classes>>();
        return (*measured_)[size_class(bytes)];
    }

    std::array<Way, classes> advised_{};
    std::unique_ptr<std::array<Measured, classes>> measured_;  ///< null: nothing yet
    const Request* timed_ = nullptr;
    std::uint64_t to_come_ = 0;
    Time begun_{};
    std::uint32_t under_way_ = 0;
};

}  // namespace railyard::mpi
