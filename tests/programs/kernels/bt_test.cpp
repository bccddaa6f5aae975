// BT: its blocks, and the whole in virtual time: the published results at all numbers of ranks, and
// the published partners.

#include <gtest/gtest.h>

#include "kernels/bt/blocks.hpp"
#include "programs/kernels/multipartition_runs.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {

namespace cfd::bt {
namespace {

template <class Lanes>
Point<Lanes> some_point(double shift) {
    return {{splat<Lanes>(0.3 + shift), splat<Lanes>(0.5 - shift), splat<Lanes>(0.7)},
            splat<Lanes>(0.4),
            splat<Lanes>(0.6),
            splat<Lanes>(2.5 + shift)};
}

/// The blocks with which a line's equation at a point is made, solved for one block and one vector.
template <int axis>
void expect_solution() {
    const Factors factors{0.3, 0.8};
    Block<double> block = centre_block<axis>(some_point<double>(0.1), factors);
    Vector<double> right{{1, -2, 3, 0.5, 4}};
    const Block<double> lower = lower_block<axis>(some_point<double>(0), factors);
    const Block<double> before = upper_block<axis>(some_point<double>(0.3), factors);
    const Vector<double> right_before{{2, 1, -1, 0.5, 3}};
    subtract_products<axis>(lower, before, right_before, block, right);
    const Block<double> matrix = block;
    const Vector<double> wanted = right;
    const Block<double> wanted_block = upper_block<axis>(some_point<double>(0.2), factors);
    Block<double> solution = wanted_block;
    solve(block, solution, right);
    for (int i = 0; i < components; ++i) {
        double product = 0;
        for (int k = 0; k < components; ++k)
            product += matrix.v[i][k] * right.v[k];
        EXPECT_NEAR(product, wanted.v[i], 1e-12);
        for (int j = 0; j < components; ++j) {
            double entry = 0;
            for (int k = 0; k < components; ++k)
                entry += matrix.v[i][k] * solution.v[k][j];
            EXPECT_NEAR(entry, wanted_block.v[i][j], 1e-12) << axis << i << j;
        }
    }
}

TEST(BtBlocks, AreSolved) {
    expect_solution<0>();
    expect_solution<1>();
    expect_solution<2>();
}

TEST(BtBlocks, HaveTheEntriesThatTheyAreSaidToHave) {
    const Block<double> lower = lower_block<1>(some_point<double>(0), {0.3, 0.8});
    for (int i = 0; i < components; ++i)
        for (int j = 0; j < components; ++j)
            EXPECT_EQ(lower.v[i][j] != 0, has_entry<1>(i, j)) << i << j;
}

TEST(BtBlocks, OfTwoLinesAreThoseOfEach) {
    const Factors factors{0.3, 0.8};
    Point<Pair> both = some_point<Pair>(0);
    const Point<double> second = some_point<double>(0.25);
    for (int axis = 0; axis < axes; ++axis)
        both.velocity[axis][1] = second.velocity[axis];
    both.energy[1] = second.energy;
    const Block<Pair> pair = upper_block<2>(both, factors);
    const Block<double> first_alone = upper_block<2>(some_point<double>(0), factors);
    const Block<double> second_alone = upper_block<2>(second, factors);
    for (int i = 0; i < components; ++i)
        for (int j = 0; j < components; ++j) {
            EXPECT_DOUBLE_EQ(pair.v[i][j][0], first_alone.v[i][j]);
            EXPECT_DOUBLE_EQ(pair.v[i][j][1], second_alone.v[i][j]);
        }
}

}  // namespace
}  // namespace cfd::bt

namespace {

class Bt : public testing::TestWithParam<FabricAndRanks> {};

TEST_P(Bt, VerifiesClassS) {
    const auto [fabric, ranks] = GetParam();
    const VirtualRun whole = run({"bt"}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
}

INSTANTIATE_TEST_SUITE_P(Ranks, Bt,
                         testing::Combine(testing::Values("ideal", "clan-via"),
                                          testing::Values(1, 4, 9, 16)),
                         name_of);

TEST(BtRanks, AreSquaresOnly) {
    expect_refusals("bt");
}

TEST(BtRanks, TalkToThePublishedPartners) {
    for (const int ranks : {4, 9, 16})
        expect_partners("bt", "S", ranks);
    for (const int ranks : {25, 36})
        expect_partners("bt", "W", ranks);
}

TEST(BtRanks, MakeThePublishedNumberOfConnections) {
    expect_connections("bt");
}

}  // namespace
}  // namespace railyard::kernels
