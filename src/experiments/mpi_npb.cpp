// npb-cpu-time: how long NAS kernels take with connections made at the start, and when they are
// needed.

#include <string>

#include "experiments/mpi_kernels.hpp"
#include "experiments/mpi_session.hpp"

namespace railyard::experiments {

void npb_cpu_time(Context& context) {
    const MpiKernel& kernel =
        mpi_kernel(std::get<std::string>(context.parameters().at(results::parameter::application)));
    MpiSession session(context);
    // In virtual time computation is free: a change of communication shows at its largest.
    const kernels::Outcome outcome = run_class_w(kernel);
    context.emit({{results::parameter::problem_class, "W"}}, results::metric::cpu_time,
                 results::unit::microseconds, results::single(outcome.seconds * 1e6));
    session.finish();
}

}  // namespace railyard::experiments
