// Parts of arrays, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "basics.hpp"
#include "mpi/types/constructors.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Counts_ = std::vector<std::size_t>;

/// The numbers of those elements of an array of ints that a type picks.
std::vector<int> picked(const TypeRef& type) {
    std::vector<int> array(static_cast<std::size_t>(type->extent()) / sizeof(int));
    std::iota(array.begin(), array.end(), 0);
    std::vector<int> out(type->size() / sizeof(int));
    type->pack(array.data(), 1, 0, std::as_writable_bytes(std::span(out)));
    return out;
}

template <class Make>
std::string refusal(Make make) {
    try {
        make();
    } catch (const MpiError& error) {
        EXPECT_EQ(error.error_class(), ErrorClass::arg);
        return error.what();
    }
    return "it was not refused";
}

TEST(Subarray, InCTheLastIndexRunsFastest) {
    const TypeRef part = subarray(Counts_{3, 4}, Counts_{2, 2}, Counts_{1, 1}, Order::c, integer());
    EXPECT_THAT(picked(part), ElementsAre(5, 6, 9, 10));
    EXPECT_EQ(part->extent(), 48);
    EXPECT_EQ(part->true_lower_bound(), 20);
    EXPECT_EQ(part->true_extent(), 24);
    EXPECT_EQ(part->contents().integers,
              (std::vector<std::ptrdiff_t>{2, 3, 4, 2, 2, 1, 1, static_cast<int>(Order::c)}));
}

TEST(Subarray, InFortranTheFirst) {
    const TypeRef part =
        subarray(Counts_{3, 4}, Counts_{2, 2}, Counts_{1, 1}, Order::fortran, integer());
    EXPECT_THAT(picked(part), ElementsAre(4, 5, 7, 8));
}

TEST(Subarray, TheWholeIsDense) {
    EXPECT_TRUE(
        subarray(Counts_{3, 4}, Counts_{3, 4}, Counts_{0, 0}, Order::c, integer())->is_dense());
}

TEST(Subarray, WhatIsNotAPartIsRefused) {
    EXPECT_THAT(refusal([] { subarray(Counts_{4}, Counts_{3}, Counts_{2}, Order::c, integer()); }),
                HasSubstr("the last start is 1"));
    EXPECT_THAT(refusal([] { subarray(Counts_{4}, Counts_{5}, Counts_{0}, Order::c, integer()); }),
                HasSubstr("a part of 5 of 4"));
    EXPECT_THAT(refusal([] { subarray(Counts_{4}, Counts_{0}, Counts_{0}, Order::c, integer()); }),
                HasSubstr("at least 1"));
    EXPECT_THAT(refusal([] { subarray(Counts_{}, Counts_{}, Counts_{}, Order::c, integer()); }),
                HasSubstr("no dimensions"));
    EXPECT_THAT(refusal([] {
                    subarray(Counts_{4}, Counts_{1}, Counts_{0}, static_cast<Order>(3), integer());
                }),
                HasSubstr("MPI_ORDER_C"));
}

using Dimensions = std::vector<DistributedDimension>;

TEST(Darray, BlocksAreInARow) {
    const Dimensions line{{10, Distribution::block, default_distribution_argument, 4}};
    EXPECT_THAT(picked(darray(4, 0, line, Order::c, integer())), ElementsAre(0, 1, 2));
    EXPECT_THAT(picked(darray(4, 3, line, Order::c, integer())), ElementsAre(9));
    const Dimensions wide{{10, Distribution::block, 5, 4}};
    EXPECT_THAT(picked(darray(4, 1, wide, Order::c, integer())), ElementsAre(5, 6, 7, 8, 9));
    EXPECT_THAT(picked(darray(4, 2, wide, Order::c, integer())), ElementsAre());
    EXPECT_EQ(darray(4, 2, wide, Order::c, integer())->extent(), 40);
}

TEST(Darray, CyclesGoRound) {
    const Dimensions line{{11, Distribution::cyclic, 2, 3}};
    EXPECT_THAT(picked(darray(3, 0, line, Order::c, integer())), ElementsAre(0, 1, 6, 7));
    EXPECT_THAT(picked(darray(3, 1, line, Order::c, integer())), ElementsAre(2, 3, 8, 9));
    EXPECT_THAT(picked(darray(3, 2, line, Order::c, integer())), ElementsAre(4, 5, 10));
}

TEST(Darray, TheProcessesAreCountedInCsOrderInFortranToo) {
    const Dimensions plane{{2, Distribution::block, default_distribution_argument, 2},
                           {3, Distribution::cyclic, default_distribution_argument, 3}};
    // Rank 1 of a grid of 2 x 3 has row 0 and column 1.
    EXPECT_THAT(picked(darray(6, 1, plane, Order::c, integer())), ElementsAre(1));
    EXPECT_THAT(picked(darray(6, 1, plane, Order::fortran, integer())), ElementsAre(2));
}

TEST(Darray, AllProcessesTogetherHaveAllOnce) {
    const Dimensions cube{{5, Distribution::cyclic, 2, 2},
                          {4, Distribution::none, default_distribution_argument, 1},
                          {7, Distribution::block, default_distribution_argument, 3}};
    for (const Order order : {Order::c, Order::fortran}) {
        std::vector<int> all;
        for (std::size_t rank = 0; rank < 6; ++rank) {
            const auto mine = picked(darray(6, rank, cube, order, integer()));
            EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
            all.insert(all.end(), mine.begin(), mine.end());
        }
        std::sort(all.begin(), all.end());
        ASSERT_EQ(all.size(), 140U);
        for (int i = 0; i < 140; ++i)
            EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
    }
}

TEST(Darray, WhatDoesNotFitIsRefused) {
    const auto make = [](DistributedDimension d, std::size_t size, std::size_t rank) {
        return refusal([&] { darray(size, rank, Dimensions{d}, Order::c, integer()); });
    };
    const auto none = default_distribution_argument;
    EXPECT_THAT(make({10, Distribution::block, 2, 4}, 4, 0), HasSubstr("4 blocks of 2"));
    EXPECT_THAT(make({10, Distribution::none, none, 4}, 4, 0), HasSubstr("it takes 1"));
    EXPECT_THAT(make({10, Distribution::cyclic, 0, 4}, 4, 0), HasSubstr("at least 1"));
    EXPECT_THAT(make({0, Distribution::cyclic, 1, 4}, 4, 0), HasSubstr("0 elements"));
    EXPECT_THAT(make({10, Distribution::cyclic, 1, 4}, 5, 0), HasSubstr("a grid of 4"));
    EXPECT_THAT(make({10, Distribution::cyclic, 1, 4}, 4, 4), HasSubstr("rank 4 of 4"));
    EXPECT_THAT(make({10, static_cast<Distribution>(7), none, 4}, 4, 0),
                HasSubstr("distribution 7"));
}

}  // namespace
}  // namespace railyard::mpi
