#include "mpi/types/type_sequence.hpp"

#include <gtest/gtest.h>

#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

const TypeRef& integer() {
    return predefined(Basic::c_int);
}
const TypeRef& real() {
    return predefined(Basic::c_double);
}

TypeRef record(std::vector<TypeRef> types, std::vector<std::size_t> lengths) {
    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < types.size(); ++i)
        places.push_back(static_cast<std::ptrdiff_t>(64 * i));
    return create_struct(lengths, places, types);
}

bool match(const TypeRef& sent, std::size_t n, const TypeRef& received, std::size_t room) {
    return go_together(sequence_of(*sent, n), *received, room);
}

TEST(TypeSequence, IsTheSameHoweverATypeIsMade) {
    const TypeRef one = record({integer(), real()}, {1, 2});
    const TypeRef other = record({record({integer(), real()}, {1, 1}), real()}, {1, 1});
    EXPECT_TRUE(match(one, 5, other, 5));
    EXPECT_TRUE(match(contiguous(5, one), 1, other, 5));
    EXPECT_TRUE(match(vector(3, 2, 7, integer()), 2, integer(), 12));
    EXPECT_TRUE(match(predefined(Basic::int32), 3, integer(), 3));
    EXPECT_TRUE(match(predefined(Basic::double_int), 2, record({real(), integer()}, {1, 1}), 2));
    EXPECT_TRUE(match(predefined(Basic::two_real), 2, predefined(Basic::real), 4));
}

TEST(TypeSequence, TellsTypesOfTheSameLengthApart) {
    EXPECT_FALSE(match(predefined(Basic::c_float), 4, integer(), 4));
    EXPECT_FALSE(match(predefined(Basic::c_short), 8, integer(), 4));
    EXPECT_FALSE(match(integer(), 4, predefined(Basic::c_short), 8));
    EXPECT_FALSE(match(predefined(Basic::c_float_complex), 2, predefined(Basic::c_float), 4));
    const TypeRef one = record({integer(), real(), integer()}, {1, 1, 1});
    const TypeRef other = record({integer(), integer(), real()}, {1, 1, 1});
    EXPECT_FALSE(match(one, 1, other, 1));
    EXPECT_FALSE(match(one, 1000, other, 1000));
    EXPECT_FALSE(match(predefined(Basic::wchar), 1, integer(), 1));
}

TEST(TypeSequence, OfAShorterMessageIsComparedWithTheBeginning) {
    const TypeRef one = record({integer(), real()}, {1, 2});
    EXPECT_TRUE(match(one, 3, one, 10));
    EXPECT_TRUE(match(integer(), 1, one, 10));
    EXPECT_TRUE(match(record({integer(), real()}, {1, 1}), 1, one, 1));
    EXPECT_FALSE(match(real(), 1, one, 10));
    EXPECT_FALSE(match(integer(), 2, one, 10));
    EXPECT_TRUE(match(real(), 1, predefined(Basic::double_int), 3));
    EXPECT_TRUE(match(real(), 0, integer(), 4));
    EXPECT_FALSE(match(real(), 2, contiguous(3, one), 5));
}

TEST(TypeSequence, OfBytesSaysNothing) {
    EXPECT_TRUE(match(predefined(Basic::byte), 16, integer(), 4));
    EXPECT_TRUE(match(integer(), 4, predefined(Basic::packed), 16));
    EXPECT_TRUE(match(record({integer(), predefined(Basic::byte)}, {1, 8}), 1,
                      record({integer(), real()}, {1, 1}), 1));
}

TEST(TypeSequence, NeedsNoLookAtEachElement) {
    const TypeRef one = record({integer(), real()}, {1, 1});
    TypeRef nested = one;
    for (int i = 0; i < 30; ++i)
        nested = record({nested, integer(), nested}, {1, 1, 1});
    const std::size_t many = std::size_t{1} << 40;
    EXPECT_TRUE(match(one, many, contiguous(many / 4, contiguous(4, one)), 1));
    EXPECT_FALSE(match(one, many, record({real(), integer()}, {1, 1}), many));
    EXPECT_TRUE(match(nested, 3, dup(nested), 3));
}

TEST(TypeSequence, IsToldInShort) {
    EXPECT_EQ(basics_text(*record({integer(), real()}, {1, 2})), "MPI_INT, 2 MPI_DOUBLE");
    EXPECT_EQ(basics_text(*contiguous(2, record({integer(), real()}, {1, 1}))),
              "MPI_INT, MPI_DOUBLE, MPI_INT, MPI_DOUBLE");
    EXPECT_EQ(basics_text(*contiguous(9, record({integer(), real()}, {1, 1}))),
              "MPI_INT, MPI_DOUBLE, MPI_INT, MPI_DOUBLE, …");
    EXPECT_EQ(basics_text(*contiguous(0, real())), "nothing");
}

}  // namespace
}  // namespace railyard::mpi
