/// vi-count: how many connections the ranks of small programs and of NAS kernels make, and how many
/// of them they use. destinations-per-process: to how many ranks a rank of a kernel sends.
/// npb-cpu-time: how long NAS kernels take with connections made at the start, and on demand.
/// allreduce-latency: a collective operation over and over, and the connections that it has made.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "experiments/mpi/applications.hpp"
#include "experiments/mpi/session.hpp"
#include "experiments/mpi/suite.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

std::string application(const Context& context) {
    return std::get<std::string>(context.parameters().at(results::parameter::application));
}

void run_application(Context& context) {
    const std::string name = application(context);
    if (is_mpi_kernel(name)) return meet_partners(mpi_kernel(name), context.rank().size());
    const auto programs = mpi_programs();
    const auto program = std::ranges::find(programs, name, &MpiProgram::name);
    if (program == programs.end()) throw Error("no program is called " + name);
    program->run();
}

}  // namespace

void vi_count(Context& context) {
    MpiSession session(context);
    run_application(context);
    session.emit_connections_in_full("connections", {});
    session.finish();
}

void destinations_per_process(Context& context) {
    MpiSession session(context);
    run_application(context);
    session.emit_destinations("connections", {});
    session.finish();
}

void npb_cpu_time(Context& context) {
    const MpiKernel& kernel = mpi_kernel(application(context));
    MpiSession session(context);
    // In virtual time computation is free: a change of communication shows at its largest.
    const kernels::Outcome outcome = run_class_w(kernel);
    context.emit({{results::parameter::problem_class, "W"}}, results::metric::cpu_time,
                 results::unit::microseconds, results::single(outcome.seconds * 1e6));
    session.finish();
}

void collective_latency(Context& context) {
    namespace parameter = results::parameter;
    const auto name = std::get<std::string>(context.parameters().at(parameter::collective));
    const suite_experiment& procedure = procedure_named(name + "-latency");
    MpiSession session(context);
    const bool has_sizes = procedure.size_count > 0;
    const std::vector<Bytes> none{Bytes(0)};
    for (const Bytes size : has_sizes ? context.request().sizes : none) {
        run_procedure(context, session, procedure, std::span(&size, has_sizes ? 1 : 0),
                      collective_rounds(context, size));
        results::Parameters parameters;
        if (has_sizes)
            parameters[parameter::message_bytes] = static_cast<std::int64_t>(size.count());
        session.emit_connections(fmt::format("connections {}", size.count()), parameters);
    }
    session.finish();
}

}  // namespace railyard::experiments
