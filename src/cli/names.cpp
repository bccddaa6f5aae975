#include "cli/names.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/suggest.hpp"
#include "cli/words.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

constexpr std::array ops{fabric::Op::send,      fabric::Op::rdma_write, fabric::Op::rdma_write_imm,
                         fabric::Op::rdma_read, fabric::Op::fetch_add,  fabric::Op::compare_swap};

}  // namespace

const fabric::Traits& fabric_named(std::string_view name) {
    if (const fabric::Traits* traits = job::find_fabric(name)) return *traits;
    std::vector<std::string> names;
    for (const fabric::Traits& traits : job::fabrics())
        names.push_back(traits.name);
    throw UsageError(unknown("fabric", name, names, "railyard fabrics"));
}

const experiments::Experiment& experiment_named(std::string_view name) {
    if (const experiments::Experiment* experiment = experiments::find(name)) return *experiment;
    std::vector<std::string> names;
    for (const auto& experiment : experiments::all())
        names.emplace_back(experiment.name);
    throw UsageError(unknown("experiment", name, names, "railyard experiments"));
}

fabric::Op op_named(std::string_view name) {
    std::vector<std::string> names;
    for (const fabric::Op op : ops) {
        if (fabric::name(op) == name) return op;
        names.emplace_back(fabric::name(op));
    }
    const auto right = nearest(name, names);
    throw UsageError(fmt::format("--ops: unknown operation '{}'; {}there are {}", name,
                                 right ? fmt::format("did you mean '{}'? ", *right) : "",
                                 fmt::join(names, ", ")));
}

experiments::Library library_named(std::string_view name) {
    if (name == "native") return experiments::Library::native;
    if (name == "paper") return experiments::Library::paper;
    throw UsageError(fmt::format("--mpi: expected native or paper, found '{}'", name));
}

experiments::Memory memory_named(std::string_view name) {
    if (name == "nic") return experiments::Memory::nic;
    if (name == "user") return experiments::Memory::user;
    throw UsageError(fmt::format("--memory: expected nic or user, found '{}'", name));
}

}  // namespace railyard::cli
