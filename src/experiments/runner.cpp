#include "experiments/runner.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "job/job.hpp"

namespace railyard::experiments {

namespace {

/// Any fabric of the real clock: raw experiments need its two pinned processes, not its Nics.
std::string real_fabric(const Plan& plan) {
    for (const std::string& name : plan.fabrics)
        if (job::find_fabric(name)->clock == fabric::Clock::real) return name;
    throw UsageError("a raw experiment needs a fabric that runs in real time");
}

/// One experiment on one fabric, as one job.
class Step {
  public:
    Step(const Plan& plan, const Experiment& experiment, std::string fabric)
        : experiment_(experiment), fabric_(std::move(fabric)) {
        request_ = resolve(experiment, plan.wishes);
        // What a fabric cannot do is left out, so that one command serves all fabrics.
        if (!experiment.raw && !job::find_fabric(fabric_)->write_immediate)
            nothing_left_ =
                std::erase(request_.ops, fabric::Op::rdma_write_imm) > 0 && request_.ops.empty();
        options_.ranks = plan.ranks.value_or(usual_ranks());
        options_.fabric = fabric_;
        if (in_virtual_time())
            for (int rank = 0; rank < options_.ranks; ++rank)
                options_.nodes.push_back(
                    static_cast<fabric::NodeId>(rank / experiment.ranks_per_node));
        options_.kind = plan.kind;
        options_.pin = plan.pin;
        options_.trace = plan.trace;
    }

    std::string name() const { return fmt::format("{} on {}", experiment_.name, row_fabric()); }

    job::Result run(const Progress& progress) const {
        if (nothing_left_) return {};
        const bool virtual_time = in_virtual_time();
        const Progress labelled = [&](std::string_view what) {
            if (progress) progress(fmt::format("{}: {}", name(), what));
        };
        return job::run(options_, [&](job::Rank& rank) {
            Context context(rank, experiment_, request_, row_fabric(), virtual_time, labelled);
            context.progress("starting");
            experiment_.run(context);
        });
    }

  private:
    bool in_virtual_time() const {
        return job::find_fabric(fabric_)->clock == fabric::Clock::virtual_time;
    }
    int usual_ranks() const {
        const int more = in_virtual_time() ? experiment_.virtual_ranks : experiment_.real_ranks;
        return more != 0 ? more : experiment_.least_ranks;
    }
    std::string_view row_fabric() const {
        return experiment_.raw ? host_fabric : std::string_view(fabric_);
    }

    const Experiment& experiment_;
    std::string fabric_;
    Request request_;
    job::Options options_;
    bool nothing_left_ = false;  ///< of what was asked for
};

std::vector<Step> steps(const Plan& plan) {
    std::vector<Step> out;
    for (const Experiment* experiment : plan.experiments) {
        if (experiment->raw) {
            out.emplace_back(plan, *experiment, real_fabric(plan));
            continue;
        }
        for (const std::string& name : plan.fabrics)
            out.emplace_back(plan, *experiment, name);
    }
    return out;
}

}  // namespace

Outcome run(const Plan& plan, const Progress& progress) {
    check(plan);
    Outcome outcome;
    for (const Step& step : steps(plan)) {
        const job::Result result = step.run(progress);
        if (!result.ok) {
            outcome.failure = fmt::format("{}: {}", step.name(), result.failure);
            break;
        }
        if (result.delivered.empty())
            log_warning("{}: nothing that was asked for can be measured here", step.name());
        for (const std::string& line : result.delivered)
            outcome.rows.push_back(results::from_json_line(line, step.name()));
    }
    return outcome;
}

}  // namespace railyard::experiments
