#pragma once
/// The jobs that MPI experiments consist of: the library's settings that are compared, and numbers
/// of ranks. Each function is an Experiment's `variants`.

#include <optional>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "railyard/traits.hpp"

namespace railyard::experiments {

/// {ports}: one, and two where the fabric has them.
std::vector<Variant> one_or_two_ports(const fabric::Traits& traits, std::optional<int> ranks);
/// {ports, mode}: the same, and messages are striped over two.
std::vector<Variant> striping(const fabric::Traits& traits, std::optional<int> ranks);
/// {registration_cache}: as it is, and without.
std::vector<Variant> registration_cache(const fabric::Traits& traits, std::optional<int> ranks);
/// {mode}: connections made at the start, or when they are needed.
std::vector<Variant> connections(const fabric::Traits& traits, std::optional<int> ranks);
/// {mode, processes}: all three policies, where the fabric has them.
std::vector<Variant> policies(const fabric::Traits& traits, std::optional<int> ranks);
/// {application, mode, processes}
std::vector<Variant> applications(const fabric::Traits& traits, std::optional<int> ranks);
/// {application, mode, processes}: NAS kernels alone.
std::vector<Variant> kernels_on_demand(const fabric::Traits& traits, std::optional<int> ranks);
std::vector<Variant> kernels_both_ways(const fabric::Traits& traits, std::optional<int> ranks);
/// {collective, mode, processes}
std::vector<Variant> collectives(const fabric::Traits& traits, std::optional<int> ranks);

}  // namespace railyard::experiments
