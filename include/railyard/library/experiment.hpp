#pragma once
/// Experiments of your own: a function that every rank of a job runs, on any number of fabrics,
/// and rows that `railyard compare` and `railyard report` read like those of the shipped ones.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"
#include "railyard/host.hpp"
#include "railyard/library/job.hpp"
#include "railyard/results/results.hpp"
#include "railyard/results/row.hpp"

namespace railyard {

/// One run of an experiment on one fabric, as a rank sees it.
class Trial {
  public:
    Trial(Rank& rank, std::string_view experiment, std::string_view fabric)
        : rank_(rank), experiment_(experiment), fabric_(fabric) {}

    Rank& rank() { return rank_; }
    /// In virtual time nothing is noisy: few iterations are enough.
    bool virtual_time() { return rank_.nic().traits().clock == fabric::Clock::virtual_time; }

    /// Hands a row over; its value is the median. Only what rank 0 emits counts, so that all ranks
    /// can run the same code.
    void emit(results::Parameters parameters, std::string_view metric, std::string_view unit,
              const results::Statistics& statistics);

  private:
    Rank& rank_;
    std::string_view experiment_;
    std::string_view fabric_;
};

struct Experiment {
    std::string name{};
    int ranks = 2;
    std::function<void(Trial&)> run{};
};

/// Runs it on each of the fabrics, and gives the rows with the machine they are from. Throws Error
/// at the first that fails, and UsageError for a fabric that is not there.
results::Results measure(const Experiment& experiment, std::span<const std::string> fabrics);

/// As a file that `railyard compare` and `railyard report` read. Throws Error.
void write(const results::Results& results, const std::filesystem::path& path);

/// Calls `run()` `warmup` times, then times `samples` batches of `batch` calls each, since one
/// small message takes no longer than reading the clock. In microseconds a call.
template <class Run>
std::vector<double> time_calls(fabric::Host& host, unsigned warmup, unsigned samples,
                               unsigned batch, Run&& run) {
    std::vector<double> times;
    times.reserve(samples);
    for (unsigned i = 0; i < warmup; ++i)
        run();
    for (unsigned sample = 0; sample < samples; ++sample) {
        const Time start = host.now();
        for (unsigned i = 0; i < batch; ++i)
            run();
        times.push_back((host.now() - start).microseconds() / batch);
    }
    return times;
}

}  // namespace railyard
