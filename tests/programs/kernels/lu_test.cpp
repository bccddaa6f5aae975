// LU: its blocks, and the whole in virtual time: the published results at all numbers of ranks,
// with and without receives from any source, and the published partners.

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/bt/blocks.hpp"
#include "kernels/lu/sweeps.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {

namespace cfd::lu {
namespace {

constexpr Point point{0.3, 0.5, 0.7, 0.415, 0.6, 2.5, 2.5 * c1 - 0.415 * c2};
constexpr bt::Point<double> same_point{{0.3, 0.5, 0.7}, 0.415, 0.6, 2.5};
constexpr Vector vector{1, -2, 3, 0.5, 4};

/// BT has the same blocks as matrices.
void expect_product(const bt::Block<double>& matrix, const Vector& product) {
    const double x[] = {vector.v1, vector.v2, vector.v3, vector.v4, vector.v5};
    const double got[] = {product.v1, product.v2, product.v3, product.v4, product.v5};
    for (int i = 0; i < components; ++i) {
        double sum = 0;
        for (int k = 0; k < components; ++k)
            sum += matrix.v[i][k] * x[k];
        EXPECT_NEAR(got[i], sum, 1e-13) << i;
    }
}

template <int axis>
void expect_same_as_matrices() {
    const bt::Factors factors{0.3, 0.8};
    expect_product(bt::upper_block<axis>(same_point, factors),
                   beside<axis>(point, {0.3, 0.8}, vector));
    expect_product(bt::lower_block<axis>(same_point, factors),
                   beside<axis>(point, {-0.3, 0.8}, vector));
}

TEST(LuBlocks, DoWhatTheMatricesDo) {
    expect_same_as_matrices<0>();
    expect_same_as_matrices<1>();
    expect_same_as_matrices<2>();
}

TEST(LuBlocks, OnTheDiagonalAreSolved) {
    const Grid grid{12, 0.5};
    const Diagonal diagonal(grid);
    const bt::Factors factors{0, grid.dt * grid.t1()};
    bt::Block<double> sum = bt::centre_block<0>(same_point, factors);
    const bt::Block<double> y = bt::centre_block<1>(same_point, factors);
    const bt::Block<double> z = bt::centre_block<2>(same_point, factors);
    for (int i = 0; i < components; ++i)
        for (int k = 0; k < components; ++k)
            sum.v[i][k] += y.v[i][k] + z.v[i][k] - (i == k ? 2 : 0);
    const double x[] = {vector.v1, vector.v2, vector.v3, vector.v4, vector.v5};
    double right[components] = {};
    for (int i = 0; i < components; ++i)
        for (int k = 0; k < components; ++k)
            right[i] += sum.v[i][k] * x[k];
    const Vector solution = diagonal.solve(point, diagonal.pivots(point.inverse_density),
                                           {right[0], right[1], right[2], right[3], right[4]});
    EXPECT_NEAR(solution.v1, vector.v1, 1e-13);
    EXPECT_NEAR(solution.v2, vector.v2, 1e-13);
    EXPECT_NEAR(solution.v3, vector.v3, 1e-13);
    EXPECT_NEAR(solution.v4, vector.v4, 1e-13);
    EXPECT_NEAR(solution.v5, vector.v5, 1e-12);
}

TEST(LuPencils, AreNeverMoreThanTwiceAsLongAsWide) {
    for (const int ranks : {1, 2, 4, 6, 8, 9, 12, 16})
        EXPECT_EQ(Pencils::objection(12, ranks), "") << ranks;
    for (const int ranks : {3, 5, 7, 10, 11, 13, 14})
        EXPECT_NE(Pencils::objection(12, ranks).find("px times py"), std::string::npos) << ranks;
    for (const int ranks : {20, 25, 32})
        EXPECT_NE(Pencils::objection(12, ranks).find("take fewer ranks"), std::string::npos)
            << ranks;
    EXPECT_EQ(Pencils::objection(33, 64), "");
}

}  // namespace
}  // namespace cfd::lu

namespace {

class Lu : public testing::TestWithParam<FabricAndRanks> {};

TEST_P(Lu, VerifiesClassS) {
    const auto [fabric, ranks] = GetParam();
    const VirtualRun whole = run({"lu"}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
    EXPECT_EQ(whole.wildcards, 0);
}

INSTANTIATE_TEST_SUITE_P(OnIdeal, Lu,
                         testing::Combine(testing::Values("ideal"),
                                          testing::Values(1, 2, 4, 6, 8, 9, 12, 16)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(OnAModel, Lu,
                         testing::Combine(testing::Values("clan-via"),
                                          testing::Values(1, 2, 4, 8, 9, 16)),
                         name_of);

TEST(LuRanks, OthersAreRefused) {
    for (const int ranks : {3, 10, 25})
        expect_refused({"lu"}, ranks, ranks == 25 ? "take fewer ranks" : "must be px times py");
}

/// The neighbours in a grid of px by py ranks, x first.
std::vector<std::set<int>> neighbours(int px, int py) {
    std::vector<std::set<int>> all;
    for (int y = 0; y < py; ++y)
        for (int x = 0; x < px; ++x) {
            const int rank = y * px + x;
            std::set<int>& own = all.emplace_back();
            if (x > 0) own.insert(rank - 1);
            if (x + 1 < px) own.insert(rank + 1);
            if (y > 0) own.insert(rank - px);
            if (y + 1 < py) own.insert(rank + px);
        }
    return all;
}

TEST(LuRanks, TalkToTheirNeighboursInTheGrid) {
    struct Shape {
        int px, py;
        const char* problem_class;
    };
    for (const auto& [px, py, problem_class] : {Shape{2, 1, "S"},
                                                {2, 2, "S"},
                                                {4, 2, "S"},
                                                {3, 3, "S"},
                                                {4, 4, "S"},
                                                {5, 5, "W"},
                                                {6, 6, "W"}}) {
        const VirtualRun short_run =
            run({"lu", "--class", problem_class, "--iterations", "1"}, px * py, "ideal");
        EXPECT_TRUE(short_run.ended_well) << short_run.failure;
        EXPECT_EQ(short_run.partners, neighbours(px, py));
    }
}

TEST(LuRanks, MakeThePublishedNumberOfConnections) {
    struct Line {
        int ranks;
        const char* problem_class;
        double connections;
    };
    for (const auto& [ranks, problem_class, connections] :
         {Line{4, "S", 2}, {9, "S", 4.89}, {16, "S", 5}, {25, "W", 6.32}, {36, "W", 7.17}}) {
        const VirtualRun short_run = run_as_on_clan("lu", problem_class, ranks);
        EXPECT_TRUE(short_run.ended_well) << short_run.failure;
        EXPECT_NEAR(short_run.mean_connections(), connections, 0.005) << ranks;
    }
}

TEST(LuAnySource, GivesTheSameWithWildcards) {
    const VirtualRun named = run({"lu"}, 6, "ideal");
    const VirtualRun wild = run({"lu", "--any-source"}, 6, "ideal");
    EXPECT_TRUE(wild.verified()) << wild.failure << wild.output << wild.errors;
    EXPECT_GT(wild.wildcards, 0);
    EXPECT_EQ(wild.partners, named.partners);
    EXPECT_EQ(wild.sends, named.sends);
    const auto values = [](const std::string& output) {
        return output.substr(0, output.find("Benchmark Completed"));
    };
    EXPECT_EQ(values(wild.output), values(named.output));
}

}  // namespace
}  // namespace railyard::kernels
