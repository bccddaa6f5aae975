#include "experiments/core/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <new>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "base/log.hpp"
#include "base/quantity.hpp"
#include "base/topology.hpp"
#include "experiments/core/advance.hpp"
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
        task_ = fmt::format("{}, {}, {} ranks", name_, text_of(request_), options_.ranks);
        peer_ = plan.peer;
        if (peer_) peer_->task = fmt::format("{}, {}", name_, text_of(request_));
    }

    const std::string& name() const { return name_; }
    /// What it measures, in all that matters.
    const std::string& task() const { return task_; }
    /// Operations at sizes, where it goes through such.
    std::size_t points() const {
        return std::max<std::size_t>(1, request_.ops.size()) *
               std::max<std::size_t>(1, request_.sizes.size());
    }
    int ranks() const { return options_.ranks; }
    bool is_real() const { return !surroundings_.virtual_time; }
    void allow(Duration time) { request_.time_budget = time; }
    /// Whether it may run beside others: in virtual time, and no file of its own is written.
    bool stands_alone() const { return surroundings_.virtual_time && options_.trace.empty(); }

    job::Result run(const Progress& progress, const Advance& advance) const {
        if (nothing_left_) return {};
        const Context::Progress labelled = [&](std::string_view what, double part) {
            if (progress)
                progress(advance.tell(fmt::format("{}: {}", name_, what),
                                      part * static_cast<double>(points())));
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
    std::string task_;
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

/// One call's steps, and what became of each: none has a result that was not reached.
class Work {
  public:
    Work(std::vector<Step> steps, const Progress& progress, const Carrying& carrying)
        : steps_(std::move(steps)),
          results_(steps_.size()),
          progress_(progress),
          budget_(carrying.time_budget),
          advance_(points_of(steps_)) {
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            const auto before =
                std::ranges::find(carrying.finished, steps_[i].task(), &Finished::task);
            if (before == carrying.finished.end()) continue;
            results_[i] = job::Result{.failure = {}, .delivered = before->rows};
            advance_.add(steps_[i].points());
        }
    }

    std::span<const Step> steps() const { return steps_; }
    std::span<const std::optional<job::Result>> results() const { return results_; }

    /// Until one fails, or time is up.
    void run_in_turn(std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end && !is_time_up(); ++i) {
            if (!results_[i]) run_alone(i);
            if (!results_[i] || !results_[i]->ok) return;
        }
    }
    /// Those from `first` to `end`, in as many processes as `workers`.
    void run_side_by_side(int workers, std::size_t first, std::size_t end);

  private:
    static std::size_t points_of(std::span<const Step> steps) {
        std::size_t sum = 0;
        for (const Step& step : steps)
            sum += step.points();
        return sum;
    }
    bool is_time_up() const { return budget_ && advance_.elapsed() > *budget_; }
    void run_alone(std::size_t i) {
        // What would die here of a signal would take the others' results with it.
        if (steps_.size() > 1 && steps_[i].stands_alone()) return run_side_by_side(1, i, i + 1);
        results_[i] = steps_[i].run(progress_, advance_);
        advance_.add(steps_[i].points());
    }
    std::vector<std::size_t> largest_first(std::size_t first, std::size_t end) const;
    void work(job::Rank& worker, std::atomic<std::size_t>& next,
              std::span<const std::size_t> order) const;
    void take(const std::string& told, std::vector<job::Result>& begun);

    std::vector<Step> steps_;
    std::vector<std::optional<job::Result>> results_;
    const Progress& progress_;
    std::optional<Duration> budget_;
    Advance advance_;
};

/// How long a step takes is not known; most of all, it is a matter of ranks. What comes last must
/// be short, or some workers have nothing to do meanwhile.
std::vector<std::size_t> Work::largest_first(std::size_t first, std::size_t end) const {
    std::vector<std::size_t> order(end - first);
    std::iota(order.begin(), order.end(), first);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) {
        return std::pair(steps_[i].ranks(), steps_[i].points());
    });
    return order;
}

void Work::work(job::Rank& worker, std::atomic<std::size_t>& next,
                std::span<const std::size_t> order) const {
    // Relaxed: nothing but the number itself is handed over.
    for (std::size_t at; (at = next.fetch_add(1, std::memory_order_relaxed)) < order.size();) {
        const std::size_t i = order[at];
        if (results_[i]) continue;
        if (is_time_up()) return;
        const job::Result result = steps_[i].run(progress_, advance_);
        advance_.add(steps_[i].points());
        for (const std::string& line : result.delivered)
            worker.deliver(fmt::format("{} row {}", i, line));
        worker.deliver(result.ok
                           ? fmt::format("{} done ", i)
                           : fmt::format("{} failed {} {}", i, result.exit_code, result.failure));
    }
}

