#include "programs/runs/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "launch/job/job.hpp"
#include "mpi/calls/call.hpp"
#include "mpi/recording/recorder.hpp"
#include "mpi/traces/lanes.hpp"
#include "mpi/traces/otf2.hpp"
#include "mpi/traces/perfetto.hpp"
#include "mpi/traces/summary.hpp"
#include "programs/runs/account.hpp"
#include "programs/runs/computation.hpp"
#include "programs/runs/replay.hpp"
#include "railyard/base/error.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"
#include "railyard/host.hpp"

namespace railyard::runs {

namespace {

/// Watches the calls of one rank: charges what it computed before each, and counts the time in it.
class RankWatch final : public mpi::calls::CallWatch {
  public:
    /// All outlive it.
    RankWatch(Account& account, Computation& computation, RunProgress* progress, fabric::Host& host,
              int rank)
        : account_(account),
          computation_(computation),
          progress_(progress),
          host_(host),
          rank_(static_cast<std::size_t>(rank)) {}

    void entered(mpi::calls::Function function,
                 std::span<const mpi::calls::Word> arguments) override;
    void left(mpi::calls::Function function) override;
    void finalised(const mpi::Counters& counters) override {
        account_.add_rank(counters);
        has_begun_ = false;
    }
    /// The program reads a clock of its own: what it has computed takes its time first.
    void charge_computation();

  private:
    void mark(int level);

    Account& account_;
    Computation& computation_;
    RunProgress* progress_;  ///< null: nobody looks on
    fabric::Host& host_;
    const std::size_t rank_;
    unsigned depth_ = 0;  ///< calls that the rank is inside of
    /// MPI_Pcontrol(-n) says that n steps are to come, and is no call otherwise: it is not counted,
    /// and what the rank computes goes on.
    bool is_hint_ = false;
    bool has_begun_ = false;    ///< MPI_Init has been left, and MPI_Finalize not begun
    Time entered_at_;           ///< the outermost one
    std::optional<Time> mark_;  ///< since when the program wants to be measured
    Duration marked_;           ///< what it was before
};

/// What threads of the rank's program have computed.
Duration beside() {
    Guest* const guest = rank_local::here->guest;
    return guest != nullptr ? guest->computed_beside() : Duration();
}

/// A program's words as main has them; one copy a rank, since programs may write into them.
class Arguments {
  public:
    explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
        for (std::string& word : words_)
            pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
    }
    int count() const { return static_cast<int>(words_.size()); }
    char** values() { return pointers_.data(); }

  private:
    std::vector<std::string> words_;
    std::vector<char*> pointers_;
};

/// What ranks record, by rank.
std::vector<mpi::recording::HeapStore> stores_for(const Options& options) {
    std::vector<mpi::recording::HeapStore> stores;
    if (options.record || !options.job.trace.empty())
        for (int rank = 0; rank < options.job.ranks; ++rank)
            stores.emplace_back(options.job.ranks);
    return stores;
}

bool is_replayed(const Program& program) {
    return program.main == nullptr && program.executable == nullptr;
}

std::vector<std::string> words_of(const std::vector<Program>& programs) {
    std::vector<std::string> all;
    for (const Program& program : programs) {
        if (!all.empty()) all.emplace_back(":");
        all.insert(all.end(), program.start.words.begin(), program.start.words.end());
    }
    return all;
}

const Program& program_of(int rank, const std::vector<Program>& programs) {
    std::size_t i = 0;
    for (; i + 1 < programs.size() && rank >= programs[i].ranks; ++i)
        rank -= programs[i].ranks;
    return programs[i];
}

/// The rank's own, in that one.
std::string make_directory(const std::string& parent, int rank) {
    const std::filesystem::path own = std::filesystem::path(parent) / std::to_string(rank);
    std::error_code failed;
    std::filesystem::create_directories(own, failed);
    if (failed)
        throw Error(
            fmt::format("cannot make the directory {}: {}", own.string(), failed.message()));
    return own.string();
}

/// In so many equal parts a page shows the time.
constexpr std::size_t parts_of_lanes = 480;

int nodes_of(const job::Options& job) {
    if (job.nodes.empty()) return job.ranks;
    return static_cast<int>(std::set(job.nodes.begin(), job.nodes.end()).size());
}

}  // namespace

void RankWatch::entered(mpi::calls::Function function,
                        std::span<const mpi::calls::Word> arguments) {
    if (depth_++ > 0) return;
    is_hint_ = function == mpi::calls::Function::Pcontrol && static_cast<int>(arguments[0]) < 0;
    if (is_hint_) {
        if (progress_ != nullptr)
            progress_->left(-static_cast<std::int64_t>(static_cast<int>(arguments[0])));
        return;
    }
    // Before MPI_Init there is no call to have computed since.
    if (computation_.is_charged() && function != mpi::calls::Function::Init) {
        const Duration computed = computation_.end(rank_, function, arguments, beside());
        account_.add_computation(computed);
        host_.compute(computed);
    }
    entered_at_ = host_.now();
    if (function == mpi::calls::Function::Pcontrol) mark(static_cast<int>(arguments[0]));
}

/// The standard leaves to us what the levels mean: 0 ends what a higher one has begun.
void RankWatch::mark(int level) {
    if (level > 0 && !mark_) mark_ = host_.now();
    if (level > 0 || !mark_) return;
    marked_ += host_.now() - *mark_;
    mark_.reset();
    account_.add_marked(marked_);
}

