#include "launch/job/faulty_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "launch/job/find_entry.hpp"
#include "launch/job/plan.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

Result run_with_faults(const Options& options, Faults& faults, const Body& body) {
    Plan plan = make_plan(options);
    if (!plan.fabric->with_faults)
        throw UsageError(fmt::format(
            "fabric '{}' has no faults: they strike the parts of a modelled interconnect, and "
            "`railyard fabrics` lists those",
            plan.fabric->name()));
    const interconnects::Faulty faulty = plan.fabric->with_faults(faults.script, plan.node_count());
    plan.open = faulty.open;
    Result result = run_fibers(plan, body);
    faults.report = *faulty.report;
    return result;
}

}  // namespace railyard::job
