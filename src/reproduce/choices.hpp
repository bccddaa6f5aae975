#pragma once
/// What the papers leave open, decided once for all records: which size "small" is, how near is
/// near, how flat is flat. docs/reproduce.md gives the reasons.

#include <array>
#include <cstdint>
#include <vector>

namespace railyard::reproduce::choice {

// Message sizes, in bytes.
inline constexpr std::int64_t small = 4;
inline constexpr std::int64_t large = 1 << 20;
/// Where a relation speaks of all sizes of a latency, or of all below or above a limit.
inline constexpr std::array<std::int64_t, 6> latency_sizes{4, 64, 1024, 4096, 16384, 65536};
inline constexpr std::array<std::int64_t, 6> bandwidth_sizes{64, 1024, 4096, 16384, 65536, large};
inline constexpr std::array<std::int64_t, 3> small_and_medium{4, 256, 1024};
/// Where what a message costs whatever its size still counts: beyond, curves cross on their way to
/// peaks of another order.
inline constexpr std::array<std::int64_t, 4> basic_latency_sizes{4, 64, 256, 1024};
inline constexpr std::array<std::int64_t, 2> medium_sizes{1024, 4096};
/// Of the reuse experiment on MPI, where a record speaks of all that one protocol sends.
inline constexpr std::array<std::int64_t, 10> reuse_sizes{4,     64,    256,   1024,      4096,
                                                          16384, 32768, 65536, 256 << 10, large};
inline constexpr std::array<std::int64_t, 2> collective_sizes{8, 1024};

/// Messages outstanding, where a paper does not say.
inline constexpr std::int64_t queue = 100;
/// Entries of a full queue of MPI messages.
inline constexpr std::int64_t entries = 1000;

template <class Sizes>
std::vector<std::int64_t> list(const Sizes& sizes) {
    return {sizes.begin(), sizes.end()};
}

// How near, as shares of one.
inline constexpr double tolerance = 0.05;  ///< a value, stated or "about"
inline constexpr double zero = 0.05;       ///< a value of 0: absolute, in its unit
inline constexpr double alike = 0.10;      ///< "alike", "about twice"
inline constexpr double same_path = 0.02;  ///< two ways of connecting, once connected
inline constexpr double noise = 0.001;     ///< two values nearer than that do not differ

/// Of the paper's margin: a relation that holds by less hardly holds.
inline constexpr double marginal = 0.1;

// Shapes of curves.
inline constexpr double flat = 0.05;           ///< (largest - least) / largest
inline constexpr double against_trend = 0.01;  ///< a step back that a trend may have
inline constexpr double knee = 0.03;           ///< level within this; worse by more than this
inline constexpr double dip = 0.01;
inline constexpr double jump = 0.03;
// Words for a change, without gaps and overlaps: level, then weak ("slightly", "insignificant"),
// medium ("considerable", "clearly"), strong ("significantly"). The first limit is `alike`.
inline constexpr double strong = 0.25;
inline constexpr double peak = 0.05;  ///< within this of the peak is at the peak

}  // namespace railyard::reproduce::choice
