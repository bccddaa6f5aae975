#pragma once
/// What an experiment is: a description of what it measures and which parameters it understands,
/// and a function that every rank of a job runs. It knows no fabric, only its rank's Nic.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/core/pace.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/results/row.hpp"
#include "railyard/traits.hpp"
#include "railyard/work.hpp"

namespace railyard::experiments {

/// Whose memory the messages lie in: the Nic's own (Nic::allocate) or the user's, registered.
enum class Memory : std::uint8_t { nic, user };
std::string_view name(Memory memory);

/// Which MPI library an experiment on MPI runs: ours with its own settings, or with those that make
/// it cost and behave as the one of the papers did.
enum class Library : std::uint8_t { native, paper };
std::string_view name(Library library);

/// What a run is to measure. The runner fills in the experiment's defaults for all that the user
/// left open, so a list is empty only if the experiment does not know that parameter at all.
struct Request {
    std::vector<Bytes> sizes{};
    std::vector<fabric::Op> ops{};
    std::vector<unsigned> queues{};   ///< messages outstanding at most
    std::vector<unsigned> buffers{};  ///< used in turn
    unsigned window = 0;              ///< messages to a reply
    Memory memory = Memory::nic;
    /// Unset: as many as the experiment finds right for the size, the clock and `quick`.
    std::optional<unsigned> iterations{};
    std::optional<unsigned> warmup{};
    bool quick = false;  ///< a first look: far fewer iterations
    /// That measuring may take, where clocks are real; `iterations` counts more.
    std::optional<Duration> time_budget{};
};

/// One of several jobs that an experiment consists of, where not all can be measured in one: the
/// library is set up otherwise, or there are more ranks.
struct Variant {
    results::Parameters parameters{};                             ///< on every row of the job
    std::vector<std::pair<std::string, std::string>> settings{};  ///< of the MPI library, by name
    int ranks = 0;  ///< 0: as many as if there were no variants
};

struct Experiment;

/// Where a job runs, and what all its rows have in common.
struct Surroundings {
    std::string fabric{};
    bool virtual_time = false;
    results::Parameters parameters{};  ///< the variant's
};

/// What an experiment's function is given, one a rank.
class Context {
  public:
    /// What is being measured now, and which part of the job is done: from 0 to 1.
    using Progress = std::function<void(std::string_view, double)>;
    Context(job::Rank& rank, const Experiment& experiment, const Request& request,
            const Surroundings& surroundings, const Progress& progress);

    job::Rank& rank() { return rank_; }
    const Experiment& experiment() const { return experiment_; }
    const Request& request() const { return request_; }
    /// In virtual time nothing is noisy: the fewest iterations that reach the steady state do.
    bool virtual_time() const { return surroundings_.virtual_time; }
    /// Of the variant that runs; they are on every row without being named.
    const results::Parameters& parameters() const { return surroundings_.parameters; }

    /// Hands a row over. Experiment, fabric and the variant's parameters are filled in here. Only
    /// what rank 0 emits counts; other ranks may call it too, to no effect, so that all ranks can
    /// run the same code.
    void emit(results::Row row);
    /// The common case: the value is the median.
    void emit(results::Parameters parameters, std::string_view metric, std::string_view unit,
              const results::Statistics& statistics, bool steady = true);
    /// Says what is being measured now ("rdma_write 64 KiB"). Cheap, but not for inner loops.
    void progress(std::string_view what);
    /// Points of a sweep, one after the other: on all ranks alike, and outside of measurements.
    void begin_point(Bytes size, std::size_t number, std::size_t all);
    void end_point();
    /// Of the iterations that are wanted, those that the time budget allows: see Pace.
    unsigned afford(unsigned wanted, unsigned least) const { return pace_.afford(wanted, least); }
    /// Warns that part of what was asked for cannot be measured here: "striping: there is one
    /// port".
    void left_out(std::string_view what);

  private:
    job::Rank& rank_;
    const Experiment& experiment_;
    const Request& request_;
    const Surroundings& surroundings_;
    const Progress& progress_;
    mutable Pace pace_;  ///< remembers what it has granted
    double part_done_ = 0;
};

struct Experiment {
    std::string_view name{};          ///< "latency-uni"
    std::string_view summary{};       ///< one line, no full stop
    std::string_view source{};        ///< paper and figure: "liu04 fig. 2; liu04pcie figs. 2, 3"
    void (*run)(Context&) = nullptr;  ///< the same function on every rank; throws Error on failure

    int least_ranks = 2;
    int most_ranks = 2;
    /// How many run when nobody says otherwise: least_ranks, but in virtual time, where ranks cost
    /// nothing, this many if it is not 0.
    int virtual_ranks = 0;
    /// The same for real jobs, where more ranks than cores are slow.
    int real_ranks = 0;
    /// In virtual time ranks 0 … n-1 are on node 0, the next n on node 1. Real jobs are on one
    /// node.
    int ranks_per_node = 1;
    /// Measures the machine itself with raw code: needs the real clock and two processes, but opens
    /// no Nic. Runs once, whatever the fabrics, and its rows belong to the fabric "host".
    bool raw = false;
    /// Runs on the MPI library; all its rows say on which (see Library).
    bool mpi = false;
    /// The jobs it consists of on a fabric with these traits, if they are several: all with `ranks`
    /// ranks, where the user says how many. Null: there is one.
    std::vector<Variant> (*variants)(const fabric::Traits&, std::optional<int> ranks) = nullptr;

    /// What it measures when nobody says otherwise. An empty list (or a window of 0) means
    /// that it has no such parameter.
    Request defaults{};
    /// Every operation that it can measure; `defaults.ops` is among them.
    std::vector<fabric::Op> known_ops = defaults.ops;
    bool takes_memory = true;  ///< understands Request::memory
};

/// Those on the user-level interface and the raw ones, in user/list.cpp; those on MPI, in
/// mpi/list.cpp.
std::vector<Experiment> user_experiments();
std::vector<Experiment> mpi_experiments();
/// Every experiment there is, in the order in which people should meet them.
std::span<const Experiment> all();
/// Null if there is none of that name.
const Experiment* find(std::string_view name);

// What experiments have in common: they go through operations and sizes, and name them in their
// rows.

/// The largest message of the request.
Bytes largest_size(const Context& context);

/// {message_bytes, op, memory}; experiments add their own.
results::Parameters parameters_of(const Context& context, fabric::Op op, Bytes size);

/// Tells the user what is being measured now.
void announce(Context& context, fabric::Op op, Bytes size);

/// Calls `measure(op, size)` for all that the request names.
template <class Measure>
void sweep(Context& context, Measure&& measure) {
    const std::size_t all = context.request().ops.size() * context.request().sizes.size();
    std::size_t number = 0;
    for (const fabric::Op op : context.request().ops) {
        for (const Bytes size : context.request().sizes) {
            context.begin_point(size, number++, all);
            announce(context, op, size);
            measure(op, size);
            context.end_point();
        }
    }
}

}  // namespace railyard::experiments
