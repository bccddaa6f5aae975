#pragma once
/// What is to be measured: which experiments, on which fabrics, with which parameters; and how that
/// is carried out: each experiment on each fabric, a job for each of its variants.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "launch/job/job.hpp"
#include "launch/peers/peer_job.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/row.hpp"

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
    std::optional<int> ranks{};       ///< unset: as few as each experiment needs
    std::optional<int> most_ranks{};  ///< of experiments with variants, none with more
    /// Of experiments with variants, only those with these parameters, as people read them.
    std::vector<std::pair<std::string, std::string>> only{};
    std::optional<job::Kind> kind{};  ///< unset: as the fabric's clock demands
    bool pin = true;
    std::filesystem::path trace{};  ///< as in job::Options; of one experiment on one fabric
    /// One of the two ranks is here, and the other where this says.
    std::optional<peers::PeerOptions> peer{};
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

/// A step of a plan, an experiment on a fabric in one of its variants, that has ended well: what it
/// was, in words that tell it from all others, and its rows, a line of JSON each.
struct Finished {
    std::string task;
    std::vector<std::string> rows;
};

struct Outcome {
    std::vector<results::Row> rows;    ///< of all that ended well
    std::string failure;               ///< empty if all did; else what failed, where and why
    int exit_code = 0;                 ///< then, what a program should exit with
    std::vector<Finished> finished{};  ///< those that `rows` are of, for who goes on later

    bool time_is_up = false;  ///< what failed is that the time budget was used up

    /// Whether a signal ended the work, such as Ctrl-C: then exit_code is as a shell has it.
    bool ended_by_signal() const { return exit_code > 128; }
};

/// A signal ended the work, or time was up: what was measured until then is no result, but may be
/// kept.
class Stopped : public Error {
  public:
    Stopped(const std::string& what, int exit_code, std::vector<Finished> finished = {})
        : Error(what), exit_code_(exit_code), finished_(std::move(finished)) {}

    int exit_code() const { return exit_code_; }
    const std::vector<Finished>& finished() const { return finished_; }

  private:
    int exit_code_;
    std::vector<Finished> finished_;
};

/// The fabric that rows of raw experiments name: the machine itself.
inline constexpr std::string_view host_fabric = "host";

/// Hears what is being done: "12 of 40, 8 s left: latency-uni on shm: rdma_write 64 KiB". Called by
/// rank 0, which may be another process than the caller's.
using Progress = std::function<void(std::string_view)>;

/// How plans are carried out.
struct Carrying {
    unsigned jobs = 0;  ///< processes for what runs in virtual time; 0: as many as cores
    /// After that no further step begins, and those of real time share it. None: no end, and each
    /// step of real time has `usual_budget`.
    std::optional<Duration> time_budget{};
    std::vector<Finished> finished{};  ///< before: these steps are not run again
};
inline constexpr Duration usual_budget = Duration::s(10);

/// Checks the plan, then measures, and ends at the first experiment that fails. What
/// runs in virtual time is spread over `jobs` processes, none: as many as there are cores; it gives
/// the same rows in the same order.
Outcome run(const Plan& plan, const Progress& progress, unsigned jobs = 0);
/// The same for several plans, of which one that fails does not end the others.
std::vector<Outcome> run(std::span<const Plan> plans, const Progress& progress, unsigned jobs = 0);
std::vector<Outcome> run(std::span<const Plan> plans, const Progress& progress,
                         const Carrying& carrying);

}  // namespace railyard::experiments
