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
    const kernels::Outcome outcome = run_class_w(kernel);
    double seconds = outcome.seconds;
    // There computation takes no time of its own; that of the paper's processors is added, since a
    // change of communication is to be seen against it.
    if (context.virtual_time())
        seconds += outcome.operations / (kernel.rate * 1e6 * context.rank().size());
    context.emit({{results::parameter::problem_class, "W"}}, results::metric::cpu_time,
                 results::unit::microseconds, results::single(seconds * 1e6));
    session.finish();
}

}  // namespace railyard::experiments
