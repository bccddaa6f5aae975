#include "job/job.hpp"

#include "interconnects/registry.hpp"
#include "job/plan.hpp"

namespace railyard::job {

Result run(const Options& options, const Body& body) {
    const Plan plan = make_plan(options);
    switch (plan.kind) {
        case Kind::processes:
            return run_processes(plan, body);
        case Kind::threads:
            return run_threads(plan, body);
        case Kind::fibers:
            return run_fibers(plan, body);
    }
    return {};
}

std::vector<fabric::Traits> fabrics() {
    std::vector<fabric::Traits> all;
    for (const auto& entry : interconnects::registry())
        all.push_back(entry.traits);
    return all;
}

const fabric::Traits* find_fabric(std::string_view name) {
    const auto* entry = interconnects::find(name);
    return entry != nullptr ? &entry->traits : nullptr;
}

}  // namespace railyard::job
