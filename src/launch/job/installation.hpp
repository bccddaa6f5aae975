#pragma once
/// Where this program and its companions lie: in a build directory, or as they were installed.

#include <filesystem>
#include <string>

namespace railyard::job {

/// This program's file, also where there is no /proc that knows it.
std::filesystem::path own_file();
/// That of our MPI library; empty: it is not there.
std::string library_folder();

}  // namespace railyard::job
