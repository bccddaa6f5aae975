#include "programs/runs/run.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "launch/job/job.hpp"
#include "mpi/calls/call.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/recording/recorder.hpp"
#include "mpi/traces/otf2.hpp"
#include "mpi/traces/perfetto.hpp"
#include "mpi/traces/summary.hpp"
#include "programs/executables/executable.hpp"
#include "programs/runs/computation.hpp"
#include "programs/runs/replay.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"
#include "railyard/host.hpp"

namespace railyard::runs {

namespace {

/// Collects what the summary says, of all ranks of one run, which are fibers of one thread.
class Account {
  public:
    void add_call(mpi::calls::Function function, Duration time) {
        Calls& calls = calls_[static_cast<std::size_t>(function)];
        ++calls.calls;
        calls.time.add(time);
    }
    void add_computation(Duration time) { computed_.add(time); }
    void add_rank(const mpi::Counters& counters) { counters_.push_back(counters); }
    void add_end(Time end) { end_ = end > end_ ? end : end_; }
    void add_start(Time start) { start_ = start > start_ ? start : start_; }
    /// Of one rank.
    void add_marked(Duration time) {
        if (!marked_ || time > *marked_) marked_ = time;
    }

    /// Fills in what has been collected. Of `parts`, the busiest of each kind.
    void summarise(Summary& summary, const std::vector<fabric::PartUse>& parts) const;

  private:
    struct Calls {
        std::uint64_t calls = 0;
        TimeSum time;
    };
    std::array<Calls, mpi::calls::function_count> calls_{};
    std::vector<mpi::Counters> counters_;  ///< of ranks that have finalised MPI
    TimeSum computed_;
    Time start_;
    Time end_;
    std::optional<Duration> marked_;
};

/// Watches the calls of one rank: charges what it computed before each, and counts the time in it.
class RankWatch final : public mpi::calls::CallWatch {
  public:
    /// All outlive it.
    RankWatch(Account& account, Computation& computation, fabric::Host& host, int rank)
        : account_(account),
          computation_(computation),
          host_(host),
          rank_(static_cast<std::size_t>(rank)) {}

    void entered(mpi::calls::Function function,
                 std::span<const mpi::calls::Word> arguments) override;
    void left(mpi::calls::Function function) override;
    void finalised(const mpi::Counters& counters) override {
        account_.add_rank(counters);
        is_between_ = false;
    }
    /// The program reads a clock of its own: what it has computed takes its time first.
    void charge_computation();

  private:
    void mark(int level);

    Account& account_;
    Computation& computation_;
    fabric::Host& host_;
    const std::size_t rank_;
    unsigned depth_ = 0;        ///< calls that the rank is inside of
    bool is_between_ = false;   ///< MPI_Init has been left, and MPI_Finalize not begun
    Time entered_at_;           ///< the outermost one
    std::optional<Time> mark_;  ///< since when the program wants to be measured
    Duration marked_;           ///< what it was before
};

Spread spread(const std::vector<mpi::Counters>& ranks, std::uint64_t mpi::Counters::*value) {
    if (ranks.empty()) return {};
    Spread found{.least = ~std::uint64_t{0}, .mean = 0, .most = 0};
    for (const mpi::Counters& counters : ranks) {
        found.least = std::min(found.least, counters.*value);
        found.most = std::max(found.most, counters.*value);
        found.mean += static_cast<double>(counters.*value);
    }
    found.mean /= static_cast<double>(ranks.size());
    return found;
}

std::vector<Traffic> traffic_of(const std::vector<mpi::Counters>& ranks) {
    Traffic eager{"eager"};
    Traffic rendezvous{"rendezvous"};
    Traffic tagged{"tagged port"};
    Traffic self{"to itself"};
    for (const mpi::Counters& c : ranks) {
        eager.messages += c.eager_sent;
        eager.bytes += c.bytes_sent - c.rendezvous_bytes - c.tagged_bytes - c.self_bytes;
        rendezvous.messages += c.rendezvous_sent;
        rendezvous.bytes += c.rendezvous_bytes;
        tagged.messages += c.tagged_sent;
        tagged.bytes += c.tagged_bytes;
        self.messages += c.self_sent;
        self.bytes += c.self_bytes;
    }
    std::vector<Traffic> used;
    for (const Traffic& one : {eager, rendezvous, tagged, self})
        if (one.messages > 0) used.push_back(one);
    return used;
}

std::vector<fabric::PartUse> busiest_of(const std::vector<fabric::PartUse>& parts) {
    using fabric::PartKind;
    std::vector<fabric::PartUse> busiest;
    for (const PartKind kind : {PartKind::link, PartKind::bus, PartKind::adapter}) {
        const fabric::PartUse* found = nullptr;
        for (const fabric::PartUse& part : parts)
            if (part.kind == kind && (found == nullptr || part.busy > found->busy)) found = &part;
        if (found != nullptr) busiest.push_back(*found);
    }
    return busiest;
}

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

int nodes_of(const job::Options& job) {
    if (job.nodes.empty()) return job.ranks;
    return static_cast<int>(std::set(job.nodes.begin(), job.nodes.end()).size());
}

}  // namespace

void Account::summarise(Summary& summary, const std::vector<fabric::PartUse>& parts) const {
    summary.virtual_time = end_.since_start();
    summary.start_up = start_.since_start();
    summary.marked_time = marked_;
    summary.connecting_ns = spread(counters_, &mpi::Counters::connecting);
    summary.computed_seconds = computed_.seconds();
    summary.traffic = traffic_of(counters_);
    summary.connections = spread(counters_, &mpi::Counters::connections);
    summary.connection_bytes = spread(counters_, &mpi::Counters::peer_bytes);
    summary.pinned_bytes = spread(counters_, &mpi::Counters::pinned_most);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        if (calls_[i].calls == 0) continue;
        summary.mpi_time.add(calls_[i].time);
        summary.calls.push_back(
            {mpi::calls::function_names[i], calls_[i].calls, calls_[i].time.seconds()});
    }
    std::stable_sort(summary.calls.begin(), summary.calls.end(),
                     [](const CallTime& a, const CallTime& b) { return a.seconds > b.seconds; });
    summary.busiest = busiest_of(parts);
}

