#pragma once
/// What there is, for other programs: the lists of `railyard fabrics`, `experiments` and `mpi-info`
/// as JSON, with a line break at the end.

#include <string>

#include "experiments/core/experiment.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/traits.hpp"

namespace railyard::cli {

/// All fabrics by name, clock and description.
std::string fabrics_as_json();
/// One of them with all that it can do, and the parameters of a model with their evidence.
std::string fabric_as_json(const fabric::Traits& traits);

/// All experiments, each with its parameters and their defaults.
std::string experiments_as_json();
std::string experiment_as_json(const experiments::Experiment& experiment);

/// The MPI library on a fabric: settings, and what it counts.
std::string mpi_info_as_json(const fabric::Traits& fabric, const mpi::Settings::Named& chosen);

/// All that profiles may say, as Markdown: docs/profile-keys.md.
std::string profile_keys();

/// As people and rows have it.
const char* name_of(fabric::Clock clock);
const char* name_of(fabric::Bulk bulk);

}  // namespace railyard::cli
