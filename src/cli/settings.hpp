#pragma once
/// Settings of the MPI engine as words of the command line: NAME=VALUE, by the names that
/// `railyard mpi-info` shows. They go into the environment, where the engine finds them.

#include <string>
#include <string_view>

#include "railyard/traits.hpp"

namespace railyard::cli {

/// Throws UsageError for a name that is none, with the nearest that is.
void apply_setting(const fabric::Traits& fabric, std::string_view option, const std::string& name,
                   const std::string& value);
/// "NAME=VALUE". Throws UsageError.
void apply_setting(const fabric::Traits& fabric, std::string_view option, const std::string& word);

/// That all settings are allowed, those that were in the environment before included. Throws
/// UsageError.
void check_settings(const fabric::Traits& fabric);

}  // namespace railyard::cli
