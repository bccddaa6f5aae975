// CG: who has what of the matrix, and the whole in virtual time: the published result at all
// numbers of ranks, and the published partners.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "kernels/cg/matrix.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {

namespace conjugate {
namespace {

// Also where neither rows nor columns come out even.
TEST(CgGrid, WhatIsSentIsWhatThePartnerHasAsColumns) {
    for (const int ranks : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
        for (int rank = 0; rank < ranks; ++rank) {
            const Grid own(rank, ranks, 1400);
            const Grid partner(own.transpose_partner, ranks, 1400);
            EXPECT_EQ(partner.transpose_partner, rank) << ranks;
            EXPECT_EQ(own.own_part.first, partner.matrix_columns.first) << rank << " of " << ranks;
            EXPECT_EQ(own.own_part.size, partner.matrix_columns.size) << rank << " of " << ranks;
        }
}

TEST(CgGrid, BlocksCoverTheMatrixOnce) {
    for (const int ranks : {1, 2, 8, 16, 128}) {
        int covered = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            const Grid grid(rank, ranks, 1400);
            covered += grid.matrix_rows.size * grid.matrix_columns.size;
        }
        EXPECT_EQ(covered, 1400 * 1400) << ranks;
    }
}

TEST(CgMatrix, IsSymmetricAndMadeOfItsBlocks) {
    const Problem problem{100, 3, 1, 10, 0};
    const Matrix whole(problem, {0, 100}, {0, 100});
    const Matrix block(problem, {20, 30}, {50, 40});
    std::vector<double> product(100);
    std::vector<double> part(30);
    std::vector<std::vector<double>> columns;
    for (std::size_t j = 0; j < 100; ++j) {
        std::vector<double> unit(100);
        unit[j] = 1;
        whole.multiply(unit.data(), product.data());
        columns.push_back(product);
        if (j < 50 || j >= 90) continue;
        block.multiply(unit.data() + 50, part.data());
        EXPECT_TRUE(std::equal(part.begin(), part.end(), product.begin() + 20)) << j;
    }
    int filled = 0;
    for (std::size_t i = 0; i < 100; ++i)
        for (std::size_t j = 0; j < 100; ++j) {
            EXPECT_DOUBLE_EQ(columns[i][j], columns[j][i]);
            if (columns[i][j] != 0) ++filled;
        }
    EXPECT_GT(filled, 1000);
    EXPECT_LE(filled, 1600);
}

}  // namespace
}  // namespace conjugate

namespace {

class Cg : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Cg, VerifiesClassS) {
    const auto [fabric, ranks] = GetParam();
    const VirtualRun whole = run({"cg"}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
}

INSTANTIATE_TEST_SUITE_P(OnIdeal, Cg,
                         testing::Combine(testing::Values("ideal"),
                                          testing::Values(1, 2, 4, 8, 16, 128)));
INSTANTIATE_TEST_SUITE_P(OnAModel, Cg,
                         testing::Combine(testing::Values("clan-via"), testing::Values(2, 8, 16)));

TEST(CgRanks, OthersAreRefused) {
    for (const int ranks : {3, 6, 12})
        expect_refused({"cg"}, ranks, "power of two");
}

/// As published: a bit of the column away, and across the diagonal.
std::vector<std::set<int>> partners(int rows, int columns) {
    std::vector<std::set<int>> all;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            std::set<int>& own = all.emplace_back();
            for (int bit = 1; bit < columns; bit *= 2)
                own.insert(row * columns + (column ^ bit));
            own.insert(rows == columns ? column * columns + row
                                       : column / 2 * columns + 2 * row + column % 2);
            own.erase(row * columns + column);
        }
    return all;
}

TEST(CgRanks, TalkToThePublishedPartners) {
    struct Line {
        int rows, columns, least, in_all, most;
    };
    for (const auto& [rows, columns, least, in_all, most] : {Line{2, 2, 1, 6, 2},
                                                             {2, 4, 2, 20, 3},
                                                             {4, 4, 2, 44, 3},
                                                             {4, 8, 3, 120, 4},
                                                             {8, 8, 3, 248, 4}}) {
        const VirtualRun whole = run({"cg", "--iterations", "1"}, rows * columns, "ideal");
        EXPECT_TRUE(whole.ended_well) << whole.failure;
        EXPECT_EQ(whole.partners, partners(rows, columns));
        std::vector<int> counts;
        for (const auto& own : whole.partners)
            counts.push_back(static_cast<int>(own.size()));
        EXPECT_EQ(*std::ranges::min_element(counts), least);
        EXPECT_EQ(*std::ranges::max_element(counts), most);
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), in_all);
        EXPECT_EQ(whole.wildcards, 0);
    }
}

}  // namespace
}  // namespace railyard::kernels
