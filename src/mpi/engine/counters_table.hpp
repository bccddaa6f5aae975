#pragma once
/// The counters of all ranks, for people: what each means, and its least, mean and greatest value.

#include <span>
#include <string>
#include <vector>

#include "mpi/engine/counters.hpp"

namespace railyard::mpi {

struct CounterMeaning {
    std::string_view name;
    std::string_view explanation;
    std::uint64_t Counters::*value;
};
std::span<const CounterMeaning> counter_meanings();

std::string table_of(std::span<const Counters> ranks);

}  // namespace railyard::mpi
