#pragma once
/// The NAS kernels that come recorded (data/kernels/), and what makes the times of the processor
/// that computed them those of the paper's (data/kernels/slowdown.toml).

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "programs/runs/recording.hpp"

namespace railyard::experiments {

struct RecordedKernel {
    std::string kernel;         ///< "cg"
    std::string problem_class;  ///< "A"
    int ranks = 0;
    std::string_view bytes;  ///< the recording, compressed
};

/// By kernel, class and ranks.
std::span<const RecordedKernel> recorded_kernels();

/// Null if there is none.
const RecordedKernel* find_recording(std::string_view kernel, std::string_view problem_class,
                                     int ranks);

/// Read once for all ranks that hold it. Throws Error.
std::shared_ptr<const runs::Recording> read(const RecordedKernel& recorded);

/// By how much the paper's processor is slower. Throws Error if nobody says so.
double slowdown(std::string_view kernel);

}  // namespace railyard::experiments
