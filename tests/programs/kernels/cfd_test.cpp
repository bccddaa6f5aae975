// The problem that LU, SP and BT share: the grid and how it is cut, the exact solution, residuals.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/multipartition.hpp"

namespace railyard::kernels::cfd {
namespace {

Box whole(int n) {
    return {n, {Piece{0, n}, Piece{0, n}, Piece{0, n}}};
}

double largest(const Field& field, const Box& box) {
    const Region all = box.with_ghosts();
    double most = 0;
    for (int m = 0; m < components; ++m)
        for (std::size_t i = 0; i < all.points(); ++i)
            most = std::max(most, std::fabs(field[m][i]));
    return most;
}

TEST(CfdExact, HasItsConstantsAtTheOriginAndAllFactorsAtTheFarCorner) {
    EXPECT_EQ(exact(0, 0, 0), (Five{2, 1, 2, 2, 5}));
    const Five corner = exact(1, 1, 1);
    const Five sums = {15.76, 8.26, 10.32, 9.72, 15.52};
    for (std::size_t m = 0; m < components; ++m)
        EXPECT_NEAR(corner[m], sums[m], 1e-14) << m;
}

TEST(CfdExact, IsWhereARunStartsOnTheBoundaryOnly) {
    Flow flow({6, 0.1}, whole(6));
    set_initial(flow);
    const auto value = [&](int i, int j, int k) { return flow.u[0][flow.box.at(i, j, k)]; };
    EXPECT_DOUBLE_EQ(value(0, 2, 3), exact(0, 0.4, 0.6)[0]);
    EXPECT_DOUBLE_EQ(value(2, 5, 3), exact(0.4, 1, 0.6)[0]);
    EXPECT_GT(std::fabs(value(2, 2, 3) - exact(0.4, 0.4, 0.6)[0]), 1);
}

TEST(CfdBox, PiecesCoverTheAxisAndTheLeadingOnesAreLonger) {
    for (const int parts : {1, 2, 3, 4, 5}) {
        int next = 0;
        int before = 1000;
        for (int which = 0; which < parts; ++which) {
            const Piece part = piece(12, parts, which);
            EXPECT_EQ(part.origin, next);
            EXPECT_LE(part.size, before);
            EXPECT_GE(part.size, 12 / parts);
            before = part.size;
            next += part.size;
        }
        EXPECT_EQ(next, 12);
    }
}

TEST(CfdResidual, FourthDifferencesUseNoPointOfTheBoundary) {
    const auto row = [](int index) {
        const Stencil s = fourth_difference(index, 12);
        return std::vector<double>{s.before2, s.before, s.centre, s.after, s.after2};
    };
    using Row = std::vector<double>;
    EXPECT_EQ(row(1), (Row{0, 0, 5, -4, 1}));
    EXPECT_EQ(row(2), (Row{0, -4, 6, -4, 1}));
    for (int index = 3; index <= 8; ++index)
        EXPECT_EQ(row(index), (Row{1, -4, 6, -4, 1})) << index;
    EXPECT_EQ(row(9), (Row{1, -4, 6, -4, 0}));
    EXPECT_EQ(row(10), (Row{1, -4, 5, 0, 0}));
}

TEST(CfdResidual, IsZeroForTheExactSolutionAndForNoOther) {
    Flow flow({12, 0.5}, whole(12));
    set_exact(flow);
    derive(flow);
    set_forcing(flow);
    EXPECT_GT(largest(flow.forcing, flow.box), 1);
    set_residual(flow);
    EXPECT_LT(largest(flow.b, flow.box), 1e-11);
    flow.u[4][flow.box.at(5, 5, 5)] += 0.01;
    derive(flow);
    set_residual(flow);
    EXPECT_GT(largest(flow.b, flow.box), 0.01);
}

TEST(CfdResidual, InPartsIsTheSame) {
    Flow flow({12, 0.5}, whole(12));
    set_exact(flow);
    derive(flow);
    set_forcing(flow);
    set_initial(flow);
    derive(flow);
    set_residual(flow);
    Flow parts = flow;
    start_residual(parts);
    for (std::size_t axis = 0; axis < axes; ++axis)
        add_residual(parts, axis);
    for (int m = 0; m < components; ++m)
        EXPECT_TRUE(std::equal(flow.b[m], flow.b[m] + flow.box.volume(), parts.b[m])) << m;
}

/// A cell in the midst has what the whole grid has there, if its surroundings are the same.
TEST(CfdResidual, OfACellIsThatOfTheWholeGrid) {
    const Grid grid{12, 0.5};
    Flow all(grid, whole(12));
    Flow cell(grid, {12, {Piece{3, 4}, Piece{7, 5}, Piece{0, 3}}});
    for (Flow* flow : {&all, &cell}) {
        set_exact(*flow);
        derive(*flow);
        set_forcing(*flow);
    }
    for (Flow* flow : {&all, &cell}) {
        for (int m = 0; m < components; ++m)
            for (std::size_t i = 0; i < flow->box.volume(); ++i)
                flow->u[m][i] *= 1.1;
        derive(*flow);
        set_residual(*flow);
    }
    const Region inside = cell.box.interior();
    EXPECT_EQ(inside.points(), 4U * 4 * 2);
    for (int m = 0; m < components; ++m)
        for (int k = inside.first[2]; k < inside.last[2]; ++k)
            for (int j = inside.first[1]; j < inside.last[1]; ++j)
                for (int i = inside.first[0]; i < inside.last[0]; ++i)
                    EXPECT_NEAR(cell.b[m][cell.box.at(i, j, k)],
                                all.b[m][all.box.at(i + 3, j + 7, k)], 1e-10);
}

TEST(CfdLayers, ComeBackAsTheyWent) {
    const Box box(12, {Piece{0, 4}, Piece{4, 3}, Piece{0, 5}});
    Field from(box, 2);
    Field to(box, 2);
    for (int m = 0; m < 2; ++m)
        std::iota(from[m], from[m] + box.volume(), 1000.0 * m);
    const Region out = layers(box, 1, 1, 3);
    const Region in = layers(box, 1, -2, 0);
    std::vector<double> message(2 * out.points());
    EXPECT_EQ(message.size(), 2U * 4 * 2 * 5);
    EXPECT_EQ(pack(box, from, 2, out, message.data()), message.data() + message.size());
    EXPECT_EQ(unpack(box, to, 2, in, message.data()), message.data() + message.size());
    for (int m = 0; m < 2; ++m)
        EXPECT_EQ(to[m][box.at(2, -1, 4)], from[m][box.at(2, 2, 4)]);
}

TEST(CfdLines, LieSideBySideAlongYAndZ) {
    const Box box(12, {Piece{0, 4}, Piece{4, 4}, Piece{8, 4}});
    for (const std::size_t axis : {0, 1, 2}) {
        const Lines lines(box, axis);
        EXPECT_EQ(lines.step, box.stride(axis));
        EXPECT_EQ(lines.lane == 1, axis != 0);
        EXPECT_EQ(lines.length * lines.lanes * lines.sheets, 3 * 4 * 3);
        EXPECT_EQ(lines.at(0), box.at(1, 0, 0));
    }
}

class Multipartitions : public testing::TestWithParam<int> {};

TEST_P(Multipartitions, GiveEachRankOneCellInEverySlab) {
    const int q = GetParam();
    std::vector<int> owners(static_cast<std::size_t>(q * q * q), -1);
    for (int rank = 0; rank < q * q; ++rank) {
        const Multipartition partition(36, rank, q * q);
        for (int cell = 0; cell < q; ++cell) {
            const auto [x, y, z] = partition.place(cell);
            int& owner = owners[static_cast<std::size_t>((z * q + y) * q + x)];
            EXPECT_EQ(owner, -1);
            owner = rank;
            EXPECT_EQ(partition.cell_at(0, x), cell);
            EXPECT_EQ(partition.cell_at(1, y), cell);
            EXPECT_EQ(partition.cell_at(2, z), cell);
        }
    }
    EXPECT_EQ(std::ranges::count(owners, -1), 0);
    // The neighbour of every cell is the one rank.
    for (int rank = 0; rank < q * q; ++rank) {
        const Multipartition partition(36, rank, q * q);
        for (int cell = 0; cell < q; ++cell)
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const auto owner = [&](int by) {
                    Triple there = partition.place(cell);
                    there[axis] = (there[axis] + by + q) % q;
                    return owners[static_cast<std::size_t>((there[2] * q + there[1]) * q +
                                                           there[0])];
                };
                EXPECT_EQ(partition.successor(axis), owner(1));
                EXPECT_EQ(partition.predecessor(axis), owner(-1));
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Multipartitions, testing::Range(1, 7));

TEST(CfdMultipartition, SaysWhatIsAllowed) {
    EXPECT_EQ(Multipartition::objection(12, 16), "");
    EXPECT_NE(Multipartition::objection(12, 8).find("must be a square"), std::string::npos);
    EXPECT_NE(Multipartition::objection(12, 25).find("16 ranks at most"), std::string::npos);
}

}  // namespace
}  // namespace railyard::kernels::cfd
