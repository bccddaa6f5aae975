#include "experiments/runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "base/log.hpp"
#include "launch/agents/peer_job.hpp"
#include "launch/job/job.hpp"
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
        return peer_ ? cluster::run_with_peer(options_, *peer_, body) : job::run(options_, body);
    }

  private:
    void choose(Library library, const Variant& variant) {
        surroundings_.parameters[results::parameter::mpi] = std::string(experiments::name(library));
        options_.mpi_settings = variant.settings;
        options_.mpi_settings.emplace_back("library", experiments::name(library));
    }

    const Experiment& experiment_;
    Request request_;
    Surroundings surroundings_;
    std::string name_;
    job::Options options_;
    bool nothing_left_ = false;  ///< of what was asked for
    std::optional<cluster::PeerOptions> peer_;
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

}  // namespace

Outcome run(const Plan& plan, const Progress& progress) {
    check(plan);
    Outcome outcome;
    for (const Step& step : steps(plan)) {
        const job::Result result = step.run(progress);
        if (!result.ok) {
            outcome.failure = fmt::format("{}: {}", step.name(), result.failure);
            outcome.exit_code = result.exit_code;
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
