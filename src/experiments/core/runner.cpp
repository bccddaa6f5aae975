#include "experiments/core/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include "base/log.hpp"
#include "base/topology.hpp"
#include "launch/job/board.hpp"
#include "launch/job/job.hpp"
#include "launch/peers/peer_job.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

/// Any fabric of the real clock: raw experiments need its two pinned processes, not its Nics.
std::string real_fabric(const Plan& plan) {
    for (const std::string& name : plan.fabrics)
        if (job::find_fabric(name)->clock == fabric::Clock::real) return name;
    throw UsageError("a raw experiment needs a fabric that runs in real time");
}

/// "ports=2, mode=striping"
std::string text_of(const results::Parameters& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters)
        out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, results::to_string(value));
    return out;
}

/// All that the two sides of a run must agree on.
std::string text_of(const Request& request) {
    std::vector<std::uint64_t> sizes;
    for (const Bytes size : request.sizes)
        sizes.push_back(size.count());
    std::vector<std::string_view> ops;
    for (const fabric::Op op : request.ops)
        ops.push_back(fabric::name(op));
    return fmt::format(
        "sizes {}, ops {}, queues {}, buffers {}, window {}, memory {}, iterations {}, warmup {}{}",
        fmt::join(sizes, " "), fmt::join(ops, " "), fmt::join(request.queues, " "),
        fmt::join(request.buffers, " "), request.window, name(request.memory),
        request.iterations.value_or(0), request.warmup.value_or(0), request.quick ? ", quick" : "");
}

/// One experiment on one fabric in one of its variants, as one job.
class Step {
  public:
    Step(const Plan& plan, const Experiment& experiment, const std::string& fabric,
         const Variant& variant)
        : experiment_(experiment), request_(resolve(experiment, plan.wishes)) {
        const fabric::Traits& traits = *job::find_fabric(fabric);
        // What a fabric cannot do is left out, so that one command serves all fabrics.
        if (!experiment.raw && !traits.write_immediate)
            nothing_left_ =
                std::erase(request_.ops, fabric::Op::rdma_write_imm) > 0 && request_.ops.empty();
        surroundings_ = {.fabric = experiment.raw ? std::string(host_fabric) : fabric,
                         .virtual_time = traits.clock == fabric::Clock::virtual_time,
                         .parameters = variant.parameters};
        name_ = fmt::format("{} on {}", experiment.name, surroundings_.fabric);
        if (!variant.parameters.empty()) name_ += fmt::format(" ({})", text_of(variant.parameters));
        options_.ranks = variant.ranks;
        options_.fabric = fabric;
        if (surroundings_.virtual_time)
            for (int rank = 0; rank < options_.ranks; ++rank)
                options_.nodes.push_back(
                    static_cast<fabric::NodeId>(rank / experiment.ranks_per_node));
        options_.kind = plan.kind;
        options_.pin = plan.pin;
        options_.trace = plan.trace;
        if (experiment.mpi) choose(plan.wishes.mpi.value_or(Library::native), variant);
        peer_ = plan.peer;
        if (peer_) peer_->task = fmt::format("{}, {}", name_, text_of(request_));
    }

    const std::string& name() const { return name_; }
    /// Whether it may run beside others: in virtual time, and no file of its own is written.
    bool stands_alone() const { return surroundings_.virtual_time && options_.trace.empty(); }

    job::Result run(const Progress& progress) const {
        if (nothing_left_) return {};
        const Progress labelled = [&](std::string_view what) {
            if (progress) progress(fmt::format("{}: {}", name_, what));
        };
        const auto body = [&](job::Rank& rank) {
            Context context(rank, experiment_, request_, surroundings_, labelled);
            context.progress("starting");
            experiment_.run(context);
        };
        return peer_ ? peers::run_with_peer(options_, *peer_, body) : job::run(options_, body);
    }

  private:
    void choose(Library library, const Variant& variant) {
        surroundings_.parameters[results::parameter::mpi] = std::string(experiments::name(library));
        auto& settings = options_.settings[mpi::Settings::section];
        settings = variant.settings;
        settings.emplace_back("library", experiments::name(library));
    }

    const Experiment& experiment_;
    Request request_;
    Surroundings surroundings_;
    std::string name_;
    job::Options options_;
    bool nothing_left_ = false;  ///< of what was asked for
    std::optional<peers::PeerOptions> peer_;
};

