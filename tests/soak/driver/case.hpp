#pragma once
/// One run of random traffic: everything that is drawn for it, and the command that repeats it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace railyard::soak {

struct Case {
    std::uint64_t seed = 1;
    std::string fabric = "shm";
    int ranks = 2;
    int nodes = 0;  ///< 0: as many as the fabric takes by itself
    int threads = 1;
    std::uint64_t messages = 10'000;
    int burst = 1;
    bool large = false;
    bool communicators = true;
    bool collectives = true;
    bool windows = true;
    bool cancel_sends = false;
    std::string faults;  ///< the path of a script; empty: none
    int first_round = 0;
    int last_round = -1;  ///< -1: as many rounds as make so many messages
    int watchdog_seconds = 60;
    int wrong_at = -1;
    /// Variables of the environment: settings of the library and of real fabrics.
    std::vector<std::pair<std::string, std::string>> variables;

    bool is_virtual() const;
    /// With a plus: one fabric inside nodes, one between them.
    bool is_pair() const { return fabric.find('+') != fabric.npos; }
};

/// What is drawn within.
struct CaseLimits {
    int most_ranks = 12;
    int most_threads = 4;
    std::uint64_t messages = 10'000;
    bool large = false;
    bool cancel_sends = true;
    bool settings = true;  ///< settings are drawn as well
    std::string faults;    ///< half of the runs on models get this script
};

Case draw_case(std::uint64_t seed, const std::string& fabric, const CaseLimits& limits);

/// For one setting of the MPI library (mpi::setting_rows), a value by chance; empty: it stays as it
/// is. Throws Error for a setting that it does not know.
std::string draw_setting(const std::string& name, std::uint64_t seed);

/// A program and its arguments; variables are those of the case.
std::vector<std::string> command(const Case& one);
/// The same for a shell, with variables in front.
std::string shell_command(const Case& one);

}  // namespace railyard::soak