void RankWatch::entered(mpi::calls::Function function,
                        std::span<const mpi::calls::Word> arguments) {
    if (depth_++ > 0) return;
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

void RankWatch::left(mpi::calls::Function function) {
    if (--depth_ > 0) return;
    account_.add_call(function, host_.now() - entered_at_);
    if (function == mpi::calls::Function::Init || function == mpi::calls::Function::Init_thread) {
        is_between_ = true;
        account_.add_start(host_.now());
    }
    if (computation_.is_charged()) computation_.begin(rank_);
}

void RankWatch::charge_computation() {
    if (!is_between_ || depth_ > 0 || !computation_.is_charged()) return;
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
    Computation computation(options.compute, options.words, options.job.ranks);
    if (options.main == nullptr && options.executable == nullptr)
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
        RankWatch watch(account, computation, rank.host(), rank.id());
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
        if (options.executable != nullptr) {
            codes[static_cast<std::size_t>(rank.id())] = options.executable->run(
                rank, {.words = options.words,
                       .label_output = job.label_output,
                       .charge_computation = [&watch] { watch.charge_computation(); }});
        } else if (options.main == nullptr) {
            replay_calls(computation.recording(), static_cast<std::size_t>(rank.id()));
        } else {
            Arguments arguments(options.words);
            codes[static_cast<std::size_t>(rank.id())] =
                options.main(arguments.count(), arguments.values());
        }
        account.add_end(rank.host().now());
    };
    job::Faults faults{options.faults, {}};
    const job::Result result =
        options.faults.empty() ? job::run(job, body) : job::run_with_faults(job, faults, body);

    if (as_otf2)
        write_otf2(mpi::traces::read_run(stores), {job.trace_above.from, job.trace_above.to},
                   options.job.trace);

    Outcome outcome;
    outcome.ok = result.ok;
    outcome.failure = result.failure;
    outcome.exit_code = result.exit_code;
    const auto failed = std::ranges::find_if(codes, [](int code) { return code != 0; });
    if (result.ok && failed != codes.end()) outcome.exit_code = *failed;
    if (outcome.exit_code == 0) computation.finish();

    Summary& summary = outcome.summary;
    summary.words = options.words;
    summary.fabric = job.fabric;
    summary.ranks = job.ranks;
    summary.nodes = nodes_of(job);
    summary.compute = options.compute;
    if (!options.faults.empty()) summary.faults = std::move(faults.report);
    summary.receiver_not_ready = result.receiver_not_ready;
    account.summarise(summary, result.parts);
    if (options.record) {
        const auto recorded = mpi::traces::summarise(mpi::traces::read_run(stores));
        summary.recorded_text = details_of(recorded);
        summary.recorded_json = json_of(recorded);
    }
    return outcome;
}

}  // namespace railyard::runs