std::vector<Step> steps(const Plan& plan) {
    std::vector<Step> out;
    for (const Experiment* experiment : plan.experiments) {
        const std::vector<std::string> fabrics =
            experiment->raw ? std::vector{real_fabric(plan)} : plan.fabrics;
        for (const std::string& fabric : fabrics)
            for (const Variant& variant : variants_of(*experiment, *job::find_fabric(fabric), plan))
                out.emplace_back(plan, *experiment, fabric, variant);
    }
    return out;
}

/// Steps of virtual time depend on nothing but themselves, so they run side by side, in as many
/// processes as `workers`. Results are in the order of the steps: how they were spread shows
/// nowhere.
std::vector<job::Result> run_side_by_side(std::span<const Step> steps, int workers,
                                          const Progress& progress) {
    const job::AnonymousMemory shared(Bytes(sizeof(std::atomic<std::size_t>)));
    auto& next = *new (shared.span().data()) std::atomic<std::size_t>(0);
    // A worker is a rank of a job of processes, which hears of its death and ends it in time.
    job::Options options;
    options.ranks = workers;
    options.pin = false;
    const job::Result pool = job::run(options, [&](job::Rank& worker) {
        // Relaxed: nothing but the number itself is handed over.
        for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < steps.size();) {
            const job::Result result = steps[i].run(progress);
            for (const std::string& line : result.delivered)
                worker.deliver(fmt::format("{} row {}", i, line));
            if (!result.ok)
                worker.deliver(fmt::format("{} failed {} {}", i, result.exit_code, result.failure));
        }
    });
    std::vector<job::Result> results(steps.size());
    for (const std::string& told : pool.delivered) {
        std::istringstream words(told);
        std::size_t i = 0;
        std::string what;
        words >> i >> what;
        job::Result& result = results.at(i);
        if (what == "failed") words >> result.exit_code;
        std::string rest(std::istreambuf_iterator<char>(words.ignore()), {});
        if (what == "row") {
            result.delivered.push_back(std::move(rest));
        } else {
            result.ok = false;
            result.failure = std::move(rest);
        }
    }
    // Which step a dead worker was at is not known: none can be trusted.
    if (!pool.ok)
        for (job::Result& result : results)
            result = {
                .ok = false, .failure = pool.failure, .exit_code = pool.exit_code, .delivered = {}};
    return results;
}

/// How many processes may share this work; one where its steps must follow each other.
int workers_for(std::span<const Step> steps, unsigned jobs) {
    if (!std::ranges::all_of(steps, &Step::stands_alone)) return 1;
    const std::size_t wanted = jobs != 0 ? jobs : allowed_cores().size();
    return static_cast<int>(std::min(wanted, steps.size()));
}

Outcome outcome_of(std::span<const Step> steps, std::span<const job::Result> results) {
    Outcome outcome;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string& name = steps[i].name();
        if (!results[i].ok) {
            outcome.failure = fmt::format("{}: {}", name, results[i].failure);
            outcome.exit_code = results[i].exit_code;
            break;
        }
        if (results[i].delivered.empty())
            log_warning("{}: nothing that was asked for can be measured here", name);
        for (const std::string& line : results[i].delivered)
            outcome.rows.push_back(results::from_json_line(line, name));
    }
    return outcome;
}

std::vector<job::Result> run_in_turn(std::span<const Step> steps, const Progress& progress) {
    std::vector<job::Result> results;
    for (const Step& step : steps) {
        results.push_back(step.run(progress));
        if (!results.back().ok) break;
    }
    return results;
}

}  // namespace

std::vector<Outcome> run(std::span<const Plan> plans, const Progress& progress, unsigned jobs) {
    std::vector<Step> all;
    std::vector<std::size_t> ends;
    for (const Plan& plan : plans) {
        check(plan);
        std::ranges::move(steps(plan), std::back_inserter(all));
        ends.push_back(all.size());
    }
    const std::span<const Step> every = all;
    const int workers = workers_for(every, jobs);
    std::vector<job::Result> results;
    if (workers > 1) results = run_side_by_side(every, workers, progress);
    std::vector<Outcome> outcomes;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
        const auto own = every.subspan(first, end - first);
        outcomes.push_back(workers > 1
                               ? outcome_of(own, std::span(results).subspan(first, own.size()))
                               : outcome_of(own, run_in_turn(own, progress)));
        first = end;
    }
    return outcomes;
}

Outcome run(const Plan& plan, const Progress& progress, unsigned jobs) {
    return std::move(run(std::span(&plan, 1), progress, jobs).front());
}

}  // namespace railyard::experiments
