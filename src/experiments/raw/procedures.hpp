#pragma once
/// The physical limits of two cores of this machine, each as a plain function on a raw pair. Both
/// ranks call them alike; what they return is of interest on rank 0.

#include <span>
#include <string>
#include <vector>

#include "experiments/core/sampling.hpp"
#include "experiments/raw/pair.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::experiments::raw {

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
