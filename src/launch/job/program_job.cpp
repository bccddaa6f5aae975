#include "launch/job/program_job.hpp"

#include <numeric>

#include "base/reactor.hpp"
#include "base/shared_memory.hpp"
#include "launch/job/board.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/line_labels.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/program_ranks.hpp"

namespace railyard::job {

namespace {

Launcher::Options launcher_options(const ProgramOptions& options, int ranks) {
    Launcher::Options chosen;
    chosen.ranks.resize(static_cast<std::size_t>(ranks));
    std::iota(chosen.ranks.begin(), chosen.ranks.end(), 0);
    if (options.label_output) chosen.outputs = labelled_outputs;
    chosen.time_limit = options.time_limit;
    chosen.whole_process = true;
    return chosen;
}

}  // namespace

Result run_programs(const ProgramOptions& options) {
    Options plan_options;
    plan_options.ranks = ranks_of(options.programs);
    plan_options.fabric = options.fabric;
    plan_options.kind = Kind::processes;
    plan_options.pin = options.pin;
    const Plan plan = make_plan(plan_options);
    const Launcher::Options chosen = launcher_options(options, plan.ranks);
    const SharedMemory memory = SharedMemory::create("railyard-board", Board::size_for(plan.ranks));
    Reactor reactor;
    Launcher launcher(chosen, Board::format({memory.data(), memory.size().count()}, plan.ranks),
                      reactor);
    ProgramRanks ranks(options.programs, plan, chosen.ranks, memory.handle());
    return ranks.run(launcher);
}

}  // namespace railyard::job
