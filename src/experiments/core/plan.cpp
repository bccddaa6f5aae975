#include "experiments/core/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "base/quantity.hpp"
#include "base/topology.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

constexpr Bytes most_mpi_bytes(1 << 30);

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
    return std::ranges::find(list, item) != list.end();
}

std::string names(const std::vector<fabric::Op>& ops) {
    std::string out;
    for (const fabric::Op op : ops)
        out += fmt::format("{}{}", out.empty() ? "" : ", ", name(op));
    return out;
}

/// The powers of eight and both ends: enough to see the shape of a curve.
std::vector<Bytes> thinned(const std::vector<Bytes>& sizes) {
    std::vector<Bytes> out;
    for (const Bytes size : sizes) {
        const bool power_of_eight =
            std::has_single_bit(size.count()) && std::countr_zero(size.count()) % 3 == 0;
        if (power_of_eight || size == sizes.front() || size == sizes.back()) out.push_back(size);
    }
    return out;
}

/// Whether the variant has all the parameters that the plan wants, with these values.
bool is_wanted(const Variant& variant, const Plan& plan) {
    return std::ranges::all_of(plan.only, [&](const auto& wish) {
        const auto found = variant.parameters.find(wish.first);
        return found != variant.parameters.end() &&
               results::to_string(found->second) == wish.second;
    });
}

/// The names of all experiments for which `has` is true.
std::string those_with(const std::function<bool(const Experiment&)>& has) {
    std::string out;
    for (const Experiment& experiment : all())
        if (has(experiment)) out += fmt::format("{}{}", out.empty() ? "" : ", ", experiment.name);
    return out;
}

/// An option that none of the experiments understands is a mistake; one that only some understand
/// is not.
void check_option(const Plan& plan, bool given, const char* option,
                  const std::function<bool(const Experiment&)>& has) {
    const auto understands = [&](const Experiment* experiment) { return has(*experiment); };
    if (!given || std::ranges::any_of(plan.experiments, understands)) return;
    throw UsageError(
        fmt::format("{}: none of the experiments named has this parameter; it is for {}", option,
                    those_with(has)));
}

void check_options(const Plan& plan) {
    const Wishes& wishes = plan.wishes;
    check_option(plan, !wishes.sizes.empty(), "--sizes",
                 [](const Experiment& e) { return !e.defaults.sizes.empty(); });
    check_option(plan, !wishes.queues.empty(), "--queues",
                 [](const Experiment& e) { return !e.defaults.queues.empty(); });
    check_option(plan, !wishes.buffers.empty(), "--buffers",
                 [](const Experiment& e) { return !e.defaults.buffers.empty(); });
    check_option(plan, wishes.window.has_value(), "--window",
                 [](const Experiment& e) { return e.defaults.window != 0; });
    check_option(plan, wishes.memory.has_value(), "--memory",
                 [](const Experiment& e) { return e.takes_memory; });
    check_option(plan, wishes.mpi.has_value(), "--mpi", [](const Experiment& e) { return e.mpi; });
    check_option(plan, !wishes.ops.empty(), "--ops",
                 [](const Experiment& e) { return !e.known_ops.empty(); });
}

void check_ops(const Plan& plan) {
    for (const fabric::Op op : plan.wishes.ops) {
        const auto known = [&](const Experiment* e) { return contains(e->known_ops, op); };
        if (std::ranges::any_of(plan.experiments, known)) continue;
        throw UsageError(fmt::format(
            "--ops: '{}' is not measured by any of the experiments named; it is by {}", name(op),
            those_with([&](const Experiment& e) { return contains(e.known_ops, op); })));
    }
    for (const Experiment* experiment : plan.experiments)
        if (!experiment->known_ops.empty() && resolve(*experiment, plan.wishes).ops.empty())
            throw UsageError(fmt::format("--ops: {} measures none of these; it measures {}",
                                         experiment->name, names(experiment->known_ops)));
}

void check_ranks(const Plan& plan) {
    if (!plan.ranks) return;
    for (const Experiment* e : plan.experiments) {
        if (*plan.ranks >= e->least_ranks && *plan.ranks <= e->most_ranks) continue;
        const std::string allowed = e->least_ranks == e->most_ranks
                                        ? fmt::format("exactly {}", e->least_ranks)
                                        : fmt::format("{} to {}", e->least_ranks, e->most_ranks);
        throw UsageError(
            fmt::format("--ranks {}: {} runs on {} ranks", *plan.ranks, e->name, allowed));
    }
}