void Work::take(const std::string& told, std::vector<job::Result>& begun) {
    std::istringstream words(told);
    std::size_t i = 0;
    std::string what;
    words >> i >> what;
    job::Result& result = begun.at(i);
    if (what == "failed") words >> result.exit_code;
    std::string rest(std::istreambuf_iterator<char>(words.ignore()), {});
    if (what == "row") {
        result.delivered.push_back(std::move(rest));
        return;
    }
    result.ok = what == "done";
    if (!result.ok) result.failure = std::move(rest);
    results_[i] = std::move(result);
}

/// Steps of virtual time depend on nothing but themselves. Results are in the order of the steps:
/// how they were spread shows nowhere.
void Work::run_side_by_side(int workers, std::size_t first, std::size_t end) {
    const job::AnonymousMemory shared(Bytes(sizeof(std::atomic<std::size_t>)));
    auto& next = *new (shared.span().data()) std::atomic<std::size_t>(0);
    const std::vector<std::size_t> order = largest_first(first, end);
    // A worker is a rank of a job of processes, which hears of its death and ends it in time.
    job::Options options;
    options.ranks = workers;
    options.pin = false;
    const job::Result pool =
        job::run(options, [&](job::Rank& worker) { work(worker, next, order); });
    std::vector<job::Result> begun(steps_.size());
    for (const std::string& told : pool.delivered)
        take(told, begun);
    if (pool.ok) return;
    // Which step a dead worker was at is not known: it may be any that has not ended.
    for (std::size_t i = first; i < end; ++i)
        if (!results_[i])
            results_[i] = job::Result{
                .ok = false, .failure = pool.failure, .exit_code = pool.exit_code, .delivered = {}};
}

/// How many processes may share this work; one where its steps must follow each other.
int workers_for(std::span<const Step> steps, unsigned jobs) {
    if (!std::ranges::all_of(steps, &Step::stands_alone)) return 1;
    const std::size_t wanted = jobs != 0 ? jobs : allowed_cores().size();
    return static_cast<int>(std::min(wanted, steps.size()));
}

Outcome outcome_of(const Work& work, std::size_t first, std::size_t end,
                   const std::optional<Duration>& budget) {
    Outcome outcome;
    for (std::size_t i = first; i < end; ++i) {
        const Step& step = work.steps()[i];
        const std::optional<job::Result>& result = work.results()[i];
        if (!result || !result->ok) {
            // The first that is missing is told; what ended well behind it is kept all the same.
            if (outcome.failure.empty()) {
                outcome.failure =
                    result ? fmt::format("{}: {}", step.name(), result->failure)
                           : fmt::format("{}: the time budget of {} is used up", step.name(),
                                         to_string(budget.value_or(Duration())));
                outcome.exit_code = result ? result->exit_code : 1;
                outcome.time_is_up = !result.has_value();
            }
            continue;
        }
        outcome.finished.push_back({step.task(), result->delivered});
        if (!outcome.failure.empty()) continue;
        if (result->delivered.empty())
            log_warning("{}: nothing that was asked for can be measured here", step.name());
        for (const std::string& line : result->delivered)
            outcome.rows.push_back(results::from_json_line(line, step.name()));
    }
    return outcome;
}

/// Those of real time share a budget that was asked for.
void share_time(std::vector<Step>& steps, const std::optional<Duration>& budget) {
    const auto count = std::ranges::count_if(steps, &Step::is_real);
    for (Step& step : steps)
        if (step.is_real()) step.allow(budget ? *budget / count : usual_budget);
}

}  // namespace

std::vector<Outcome> run(std::span<const Plan> plans, const Progress& progress,
                         const Carrying& carrying) {
    std::vector<Step> all;
    std::vector<std::size_t> ends;
    for (const Plan& plan : plans) {
        check(plan);
        std::ranges::move(steps(plan), std::back_inserter(all));
        ends.push_back(all.size());
    }
    share_time(all, carrying.time_budget);
    const int workers = workers_for(all, carrying.jobs);
    Work work(std::move(all), progress, carrying);
    if (workers > 1) work.run_side_by_side(workers, 0, work.steps().size());
    std::vector<Outcome> outcomes;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
        if (workers <= 1) work.run_in_turn(first, end);
        outcomes.push_back(outcome_of(work, first, end, carrying.time_budget));
        first = end;
    }
    return outcomes;
}

std::vector<Outcome> run(std::span<const Plan> plans, const Progress& progress, unsigned jobs) {
    return run(plans, progress, Carrying{.jobs = jobs});
}

Outcome run(const Plan& plan, const Progress& progress, unsigned jobs) {
    return std::move(run(std::span(&plan, 1), progress, jobs).front());
}

}  // namespace railyard::experiments
