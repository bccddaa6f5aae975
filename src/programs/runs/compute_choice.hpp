#pragma once
/// What computation between MPI calls is to cost, as a user says it.

#include <filesystem>
#include <string>
#include <string_view>

namespace railyard::runs {

/// As the command line says it.
struct ComputeChoice {
    enum class From : unsigned char {
        nowhere,      ///< it takes no time
        measurement,  ///< as long as it takes in this run, on this machine
        recording,    ///< the same, and it is written down
        medians,      ///< the same, and the median of what is alike is written down
        file,         ///< as long as was written down
    };
    From from = From::nowhere;
    double factor = 1;           ///< by which all of it is multiplied
    std::filesystem::path file;  ///< of a recording

    /// Whether two runs give the same.
    bool repeats() const { return from == From::nowhere || from == From::file; }
    bool records() const { return from == From::recording || from == From::medians; }
};

/// "none", "measured", "measured×2" (or x, or *), "record:FILE", "record-medians:FILE",
/// "replay:FILE", "replay×2:FILE". Throws UsageError.
ComputeChoice parse_compute(std::string_view option, std::string_view text);

/// As parse_compute takes it.
std::string to_string(const ComputeChoice& choice);

}  // namespace railyard::runs
