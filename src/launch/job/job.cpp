#include "launch/job/job.hpp"

#include "interconnects/registry.hpp"
#include "launch/job/find_entry.hpp"
#include "launch/job/plan.hpp"

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

std::optional<fabric::Datasheet> datasheet(std::string_view fabric) {
    const interconnects::Entry& entry = find_entry(fabric);
    if (!entry.datasheet) return std::nullopt;
    return entry.datasheet();
}

std::set<std::string> fitted_records(std::string_view fabric) {
    const auto sheet = datasheet(fabric);
    return sheet ? sheet->fitted_records : std::set<std::string>{};
}

}  // namespace railyard::job
