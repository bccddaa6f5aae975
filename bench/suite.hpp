#pragma once
/// The benchmarks, each a function that measures one or more figures, and what they share: figures,
/// and ours against the reference in turns. The list of them is in suite.cpp.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/job.hpp"

namespace railyard::bench {

/// A figure of merit: a number of ours, the reference that was measured beside it, and what the
/// project holds itself to.
struct Target {
    enum class Kind { at_most, at_least, within };
    Kind kind;
    double value;          ///< the ratio; for an absolute target, ours itself
    double tolerance = 0;  ///< within: value ± tolerance
    bool absolute = false;
};

struct Figure {
    std::string name;  ///< "rdma-write/64K"
    std::string unit;
    double ours = 0;
    std::optional<double> reference{};
    /// Not quite ours / reference: the median of the rounds' own ratios, since the two sides of one
    /// round have seen the same disturbances.
    std::optional<double> ratio{};
    std::optional<Target> target{};  ///< none: for information
    std::string note{};              ///< where, or which, in a few words
};

enum class Verdict { ok, below, information };
Verdict judge(const Figure& figure);

std::string_view name(Verdict verdict);  ///< "ok", "short", "-"
std::string to_string(const Target& target);

using Report = std::function<void(const Figure&)>;

/// Ours against the reference, in one job on the same two cores, taking turns: what disturbs the
/// machine disturbs both.
double median(std::vector<double> values);

struct Score {
    double ours = 0;       ///< median of the rounds
    double reference = 0;  ///< likewise
    double ratio = 0;      ///< median of the rounds' ratios
};

/// Calls both `rounds` times in turn. Every rank of the job takes part; the result is of interest
/// on rank 0.
Score duel(unsigned rounds, const std::function<double()>& ours,
           const std::function<double()>& reference);

/// Runs `body` on that many ranks of shm and returns what rank 0 and all others delivered. Throws
/// Error when the job fails.
std::vector<std::string> run_job(int ranks, const job::Body& body);

/// How measured numbers travel from a rank to the bench: as their bytes.
std::string pack(const std::vector<double>& numbers);
std::vector<double> unpack(const std::string& text);

/// What a run is asked for.
struct Settings {
    unsigned rounds = 7;  ///< how often ours and the reference take turns
};

struct Benchmark {
    std::string_view name;     ///< its figures are called so, or "name/…"
    std::string_view summary;  ///< one line, no full stop
    void (*run)(const Settings&, const Report&);
};

std::span<const Benchmark> all();

/// Something whose memory is a figure. It is run in a process of its own (railyard-bench
/// --peak-memory NAME), as what ran before leaves memory behind.
struct MemoryBenchmark {
    std::string_view name;
    void (*run)();
};

std::span<const MemoryBenchmark> all_of_memory();

/// Runs that benchmark here; how many bytes this process has had resident at most. For a new
/// process.
double run_for_memory(std::string_view name);
/// The same in a process of its own.
double peak_memory(std::string_view name);

}  // namespace railyard::bench
