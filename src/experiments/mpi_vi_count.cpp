// vi-count: how many connections the ranks of small programs make, and how many of them they use.

#include <algorithm>

#include "base/error.hpp"
#include "experiments/mpi_programs.hpp"
#include "experiments/mpi_session.hpp"

namespace railyard::experiments {

void vi_count(Context& context) {
    const auto name =
        std::get<std::string>(context.parameters().at(results::parameter::application));
    const auto programs = mpi_programs();
    const auto program = std::ranges::find(programs, name, &MpiProgram::name);
    if (program == programs.end()) throw Error("no program is called " + name);
    MpiSession session(context);
    program->run();
    session.emit_connections_in_full("connections", {});
    session.finish();
}

}  // namespace railyard::experiments