bool begins_mpi(mpi::calls::Function function) {
    using enum mpi::calls::Function;
    return function == Init || function == Init_thread || function == Session_init;
}

void RankWatch::left(mpi::calls::Function function) {
    if (--depth_ > 0 || is_hint_) return;
    const Time now = host_.now();
    account_.add_call(function, now - entered_at_);
    if (progress_ != nullptr) progress_->call_done(now);
    if (begins_mpi(function) && !has_begun_) {
        has_begun_ = true;
        account_.add_start(host_.now());
    }
    if (computation_.is_charged()) computation_.begin(rank_);
}

void RankWatch::charge_computation() {
    if (!has_begun_ || depth_ > 0 || !computation_.is_charged()) return;
    const Duration computed = computation_.end(rank_, mpi::calls::Function::Wtime, {}, beside());
    account_.add_computation(computed);
    host_.compute(computed);
    computation_.begin(rank_);
}

RecordedProgram recorded_program(const std::filesystem::path& file) {
    Recording recording = read_recording(file);
    std::vector<std::string> words = std::move(recording.arguments);
    words.insert(words.begin(), recording.program);
    return {std::move(words), static_cast<int>(recording.ranks.size())};
}

Outcome run(const Options& options) {
    const std::vector<std::string> words = words_of(options.programs);
    Computation computation(options.compute, words, options.job.ranks);
    if (is_replayed(options.programs.front()))
        check_replayable(computation.recording(), options.compute.file.string());
    Account account;
    job::Options job = options.job;
    job.account_for_parts = true;
    std::vector<mpi::recording::HeapStore> stores = stores_for(options);
    // OTF2 has no place for the network's parts.
    const bool as_otf2 = mpi::traces::is_otf2(job.trace);
    if (as_otf2) {
        mpi::traces::expect_otf2();
        job.trace.clear();
    }
    if (!job.trace.empty()) {
        job.trace_above.processes = mpi::traces::ranks_process;
        job.trace_above.events = [&] {
            return perfetto_events(mpi::traces::read_run(stores),
                                   {job.trace_above.from, job.trace_above.to});
        };
    }
    std::vector<int> codes(static_cast<std::size_t>(job.ranks), 0);
    const auto body = [&](job::Rank& rank) {
        RankWatch watch(account, computation, options.progress, rank.host(), rank.id());
        mpi::calls::CallWatches watches;
        watches.add(watch);
        std::optional<mpi::recording::Recorder> recorder;
        if (!stores.empty()) {
            // After the other, which charges for computation: what comes then is the call.
            recorder.emplace(
                stores[static_cast<std::size_t>(rank.id())],
                mpi::recording::Identity{rank.id(), rank.size(), static_cast<int>(rank.node())},
                rank.host());
            watches.add(*recorder);
        }
        mpi::calls::watch_calls(&watches);
        const Program& program = program_of(rank.id(), options.programs);
        int& code = codes[static_cast<std::size_t>(rank.id())];
        if (program.executable != nullptr) {
            executables::Start start = program.start;
            if (!program.directories.empty())
                start.directory = make_directory(program.directories, rank.id());
            start.charge_computation = [&watch] { watch.charge_computation(); };
            code = program.executable->run(rank, start);
        } else if (program.main != nullptr) {
            Arguments arguments(program.start.words);
            code = program.main(arguments.count(), arguments.values());
        } else {
            replay_calls(computation.recording(), static_cast<std::size_t>(rank.id()));
        }
        // Where there were but sessions, MPI ends only now: while its calls are still watched.
        rank_local::here->destroy_slots();
        account.add_end(rank.host().now());
    };
    std::optional<SelfSampling> sampling;
    if (options.profile_self) sampling.emplace();
    job::Faults faults{options.faults, {}};
    const job::Result result =
        options.faults.empty() ? job::run(job, body) : job::run_with_faults(job, faults, body);

    if (as_otf2)
        write_otf2(mpi::traces::read_run(stores), {job.trace_above.from, job.trace_above.to},
                   options.job.trace);

    Outcome outcome;
    if (sampling) outcome.summary.self = sampling->end();
    outcome.ok = result.ok;
    outcome.failure = result.failure;
    outcome.exit_code = result.exit_code;
    const auto failed = std::ranges::find_if(codes, [](int code) { return code != 0; });
    if (result.ok && failed != codes.end()) outcome.exit_code = *failed;
    if (outcome.exit_code == 0) computation.finish();

    Summary& summary = outcome.summary;
    summary.words = words;
    summary.fabric = job.fabric;
    summary.ranks = job.ranks;
    summary.nodes = nodes_of(job);
    summary.compute = options.compute;
    if (!options.faults.empty()) summary.faults = std::move(faults.report);
    summary.receiver_not_ready = result.receiver_not_ready;
    summary.events = result.events;
    account.summarise(summary, result.parts);
    if (options.record) {
        const mpi::traces::RunRecord read = mpi::traces::read_run(stores);
        const auto recorded = mpi::traces::summarise(read);
        summary.recorded_text = details_of(recorded);
        summary.recorded_json = json_of(recorded);
        if (options.most_lanes > 0) {
            for (mpi::traces::Lane& lane : lanes_of(read, options.most_lanes, parts_of_lanes))
                summary.lanes.push_back({lane.first, lane.ranks, std::move(lane.bins)});
            summary.parts = result.parts;
        }
    }
    return outcome;
}

}  // namespace railyard::runs
