// vi-count: how many connections the ranks of small programs and of NAS kernels make, and how many
// of them they use. destinations-per-process: to how many ranks a rank of a kernel sends.

#include <algorithm>

#include "experiments/mpi_kernels.hpp"
#include "experiments/mpi_programs.hpp"
#include "experiments/mpi_session.hpp"
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

}  // namespace railyard::experiments
