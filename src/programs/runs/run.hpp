#pragma once
/// Runs an MPI program in virtual time, with its computation charged as asked for, and tells what
/// came of it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/job.hpp"
#include "programs/executables/executable.hpp"
#include "programs/executables/start.hpp"
#include "programs/runs/compute_choice.hpp"
#include "programs/runs/run_progress.hpp"
#include "programs/runs/self_profile.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"

namespace railyard::runs {

/// Of a number that each rank has.
struct Spread {
    std::uint64_t least = 0;
    double mean = 0;
    std::uint64_t most = 0;
};

struct Traffic {
    std::string_view protocol;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// Messages whose bytes stayed behind, of all ranks together.
struct WithoutContent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// Time of all ranks together, in whole picoseconds: exact in whatever order it is added up, and
/// longer than one Duration can be.
class TimeSum {
  public:
    void add(Duration time) { add(time.picoseconds() / second, time.picoseconds() % second); }
    void add(const TimeSum& other) { add(other.seconds_, other.picoseconds_); }
    /// `time` of each of `n`.
    static TimeSum of(Duration time, std::int64_t n) {
        TimeSum sum;
        sum.add(time.picoseconds() / second * n, time.picoseconds() % second * n);
        return sum;
    }
    /// Never less for a longer time, so that a part is never more than the whole.
    double seconds() const {
        return static_cast<double>(seconds_) +
               static_cast<double>(picoseconds_) / static_cast<double>(second);
    }

  private:
    static constexpr std::int64_t second = 1'000'000'000'000;

    void add(std::int64_t seconds, std::int64_t picoseconds) {
        picoseconds_ += picoseconds;
        seconds_ += seconds + picoseconds_ / second;
        picoseconds_ %= second;
    }

    std::int64_t seconds_ = 0;
    std::int64_t picoseconds_ = 0;  ///< less than a second
};

/// Of all ranks together.
struct CallTime {
    std::string_view function;  ///< "MPI_Send"
    std::uint64_t calls = 0;
    double seconds = 0;
};

/// What a run came to.
struct Summary {
    std::vector<std::string> words;  ///< the program and its arguments; several apart by ":"
    std::string fabric;
    int ranks = 0;
    int nodes = 0;
    ComputeChoice compute;
    double computed_seconds = 0;  ///< charged for computation, of all ranks together

    Duration virtual_time;  ///< until the last rank's end
    Duration start_up;      ///< until the last rank had left MPI_Init
    /// Between MPI_Pcontrol(1) and MPI_Pcontrol(0), of the rank that took longest; none: no rank
    /// called it.
    std::optional<Duration> marked_time;
    Spread connecting_ns;          ///< of a rank: while a connection was being made
    std::vector<Traffic> traffic;  ///< by the protocols that were used
    WithoutContent without_content;
    Spread connections;                    ///< that a rank has made
    Spread connection_bytes;               ///< of memory that a rank holds for them
    Spread pinned_bytes;                   ///< the same, and of users' memory, at its most
    std::vector<CallTime> calls;           ///< those made, longest first
    TimeSum mpi_time;                      ///< in all of them
    std::vector<fabric::PartUse> busiest;  ///< one of each kind that there is
    /// How often the interconnect brought a message and found no receive.
    std::uint64_t receiver_not_ready = 0;
    std::uint64_t events = 0;  ///< that the model has gone through

    std::optional<SelfProfile> self;  ///< where the run's own time went, if that was asked for

    // What was recorded, if that was asked for: see mpi/traces/summary.hpp.
    std::string recorded_text;
    std::string recorded_json;
    /// What ranks did in equal parts of the time: see mpi/traces/lanes.hpp.
    struct Lane {
        int first = 0;
        int ranks = 1;
        std::string bins;
    };
    std::vector<Lane> lanes;
    std::vector<fabric::PartUse> parts;  ///< all that were busy

    std::optional<fabric::FaultReport> faults;  ///< what faults did, if there was a script
    std::optional<Duration> without_faults;     ///< what a run without them took, if that was asked

    /// What runs are compared by: between the program's marks, or else after MPI_Init.
    Duration compared_time() const { return marked_time.value_or(virtual_time - start_up); }
    std::uint64_t messages() const {
        std::uint64_t sum = 0;
        for (const Traffic& one : traffic)
            sum += one.messages;
        return sum;
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const Traffic& one : traffic)
            sum += one.bytes;
        return sum;
    }
    /// The ranks' time in all; never 0.
    double rank_seconds() const {
        const double all = TimeSum::of(virtual_time, ranks).seconds();
        return all > 0 ? all : 1;
    }
    double mpi_seconds() const { return mpi_time.seconds(); }
    /// The part of its time that all ranks together spent in MPI.
    double mpi_share() const { return mpi_seconds() / rank_seconds(); }
    double share(const fabric::PartUse& part) const {
        return virtual_time > Duration() ? part.busy / virtual_time : 0;
    }
};

/// What some of the ranks run. With neither `main` nor `executable`, the calls of the recording
/// that Options::compute replays are made again.
struct Program {
    int ranks = 0;  ///< how many run it
    int (*main)(int argc, char** argv) = nullptr;
    /// In place of `main`: every rank runs a copy of it.
    const executables::Executable* executable = nullptr;
    executables::Start start;  ///< of a `main`, the words alone
    /// Each rank works in a directory of its own in there, which is made; empty: in `start`'s.
    std::string directories{};
};

struct Options {
    std::vector<Program> programs;  ///< the first one's ranks come first
    job::Options job;               ///< on a fabric of virtual time
    ComputeChoice compute;
    std::string faults{};  ///< the path of a script of faults (docs/faults.md); empty: none
    /// Calls and messages are recorded: for the summary, and for the job's trace if it has one.
    bool record = false;
    bool profile_self = false;  ///< Summary::self is wanted
    /// Kept up to date while it runs, for others to look at; null: nobody does.
    RunProgress* progress = nullptr;
    /// Time lines and all parts go into the summary, too; no more than so many lanes.
    int most_lanes = 0;
};

struct Outcome {
    bool ok = true;       ///< all ranks have come to their end; else ...
    std::string failure;  ///< ... why not
    int exit_code = 0;    ///< the job's, or what the first rank returned that did not return 0
    Summary summary;
};

/// What a recording is of. Throws Error.
struct RecordedProgram {
    std::vector<std::string> words;  ///< its name, then its arguments
    int ranks;
};
RecordedProgram recorded_program(const std::filesystem::path& file);

/// Throws UsageError for options that make no sense, and Error for files that cannot be read or
/// written: before anything runs, or, of a recording, after all has.
Outcome run(const Options& options);

}  // namespace railyard::runs
