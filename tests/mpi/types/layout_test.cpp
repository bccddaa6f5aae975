// That layouts stay small and simple, however the user puts them.

#include "mpi/types/layout.hpp"

#include <gtest/gtest.h>

#include "basics.hpp"
#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

const Layout& layout(const TypeRef& type) {
    return *type->shape().layout;
}

TEST(Layout, AVectorOfAMillionBlocksIsOneStride) {
    const TypeRef column = vector(1'000'000, 1, 1000, real());
    EXPECT_EQ(layout(column).kind, Layout::Kind::strided);
    EXPECT_EQ(layout(column).count, 1'000'000U);
    EXPECT_EQ(layout(column).pieces, 1'000'000U);
    EXPECT_EQ(layout(column).child->kind, Layout::Kind::block);
    EXPECT_TRUE(layout(column).offsets.empty());
}

TEST(Layout, ACubeIsAStrideOfAStride) {
    const std::vector<std::size_t> sizes{100, 100, 100};
    const std::vector<std::size_t> part{50, 60, 70};
    const TypeRef cube = subarray(sizes, part, std::vector<std::size_t>{1, 2, 3}, Order::c, real());
    const Layout& outer = layout(cube);
    EXPECT_EQ(outer.kind, Layout::Kind::strided);
    EXPECT_EQ(outer.count, 50U);
    EXPECT_EQ(outer.child->kind, Layout::Kind::strided);
    EXPECT_EQ(outer.child->child->kind, Layout::Kind::block);
    EXPECT_EQ(outer.child->child->bytes, 70U * 8U);
}

TEST(Layout, NeighboursBecomeOneBlock) {
    const TypeRef list = indexed(std::vector<std::size_t>{1, 2, 0, 3},
                                 std::vector<std::ptrdiff_t>{0, 1, 77, 3}, real());
    EXPECT_EQ(layout(list).kind, Layout::Kind::block);
    EXPECT_EQ(layout(list).bytes, 48U);
    EXPECT_TRUE(list->is_dense());
}

TEST(Layout, NeighboursTheOtherWayRoundDoNot) {
    const TypeRef back =
        indexed(std::vector<std::size_t>{1, 1}, std::vector<std::ptrdiff_t>{1, 0}, real());
    EXPECT_EQ(back->size(), 16U);
    EXPECT_EQ(back->extent(), 16);
    EXPECT_FALSE(back->is_dense());
}

TEST(Layout, EvenSpacingBecomesAStride) {
    std::vector<std::ptrdiff_t> places(100);
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = 3 * static_cast<std::ptrdiff_t>(i) - 20;
    const TypeRef list = indexed_block(2, places, real());
    EXPECT_EQ(layout(list).kind, Layout::Kind::strided);
    EXPECT_EQ(layout(list).stride, 24);
    EXPECT_EQ(layout(list).offset, -160);
}

TEST(Layout, UnevenBlocksOfOneLengthTakeAnOffsetEach) {
    const TypeRef list = indexed_block(2, std::vector<std::ptrdiff_t>{0, 5, 9}, real());
    EXPECT_EQ(layout(list).kind, Layout::Kind::same);
    EXPECT_EQ(layout(list).offsets, (std::vector<std::ptrdiff_t>{0, 40, 72}));
    EXPECT_TRUE(layout(list).starts.empty());
}

TEST(Layout, AVectorOfAVectorThatContinuesItIsOne) {
    const TypeRef inner = resized(vector(10, 1, 2, real()), 0, 160);
    EXPECT_EQ(layout(contiguous(50, inner)).kind, Layout::Kind::strided);
    EXPECT_EQ(layout(contiguous(50, inner)).count, 500U);
    EXPECT_EQ(layout(contiguous(50, inner)).child->kind, Layout::Kind::block);
}

TEST(Layout, LargePartsAreSharedNotCopied) {
    const TypeRef column = vector(1'000'000, 1, 2, real());
    const TypeRef list =
        indexed(std::vector<std::size_t>{1, 1, 1}, std::vector<std::ptrdiff_t>{0, 1, 5}, column);
    EXPECT_EQ(layout(list).kind, Layout::Kind::same);
    EXPECT_EQ(layout(list).child, column->shape().layout);
    EXPECT_EQ(layout(list).pieces, 3'000'000U);
}

TEST(Layout, MembersThatDifferInTheirExtentOnlyAreKeptApart) {
    const TypeRef narrow = resized(real(), 0, 16);
    const TypeRef wide = resized(real(), 0, 24);
    const TypeRef both =
        create_struct(std::vector<std::size_t>{20, 20}, std::vector<std::ptrdiff_t>{0, 400},
                      std::vector<TypeRef>{narrow, wide});
    std::vector<double> numbers(120);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<double>(i);
    std::vector<double> packed(40);
    both->pack(numbers.data(), 1, 0, std::as_writable_bytes(std::span(packed)));
    EXPECT_EQ(packed[19], 38.0);
    EXPECT_EQ(packed[20], 50.0);
    EXPECT_EQ(packed[39], 50.0 + 19 * 3);
}

}  // namespace
}  // namespace railyard::mpi
