#include "programs/kernels/multipartition_runs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>

#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {

namespace {

/// Rank by rank, from 0.
constexpr const char* partners_of_4[] = {
    "1 2 3",
    "0 2 3",
    "0 1 3",
    "0 1 2",
};
constexpr const char* partners_of_9[] = {
    "1 2 3 5 6 7", "0 2 3 4 7 8", "0 1 4 5 6 8", "0 1 4 5 6 8", "1 2 3 5 6 7",
    "0 2 3 4 7 8", "0 2 3 4 7 8", "0 1 4 5 6 8", "1 2 3 5 6 7",
};
constexpr const char* partners_of_16[] = {
    "1 3 4 7 12 13",  "0 2 4 5 13 14",  "1 3 5 6 14 15",   "0 2 6 7 12 15",
    "0 1 5 7 8 11",   "1 2 4 6 8 9",    "2 3 5 7 9 10",    "0 3 4 6 10 11",
    "4 5 9 11 12 15", "5 6 8 10 12 13", "6 7 9 11 13 14",  "4 7 8 10 14 15",
    "0 3 8 9 13 15",  "0 1 9 10 12 14", "1 2 10 11 13 15", "2 3 8 11 12 14",
};
constexpr const char* partners_of_25[] = {
    "1 4 5 9 20 21",     "0 2 5 6 21 22",     "1 3 6 7 22 23",     "2 4 7 8 23 24",
    "0 3 8 9 20 24",     "0 1 6 9 10 14",     "1 2 5 7 10 11",     "2 3 6 8 11 12",
    "3 4 7 9 12 13",     "0 4 5 8 13 14",     "5 6 11 14 15 19",   "6 7 10 12 15 16",
    "7 8 11 13 16 17",   "8 9 12 14 17 18",   "5 9 10 13 18 19",   "10 11 16 19 20 24",
    "11 12 15 17 20 21", "12 13 16 18 21 22", "13 14 17 19 22 23", "10 14 15 18 23 24",
    "0 4 15 16 21 24",   "0 1 16 17 20 22",   "1 2 17 18 21 23",   "2 3 18 19 22 24",
    "3 4 15 19 20 23",
};
constexpr const char* partners_of_36[] = {
    "1 5 6 11 30 31",    "0 2 6 7 31 32",     "1 3 7 8 32 33",     "2 4 8 9 33 34",
    "3 5 9 10 34 35",    "0 4 10 11 30 35",   "0 1 7 11 12 17",    "1 2 6 8 12 13",
    "2 3 7 9 13 14",     "3 4 8 10 14 15",    "4 5 9 11 15 16",    "0 5 6 10 16 17",
    "6 7 13 17 18 23",   "7 8 12 14 18 19",   "8 9 13 15 19 20",   "9 10 14 16 20 21",
    "10 11 15 17 21 22", "6 11 12 16 22 23",  "12 13 19 23 24 29", "13 14 18 20 24 25",
    "14 15 19 21 25 26", "15 16 20 22 26 27", "16 17 21 23 27 28", "12 17 18 22 28 29",
    "18 19 25 29 30 35", "19 20 24 26 30 31", "20 21 25 27 31 32", "21 22 26 28 32 33",
    "22 23 27 29 33 34", "18 23 24 28 34 35", "0 5 24 25 31 35",   "0 1 25 26 30 32",
    "1 2 26 27 31 33",   "2 3 27 28 32 34",   "3 4 28 29 33 35",   "4 5 24 29 30 34",
};

std::span<const char* const> table(int ranks) {
    switch (ranks) {
        case 4:
            return partners_of_4;
        case 9:
            return partners_of_9;
        case 16:
            return partners_of_16;
        case 25:
            return partners_of_25;
        case 36:
            return partners_of_36;
        default:
            return {};
    }
}

}  // namespace

std::vector<std::set<int>> multipartition_partners(int ranks) {
    std::vector<std::set<int>> all;
    for (const char* line : table(ranks)) {
        std::istringstream numbers(line);
        std::set<int>& own = all.emplace_back();
        for (int partner = 0; numbers >> partner;)
            own.insert(partner);
    }
    return all;
}

void expect_refusals(const std::string& kernel) {
    for (const int ranks : {2, 3, 5, 8, 25}) {
        const VirtualRun refused = run({kernel}, ranks, "ideal");
        EXPECT_TRUE(refused.ended_well) << refused.failure;
        EXPECT_EQ(refused.exit_codes, std::vector<int>(static_cast<std::size_t>(ranks), 2));
        EXPECT_EQ(refused.output, "");
        const char* why = ranks == 25 ? "runs on 16 ranks at most" : "must be a square";
        EXPECT_NE(refused.errors.find(why), std::string::npos) << refused.errors;
        EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
    }
}

void expect_partners(const std::string& kernel, const std::string& problem_class, int ranks) {
    const int steps = 2;
    const VirtualRun short_run = run(
        {kernel, "--class", problem_class, "--iterations", std::to_string(steps)}, ranks, "ideal");
    EXPECT_TRUE(short_run.ended_well) << short_run.failure;
    EXPECT_NE(short_run.output.find("NOT PERFORMED"), std::string::npos);
    EXPECT_EQ(short_run.partners, multipartition_partners(ranks));
    EXPECT_EQ(short_run.wildcards, 0);
    // Per step six faces and, along each axis, q - 1 messages forth and as many back; the faces
    // once more for the norms; and one step that does not count.
    const int q = static_cast<int>(std::lround(std::sqrt(ranks)));
    for (const int sends : short_run.sends)
        EXPECT_EQ(sends, 6 * q * (steps + 1) + 6);
}

void expect_connections(const std::string& kernel) {
    struct Line {
        int ranks;
        const char* problem_class;
        double connections;
    };
    for (const auto& [ranks, problem_class, connections] :
         {Line{4, "S", 3}, {9, "S", 7.11}, {16, "S", 8}, {25, "W", 8.32}, {36, "W", 9.83}}) {
        const VirtualRun short_run = run_as_on_clan(kernel, problem_class, ranks);
        EXPECT_TRUE(short_run.ended_well) << short_run.failure;
        EXPECT_NEAR(short_run.mean_connections(), connections, 0.005) << ranks;
    }
}

}  // namespace railyard::kernels
