#pragma once
/// The options of mpiexec, ours and those of others that are understood here: one table.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/mpiexec/call.hpp"

namespace railyard::launcher {

struct Option {
    /// Without dashes: one or two are the same.
    std::vector<std::string_view> names;
    std::size_t operands = 0;  ///< how many words follow it
    std::string_view shown;    ///< as --help writes it; empty: not at all
    std::string_view explanation;
    /// Throws UsageError. `program` is the one that the words stand before.
    std::function<void(Call&, job::Program& program, std::span<const std::string> operands)> apply;
};

std::span<const Option> options();

}  // namespace railyard::launcher
