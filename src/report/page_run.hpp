#pragma once
/// What a page tells of a program's run. As many ranks and parts as there may be, what is shown is
/// bounded: beyond that, several ranks share a line, and a cell of the matrix.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace railyard::report {

/// Times are in seconds.
struct RunPage {
    /// Several ranks: what most of them do.
    struct Lane {
        int first = 0;
        int ranks = 1;
        std::string bins;  ///< a letter for each equal part of the time: page/src/runs.ts
    };
    struct Pair {
        int from = 0;
        int to = 0;
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };
    struct SizeClass {
        std::uint64_t from_bytes = 0;
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };
    struct RankTime {
        double start_up = 0, shut_down = 0, computing = 0, mpi = 0, connecting = 0, late_sender = 0,
               late_receiver = 0, collective = 0;
    };
    struct Function {
        std::string name;
        std::uint64_t calls = 0;
        double seconds = 0;
    };
    struct Wait {
        std::string why;
        int rank = 0;
        int by = 0;
        std::uint64_t times = 0;
        double seconds = 0;
    };
    struct Part {
        std::string kind;
        std::string name;
        double seconds = 0;
    };

    std::string program{};  ///< with its arguments
    std::string fabric{};
    std::string compute{};  ///< what computation cost: "none", "measured"
    int ranks = 0;
    int nodes = 0;
    double seconds = 0;
    double start_up = 0;
    std::vector<Lane> lanes{};
    std::vector<Pair> pairs{};  ///< by ranks
    std::vector<SizeClass> sizes{};
    std::vector<RankTime> times{};  ///< of each rank
    std::vector<Function> functions{};
    std::vector<Wait> waits{};  ///< the longest first
    std::vector<Part> parts{};
};

/// How much of a run a page shows.
inline constexpr int most_lines = 64;  ///< of ranks
inline constexpr int most_cells = 64;  ///< along a side of the matrix
inline constexpr std::size_t most_waits = 40;
inline constexpr std::size_t most_parts = 600;

/// So many ranks share a line where there are `ranks`.
int ranks_a_line(int ranks, int most);

/// As page/src/data.ts has it.
nlohmann::ordered_json run_json(const RunPage& run);

}  // namespace railyard::report
