// The rules of MPI for each constructor, at their corners.

#include "mpi/types/constructors.hpp"

#include <gtest/gtest.h>

#include "basics.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {
namespace {

using Lengths = std::vector<std::size_t>;
using Places = std::vector<std::ptrdiff_t>;
using Types = std::vector<TypeRef>;

const TypeRef& letter() {
    return predefined(Basic::c_char);
}

/// Size, lower bound, extent, true lower bound, true extent.
std::vector<std::ptrdiff_t> facts(const TypeRef& type) {
    return {static_cast<std::ptrdiff_t>(type->size()), type->lower_bound(), type->extent(),
            type->true_lower_bound(), type->true_extent()};
}
using Facts = std::vector<std::ptrdiff_t>;

TEST(Constructors, NothingHasNoBounds) {
    const Facts nothing{0, 0, 0, 0, 0};
    EXPECT_EQ(facts(contiguous(0, integer())), nothing);
    EXPECT_EQ(facts(vector(0, 5, 7, integer())), nothing);
    EXPECT_EQ(facts(vector(5, 0, 7, integer())), nothing);
    EXPECT_EQ(facts(indexed(Lengths{}, Places{}, integer())), nothing);
    EXPECT_EQ(facts(indexed(Lengths{0, 0}, Places{5, 9}, integer())), nothing);
    EXPECT_EQ(facts(indexed_block(0, Places{5, 9}, integer())), nothing);
    EXPECT_EQ(facts(create_struct(Lengths{}, Places{}, Types{})), nothing);
    EXPECT_EQ(facts(create_struct(Lengths{0, 1}, Places{64, 8}, Types{real(), integer()})),
              (Facts{4, 8, 4, 8, 4}));
}

TEST(Constructors, NegativeStridesReachDownwards) {
    EXPECT_EQ(facts(vector(3, 2, -4, integer())), (Facts{24, -32, 40, -32, 40}));
    EXPECT_EQ(facts(hvector(3, 1, -5, integer())), (Facts{12, -10, 14, -10, 14}));
}

TEST(Constructors, AVectorEndsWithItsLastBlock) {
    EXPECT_EQ(facts(vector(3, 2, 4, integer())), (Facts{24, 0, 40, 0, 40}));
    EXPECT_FALSE(vector(3, 2, 4, integer())->is_dense());
    EXPECT_TRUE(vector(3, 2, 2, integer())->is_dense());
    EXPECT_TRUE(vector(1, 3, 100, integer())->is_dense());
}

TEST(Constructors, EntriesMayLieOverEachOther) {
    const TypeRef thrice = vector(3, 1, 0, integer());
    EXPECT_EQ(facts(thrice), (Facts{12, 0, 4, 0, 4}));
    EXPECT_FALSE(thrice->is_dense());
    const int number = 42;
    int packed[3] = {};
    thrice->pack(&number, 1, 0, std::as_writable_bytes(std::span(packed)));
    EXPECT_EQ(packed[0] + packed[1] + packed[2], 3 * 42);
}

TEST(Constructors, AStructIsPaddedToItsAlignment) {
    const TypeRef record = create_struct(Lengths{1, 1}, Places{0, 8}, Types{real(), letter()});
    EXPECT_EQ(facts(record), (Facts{9, 0, 16, 0, 9}));
    EXPECT_EQ(facts(contiguous(2, record)), (Facts{18, 0, 32, 0, 25}));
    // The extent is rounded, wherever it begins.
    EXPECT_EQ(facts(create_struct(Lengths{1, 1}, Places{4, 12}, Types{real(), letter()})),
              (Facts{9, 4, 16, 4, 9}));
    // A part that is not there has no alignment.
    EXPECT_EQ(facts(create_struct(Lengths{0, 3}, Places{0, 0}, Types{real(), letter()})),
              (Facts{3, 0, 3, 0, 3}));
}

TEST(Constructors, ResizedSetsTheBoundsAndNothingElse) {
    // MPI's own example: an integer at 0, from -3 to 6.
    const TypeRef one = resized(integer(), -3, 9);
    EXPECT_EQ(facts(one), (Facts{4, -3, 9, 0, 4}));
    EXPECT_EQ(facts(contiguous(2, one)), (Facts{8, -3, 18, 0, 13}));
    EXPECT_EQ(facts(resized(one, 0, 4)), (Facts{4, 0, 4, 0, 4}));
    EXPECT_TRUE(resized(one, 0, 4)->is_dense());
    EXPECT_FALSE(resized(integer(), 0, 8)->is_dense());
    EXPECT_FALSE(resized(integer(), -4, 4)->is_dense());
    EXPECT_EQ(facts(resized(integer(), 0, -8)), (Facts{4, 0, -8, 0, 4}));
    EXPECT_EQ(facts(contiguous(3, resized(integer(), 0, -8))), (Facts{12, -16, 8, -16, 20}));
}

TEST(Constructors, ResizedNothingStillTakesRoom) {
    const TypeRef room = resized(contiguous(0, integer()), -4, 10);
    EXPECT_EQ(facts(room), (Facts{0, -4, 10, 0, 0}));
    EXPECT_EQ(facts(contiguous(3, room)), (Facts{0, -4, 30, 0, 0}));
}

TEST(Constructors, GivenBoundsOutweighAllOthersInAStruct) {
    const TypeRef given = resized(integer(), 0, 6);
    const TypeRef record = create_struct(Lengths{1, 1}, Places{0, 32}, Types{given, real()});
    EXPECT_EQ(facts(record), (Facts{12, 0, 6, 0, 40}));  // and no padding after them
}

TEST(Constructors, OldMarkersBoundAStructToo) {
    const TypeRef record =
        create_struct(Lengths{1, 1, 1}, Places{-8, 0, 24},
                      Types{predefined(Basic::lb), integer(), predefined(Basic::ub)});
    EXPECT_EQ(facts(record), (Facts{4, -8, 32, 0, 4}));
    EXPECT_EQ(record->basic_count(), 1U);
    const TypeRef lower =
        create_struct(Lengths{1, 1}, Places{-3, 0}, Types{predefined(Basic::lb), integer()});
    EXPECT_EQ(facts(lower), (Facts{4, -3, 8, 0, 4}));  // 7, padded
}

TEST(Constructors, DisplacementsAreInExtentsOrInBytes) {
    EXPECT_EQ(facts(indexed(Lengths{1, 2}, Places{4, 1}, integer())), (Facts{12, 4, 16, 4, 16}));
    EXPECT_EQ(facts(hindexed(Lengths{1, 2}, Places{4, 1}, integer())), (Facts{12, 1, 8, 1, 8}));
    EXPECT_EQ(facts(indexed_block(2, Places{4, 1}, integer())), (Facts{16, 4, 20, 4, 20}));
    EXPECT_EQ(facts(hindexed_block(2, Places{20, 1}, integer())), (Facts{16, 1, 27, 1, 27}));
}

TEST(Constructors, ADuplicateIsTheSameButForItsOrigin) {
    const TypeRef old = vector(3, 2, 4, integer());
    const TypeRef copy = dup(old);
    EXPECT_EQ(facts(copy), facts(old));
    EXPECT_EQ(copy->contents().combiner, Combiner::dup);
    EXPECT_EQ(copy->contents().types, Types{old});
    EXPECT_FALSE(dup(integer())->is_predefined());
    EXPECT_EQ(dup(integer())->uniform_basic(), Basic::c_int);
}

void expect_contents(const TypeRef& type, Combiner combiner, const Places& integers,
                     const Places& addresses, const Types& types) {
    EXPECT_EQ(type->contents().combiner, combiner);
    EXPECT_EQ(type->contents().integers, integers);
    EXPECT_EQ(type->contents().addresses, addresses);
    EXPECT_EQ(type->contents().types, types);
}

TEST(Constructors, ContentsAreInMpisOrder) {
    const Types one{integer()};
    expect_contents(contiguous(5, integer()), Combiner::contiguous, {5}, {}, one);
    expect_contents(vector(3, 2, -4, integer()), Combiner::vector, {3, 2, -4}, {}, one);
    expect_contents(hvector(3, 2, -4, integer()), Combiner::hvector, {3, 2}, {-4}, one);
    expect_contents(indexed(Lengths{1, 2}, Places{8, 9}, integer()), Combiner::indexed,
                    {2, 1, 2, 8, 9}, {}, one);
    expect_contents(hindexed(Lengths{1, 2}, Places{8, 9}, integer()), Combiner::hindexed, {2, 1, 2},
                    {8, 9}, one);
    expect_contents(indexed_block(7, Places{8, 9}, integer()), Combiner::indexed_block,
                    {2, 7, 8, 9}, {}, one);
    expect_contents(hindexed_block(7, Places{8, 9}, integer()), Combiner::hindexed_block, {2, 7},
                    {8, 9}, one);
    expect_contents(create_struct(Lengths{1, 2}, Places{0, 8}, Types{integer(), real()}),
                    Combiner::create_struct, {2, 1, 2}, {0, 8}, {integer(), real()});
    expect_contents(resized(integer(), -1, 9), Combiner::resized, {}, {-1, 9}, one);
    expect_contents(integer(), Combiner::named, {}, {}, {});
}

TEST(Constructors, WhatReachesBeyondAllMemoryIsRefused) {
    const std::size_t many = std::size_t(1) << 31U;
    const TypeRef row = contiguous(many, real());
    EXPECT_EQ(row->size(), many * 8);
    EXPECT_THROW(contiguous(many, row), MpiError);
    EXPECT_THROW(vector(many, 1, std::ptrdiff_t(1) << 31, real()), MpiError);
    EXPECT_THROW(indexed(Lengths{many, many}, Places{0, 0}, contiguous(many / 8, real())),
                 MpiError);
}

// Sums and differences of such would overflow: a sanitizer found it.
TEST(Constructors, RefuseWhatNoMachineCanAddress) {
    constexpr std::ptrdiff_t least = PTRDIFF_MIN;
    constexpr std::ptrdiff_t greatest = PTRDIFF_MAX;
    for (const std::ptrdiff_t far : {least, least / 2, greatest / 2, greatest}) {
        EXPECT_THROW(hvector(3, 2, far, real()), MpiError) << far;
        EXPECT_THROW(hindexed(Lengths{1, 1}, Places{16, far}, real()), MpiError) << far;
        EXPECT_THROW(hindexed_block(1, Places{16, far}, real()), MpiError) << far;
        EXPECT_THROW(create_struct(Lengths{1, 1}, Places{16, far}, Types{real(), real()}), MpiError)
            << far;
        EXPECT_THROW(resized(real(), far, far), MpiError) << far;
    }
    // Of one block, the stride does not matter.
    EXPECT_EQ(hvector(1, 2, greatest, real())->extent(), 16);
    const TypeRef far = hindexed(Lengths{1}, Places{greatest / 2 - 100}, real());
    EXPECT_EQ(far->extent(), 8);
    EXPECT_THROW(hindexed(Lengths{1}, Places{200}, far), MpiError);
}

}  // namespace
}  // namespace railyard::mpi
