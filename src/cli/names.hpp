#pragma once
/// Things found by the name that the user typed. All throw UsageError, with the nearest right name.

#include <string_view>

#include "experiments/core/experiment.hpp"
#include "railyard/traits.hpp"
#include "railyard/work.hpp"

namespace railyard::cli {

const fabric::Traits& fabric_named(std::string_view name);
const experiments::Experiment& experiment_named(std::string_view name);
/// One that experiments can be asked to measure.
fabric::Op op_named(std::string_view name);
experiments::Memory memory_named(std::string_view name);
/// Of MPI experiments.
experiments::Library library_named(std::string_view name);

}  // namespace railyard::cli
