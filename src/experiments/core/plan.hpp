#pragma once
/// What is to be measured: which experiments, on which fabrics, with which parameters.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "launch/agents/peer_job.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::experiments {

/// What the user asks for. Empty or unset: each experiment's own default.
struct Wishes {
    std::vector<Bytes> sizes{};
    std::vector<fabric::Op> ops{};  ///< each experiment measures those that it knows
    std::vector<unsigned> queues{};
    std::vector<unsigned> buffers{};
    std::optional<unsigned> window{};
    std::optional<Memory> memory{};
    std::optional<Library> mpi{};  ///< unset: native
    std::optional<unsigned> iterations{};
    std::optional<unsigned> warmup{};
    bool quick = false;  ///< fewer iterations, and of the default sizes only some
};

struct Plan {
    std::vector<const Experiment*> experiments{};
    std::vector<std::string> fabrics{};
    Wishes wishes{};
    std::optional<int> ranks{};  ///< unset: as few as each experiment needs
    /// Of experiments with variants, only those with these parameters, as people read them.
    std::vector<std::pair<std::string, std::string>> only{};
    std::optional<job::Kind> kind{};  ///< unset: as the fabric's clock demands
    bool pin = true;
    std::filesystem::path trace{};  ///< as in job::Options; of one experiment on one fabric
    /// One of the two ranks is here, and the other where this says.
    std::optional<agents::PeerOptions> peer{};
};

/// Throws UsageError for a plan that cannot be carried out: an operation that no experiment knows,
/// an option that none of them has, a size that a fabric does not carry.
void check(const Plan& plan);

/// The jobs that `experiment` consists of on a fabric with these traits: none if the plan wants
/// only such as it does not have there. `ranks` is 0 in none of them.
std::vector<Variant> variants_of(const Experiment& experiment, const fabric::Traits& traits,
                                 const Plan& plan);

/// What `experiment` measures under these wishes.
Request resolve(const Experiment& experiment, const Wishes& wishes);

}  // namespace railyard::experiments
