#include "experiments/core/experiment.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/quantity.hpp"

namespace railyard::experiments {

std::string_view name(Memory memory) {
    return memory == Memory::nic ? "nic" : "user";
}

std::string_view name(Library library) {
    return library == Library::native ? "native" : "paper";
}

std::span<const Experiment> all() {
    static const std::vector<Experiment> experiments = [] {
        std::vector<Experiment> list = user_experiments();
        std::ranges::move(mpi_experiments(), std::back_inserter(list));
        return list;
    }();
    return experiments;
}

const Experiment* find(std::string_view name) {
    const auto experiments = all();
    const auto found = std::ranges::find(experiments, name, &Experiment::name);
    return found == experiments.end() ? nullptr : &*found;
}

Context::Context(job::Rank& rank, const Experiment& experiment, const Request& request,
                 const Surroundings& surroundings, const Progress& progress)
    : rank_(rank),
      experiment_(experiment),
      request_(request),
      surroundings_(surroundings),
      progress_(progress),
      // Two that meet at the end of every point owe each other nothing when they ask for the next.
      pace_(rank,
            surroundings.virtual_time || rank.size() != 2 ? std::nullopt : request.time_budget) {}

void Context::begin_point(Bytes size, std::size_t number, std::size_t all) {
    part_done_ = static_cast<double>(number) / static_cast<double>(all);
    pace_.begin(size, all - number, std::max<std::size_t>(1, request_.queues.size()));
}

void Context::end_point() {
    pace_.end();
}

void Context::emit(results::Row row) {
    if (rank_.id() != 0) return;
    row.experiment = experiment_.name;
    row.fabric = surroundings_.fabric;
    for (const auto& [name, value] : surroundings_.parameters)
        row.parameters.insert_or_assign(name, value);
    rank_.deliver(results::to_json_line(row));
}

void Context::emit(results::Parameters parameters, std::string_view metric, std::string_view unit,
                   const results::Statistics& statistics, bool steady) {
    emit({.experiment = {},
          .fabric = {},
          .parameters = std::move(parameters),
          .metric = std::string(metric),
          .value = statistics.p50,
          .unit = std::string(unit),
          .statistics = statistics,
          .steady = steady});
}

void Context::progress(std::string_view what) {
    if (rank_.id() == 0 && progress_) progress_(what, part_done_);
}

void Context::left_out(std::string_view what) {
    if (rank_.id() == 0)
        log_warning("{} on {}: left out: {}", experiment_.name, surroundings_.fabric, what);
}

Bytes largest_size(const Context& context) {
    const auto& sizes = context.request().sizes;
    return sizes.empty() ? Bytes(0) : std::ranges::max(sizes);
}

results::Parameters parameters_of(const Context& context, fabric::Op op, Bytes size) {
    namespace parameter = results::parameter;
    return {{parameter::message_bytes, static_cast<std::int64_t>(size.count())},
            {parameter::op, std::string(fabric::name(op))},
            {parameter::memory, std::string(name(context.request().memory))}};
}

void announce(Context& context, fabric::Op op, Bytes size) {
    context.progress(std::string(fabric::name(op)) + " " + to_string(size));
}

}  // namespace railyard::experiments