/// Each side of a message has a buffer of its own; other buffers come on top.
void check_memory(const Experiment& experiment, const Request& request) {
    if (request.sizes.empty()) return;
    const Bytes both = std::ranges::max(request.sizes) * 2;
    const Bytes there = machine().memory;
    if (both <= there) return;
    const auto gibibytes = [](Bytes bytes) {
        return static_cast<double>(bytes.count()) / static_cast<double>(1 << 30);
    };
    throw UsageError(fmt::format(
        "--sizes: {} with messages of {} needs {:.1f} GiB for its buffers at least, and "
        "this machine has {:.1f} GiB",
        experiment.name, to_string(std::ranges::max(request.sizes)), gibibytes(both),
        gibibytes(there)));
}

void check_fabric(const Plan& plan, const fabric::Traits& traits) {
    for (const Experiment* experiment : plan.experiments) {
        if (experiment->raw || experiment->mpi) continue;
        const Request request = resolve(*experiment, plan.wishes);
        for (const Bytes size : request.sizes)
            if (size > traits.max_message)
                throw UsageError(fmt::format("--sizes: {} carries messages of up to {}, not {}",
                                             traits.name, to_string(traits.max_message),
                                             to_string(size)));
        check_memory(*experiment, request);
        for (const unsigned queue : request.queues)
            if (queue > traits.max_send_depth)
                throw UsageError(fmt::format("--queues: {} holds up to {} messages, not {}",
                                             traits.name, traits.max_send_depth, queue));
    }
}

/// MPI cuts what a fabric cannot carry in one piece, but it counts bytes in an int.
void check_mpi(const Plan& plan, const fabric::Traits& traits) {
    mpi::check_section(traits);
    const auto on_mpi = [](const Experiment* experiment) { return experiment->mpi; };
    if (std::ranges::none_of(plan.experiments, on_mpi)) return;
    for (const Bytes size : plan.wishes.sizes)
        if (size > most_mpi_bytes)
            throw UsageError(
                fmt::format("--sizes: MPI experiments measure messages of up to {}, "
                            "not {}",
                            to_string(most_mpi_bytes), to_string(size)));
    if (plan.wishes.mpi == Library::paper && traits.section(mpi::Settings::section) == nullptr)
        throw UsageError(
            fmt::format("--mpi paper: no paper's MPI library is known for {}; leave the fabric "
                        "out, or measure with --mpi native",
                        traits.name));
}

void check_clock(const Plan& plan) {
    const auto real = [](const std::string& name) {
        return job::find_fabric(name)->clock == fabric::Clock::real;
    };
    if (std::ranges::any_of(plan.fabrics, real)) return;
    for (const Experiment* experiment : plan.experiments)
        if (experiment->raw)
            throw UsageError(fmt::format(
                "{} measures this machine, and needs a fabric that runs in real time; {} does not",
                experiment->name, plan.fabrics.front()));
}

/// "ports, mode": the names of all parameters by which an experiment's variants differ.
std::set<std::string> variant_parameters(const Plan& plan, const Experiment& experiment) {
    std::set<std::string> names;
    for (const std::string& fabric : plan.fabrics)
        if (experiment.variants != nullptr)
            for (const Variant& variant :
                 experiment.variants(*job::find_fabric(fabric), plan.ranks))
                for (const auto& parameter : variant.parameters)
                    names.insert(parameter.first);
    return names;
}

void check_only(const Plan& plan) {
    for (const auto& [name, value] : plan.only) {
        std::set<std::string> known;
        for (const Experiment* experiment : plan.experiments)
            known.merge(variant_parameters(plan, *experiment));
        if (known.empty())
            throw UsageError("--only: none of the experiments named consists of several runs");
        if (!known.contains(name))
            throw UsageError(
                fmt::format("--only: no run of the experiments named has a parameter "
                            "'{}'; there are {}",
                            name, fmt::join(known, ", ")));
    }
    if (plan.only.empty()) return;
    for (const Experiment* experiment : plan.experiments)
        for (const std::string& fabric : plan.fabrics)
            if (!variants_of(*experiment, *job::find_fabric(fabric), plan).empty()) return;
    throw UsageError("--only: no run of the experiments named is such a one on these fabrics");
}

