#pragma once
/// Programs that a benchmark starts, as a user would.

#include <filesystem>
#include <string>

namespace railyard::bench {

/// Where this program lies, and with it the others of the build.
std::filesystem::path own_folder();

/// What the command prints. Throws Error if it fails.
std::string output_of(const std::string& command);

}  // namespace railyard::bench
