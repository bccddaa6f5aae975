#pragma once
/// How computation between MPI calls is charged in virtual time, as the command line says it.

#include <filesystem>
#include <string>
#include <string_view>

namespace railyard::runs {

struct ComputeChoice {
    enum class From : unsigned char {
        nowhere,      ///< it takes no time
        measurement,  ///< as long as it takes in this run, on this machine
        recording,    ///< the same, and it is written down
        file,         ///< as long as was written down
    };
    From from = From::nowhere;
    double factor = 1;           ///< by which all of it is multiplied
    std::filesystem::path file;  ///< of a recording

    /// Whether two runs give the same.
    bool repeats() const { return from == From::nowhere || from == From::file; }
};

/// "none", "measured", "measured×2" (or x, or *), "record:FILE", "replay:FILE", "replay×2:FILE".
/// Throws UsageError.
ComputeChoice parse_compute(std::string_view option, std::string_view text);

/// As parse_compute takes it.
std::string to_string(const ComputeChoice& choice);

}  // namespace railyard::runs