void check_peer(const Plan& plan) {
    if (!plan.peer) return;
    for (const Experiment* e : plan.experiments)
        if (e->raw || e->least_ranks > 2 || e->most_ranks < 2)
            throw UsageError(fmt::format(
                "--listen, --peer: {} is not measured between two hosts: {}", e->name,
                e->raw ? "it measures this machine" : "it needs another number of ranks than two"));
    for (const std::string& name : plan.fabrics)
        if (const fabric::Traits& traits = *job::find_fabric(name);
            traits.clock != fabric::Clock::real || !traits.crosses_nodes)
            throw UsageError(fmt::format(
                "--listen, --peer: {} does not reach other hosts; `railyard fabrics` says which do",
                name));
}

/// One file holds one run: several would have to share it, or get names that nobody asked for.
void check_trace(const Plan& plan) {
    if (plan.trace.empty()) return;
    if (plan.experiments.size() > 1 || plan.fabrics.size() > 1)
        throw UsageError("--trace: a trace shows one experiment on one fabric; name one of each");
    const std::string& name = plan.fabrics.front();
    const Experiment& experiment = *plan.experiments.front();
    if (variants_of(experiment, *job::find_fabric(name), plan).size() > 1)
        throw UsageError(
            fmt::format("--trace: {} is more than one run on {}, and a trace shows one; "
                        "choose it with --only",
                        experiment.name, name));
    if (job::find_fabric(name)->clock == fabric::Clock::real)
        throw UsageError(fmt::format(
            "--trace: {} runs in real time, where nobody sees what its parts do; name a fabric "
            "that runs in virtual time (`railyard fabrics` lists them)",
            name));
}

}  // namespace

void check(const Plan& plan) {
    if (plan.experiments.empty()) throw UsageError("no experiment was named");
    if (plan.fabrics.empty()) throw UsageError("no fabric was named");
    check_options(plan);
    check_ops(plan);
    check_ranks(plan);
    for (const std::string& name : plan.fabrics) {
        const fabric::Traits* traits = job::find_fabric(name);
        if (traits == nullptr) throw UsageError(fmt::format("unknown fabric '{}'", name));
        check_fabric(plan, *traits);
        check_mpi(plan, *traits);
    }
    check_clock(plan);
    check_peer(plan);
    check_only(plan);
    check_trace(plan);
}

std::vector<Variant> variants_of(const Experiment& experiment, const fabric::Traits& traits,
                                 const Plan& plan) {
    std::vector<Variant> variants{{}};
    if (experiment.variants != nullptr) {
        variants = experiment.variants(traits, plan.ranks);
        std::erase_if(variants, [&](const Variant& v) {
            return !is_wanted(v, plan) || v.ranks > plan.most_ranks.value_or(v.ranks);
        });
    }
    const int more = traits.clock == fabric::Clock::virtual_time ? experiment.virtual_ranks
                                                                 : experiment.real_ranks;
    const int usual = plan.ranks.value_or(more != 0 ? more : experiment.least_ranks);
    for (Variant& variant : variants)
        if (variant.ranks == 0) variant.ranks = usual;
    return variants;
}

Request resolve(const Experiment& experiment, const Wishes& wishes) {
    Request request = experiment.defaults;
    request.quick = wishes.quick;
    if (wishes.quick) request.sizes = thinned(request.sizes);
    if (!wishes.sizes.empty() && !request.sizes.empty()) request.sizes = wishes.sizes;
    if (!wishes.queues.empty() && !request.queues.empty()) request.queues = wishes.queues;
    if (!wishes.buffers.empty() && !request.buffers.empty()) request.buffers = wishes.buffers;
    if (wishes.window && request.window != 0) request.window = *wishes.window;
    if (wishes.memory && experiment.takes_memory) request.memory = *wishes.memory;
    if (wishes.iterations) request.iterations = wishes.iterations;
    if (wishes.warmup) request.warmup = wishes.warmup;
    if (!wishes.ops.empty()) {
        request.ops.clear();
        for (const fabric::Op op : wishes.ops)
            if (contains(experiment.known_ops, op)) request.ops.push_back(op);
    }
    return request;
}

}  // namespace railyard::experiments
