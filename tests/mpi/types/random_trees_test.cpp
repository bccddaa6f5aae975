// Thousands of types by chance, held against the naive oracle.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "random_types.hpp"

namespace railyard::mpi {
namespace {

constexpr std::uint64_t seeds = 4000;

Twin tree(std::uint64_t seed) {
    RandomTypes types(seed);
    return types.make(1 + static_cast<int>(seed % 5));
}

/// Memory around an address that all of some places can be reached from.
struct Memory {
    explicit Memory(const std::vector<std::ptrdiff_t>& places) {
        if (places.empty()) return;
        const auto [low, high] = std::minmax_element(places.begin(), places.end());
        before = -*low;
        bytes.resize(static_cast<std::size_t>(*high - *low + 1));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>((i * 2654435761U) >> 11U);
    }
    /// The address may lie outside of the memory, as MPI's may; hence the integer.
    void* address() {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(bytes.data()) +
                                       static_cast<std::uintptr_t>(before));
    }
    std::byte& at(std::ptrdiff_t place) { return bytes[static_cast<std::size_t>(place + before)]; }

    std::ptrdiff_t before = 0;
    std::vector<std::byte> bytes;
};

/// Cuts a stream at random places.
std::vector<std::size_t> cuts(RandomTypes& random, std::size_t size) {
    std::vector<std::size_t> at{0, size};
    const std::size_t inner = random.count(0, 6);
    for (std::size_t i = 0; i < inner; ++i)
        at.push_back(random.count(0, size));
    std::sort(at.begin(), at.end());
    return at;
}

TEST(RandomTrees, BoundsAreThoseOfTheTypeMap) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Twin twin = tree(seed);
        SCOPED_TRACE(twin.made);
        EXPECT_EQ(twin.type->size(), twin.naive.size());
        EXPECT_EQ(twin.type->lower_bound(), twin.naive.lower());
        EXPECT_EQ(twin.type->upper_bound(), twin.naive.upper());
        EXPECT_EQ(twin.type->extent(), twin.naive.extent());
        EXPECT_EQ(twin.type->true_lower_bound(), twin.naive.true_lower());
        EXPECT_EQ(twin.type->true_extent(), twin.naive.true_upper() - twin.naive.true_lower());
        if (HasFailure()) break;
    }
}

TEST(RandomTrees, BasicsAreThoseOfTheTypeMap) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Twin twin = tree(seed);
        SCOPED_TRACE(twin.made);
        EXPECT_EQ(twin.type->basic_count(), twin.naive.map().size());
        EXPECT_EQ(twin.type->uniform_basic(), twin.naive.uniform());
        RandomTypes random(seed);
        for (int i = 0; i < 5; ++i) {
            const std::size_t bytes = random.count(0, 3 * twin.naive.size());
            EXPECT_EQ(twin.type->basics_in(bytes), twin.naive.basics_in(bytes)) << bytes;
        }
        if (HasFailure()) break;
    }
}

TEST(RandomTrees, ATypeIsDenseIfItsBytesFollowEachOther) {
    std::size_t dense = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Twin twin = tree(seed);
        SCOPED_TRACE(twin.made);
        const auto places = twin.naive.stream(3);
        bool in_a_row = twin.naive.true_lower() == twin.naive.lower();
        for (std::size_t i = 0; i < places.size(); ++i)
            in_a_row =
                in_a_row && places[i] == twin.naive.true_lower() + static_cast<std::ptrdiff_t>(i);
        if (!places.empty()) {
            EXPECT_EQ(twin.type->is_dense(), in_a_row);
        }
        dense += twin.type->is_dense() ? 1 : 0;
        if (HasFailure()) break;
    }
    EXPECT_GT(dense, 100U);
}

TEST(RandomTrees, PacksAnyPartOfTheStream) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Twin twin = tree(seed);
        SCOPED_TRACE(twin.made);
        RandomTypes random(seed);
        const std::size_t count = random.count(0, 3);
        const auto places = twin.naive.stream(count);
        Memory memory(places);
        std::vector<std::byte> expected(places.size());
        for (std::size_t i = 0; i < places.size(); ++i)
            expected[i] = memory.at(places[i]);

        std::vector<std::byte> packed(places.size());
        const auto at = cuts(random, places.size());
        for (std::size_t i = 1; i < at.size(); ++i)
            twin.type->pack(memory.address(), count, at[i - 1],
                            std::span(packed).subspan(at[i - 1], at[i] - at[i - 1]));
        EXPECT_TRUE(packed == expected);
        if (HasFailure()) break;
    }
}

TEST(RandomTrees, UnpacksAnyPartOfTheStreamAndTouchesNothingElse) {
    std::size_t tried = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Twin twin = tree(seed);
        SCOPED_TRACE(twin.made);
        RandomTypes random(seed);
        const std::size_t count = random.count(1, 3);
        const auto places = twin.naive.stream(count);
        auto sorted = places;
        std::sort(sorted.begin(), sorted.end());
        // MPI forbids to receive twice into the same byte.
        if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) continue;
        tried += places.empty() ? 0 : 1;

        std::vector<std::byte> stream(places.size());
        for (std::size_t i = 0; i < stream.size(); ++i)
            stream[i] = static_cast<std::byte>(random.number(0, 255));
        Memory expected(places);
        Memory memory(places);
        for (std::size_t i = 0; i < places.size(); ++i)
            expected.at(places[i]) = stream[i];

        const auto at = cuts(random, places.size());
        std::vector<std::size_t> parts(at.size() - 1);
        std::iota(parts.begin(), parts.end(), 1);
        std::reverse(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2));
        for (const std::size_t i : parts)
            twin.type->unpack(memory.address(), count, at[i - 1],
                              std::span(stream).subspan(at[i - 1], at[i] - at[i - 1]));
        EXPECT_TRUE(memory.bytes == expected.bytes);
        if (HasFailure()) break;
    }
    EXPECT_GT(tried, seeds / 4);
}

void count_kinds(const Layout& layout, std::vector<std::size_t>& seen) {
    ++seen[static_cast<std::size_t>(layout.kind)];
    if (layout.child) count_kinds(*layout.child, seen);
    for (const LayoutRef& child : layout.children)
        count_kinds(*child, seen);
}

TEST(RandomTrees, MakeEveryKindOfLayout) {
    std::vector<std::size_t> seen(static_cast<std::size_t>(Layout::Kind::mixed) + 1);
    for (std::uint64_t seed = 0; seed < seeds; ++seed)
        count_kinds(*tree(seed).type->shape().layout, seen);
    for (const std::size_t times : seen)
        EXPECT_GT(times, 100U);
}

/// Makes a type once more from what MPI_Type_get_contents would say.
TypeRef again(const TypeRef& type) {
    const Contents& c = type->contents();
    if (c.combiner == Combiner::named) return type;
    std::vector<TypeRef> olds;
    for (const TypeRef& old : c.types)
        olds.push_back(again(old));
    const auto n = [&](std::size_t i) { return static_cast<std::size_t>(c.integers[i]); };
    const auto counts = [&](std::size_t from, std::size_t size) {
        const auto begin = c.integers.begin() + static_cast<std::ptrdiff_t>(from);
        return std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    const auto tail = [&](std::size_t from) {
        return std::vector<std::ptrdiff_t>(c.integers.begin() + static_cast<std::ptrdiff_t>(from),
                                           c.integers.end());
    };
    switch (c.combiner) {
        case Combiner::named:
        case Combiner::f90_real:
        case Combiner::f90_complex:
        case Combiner::f90_integer:
            break;
        case Combiner::dup:
            return dup(olds[0]);
        case Combiner::contiguous:
            return contiguous(n(0), olds[0]);
        case Combiner::vector:
            return vector(n(0), n(1), c.integers[2], olds[0]);
        case Combiner::hvector:
            return hvector(n(0), n(1), c.addresses[0], olds[0]);
        case Combiner::indexed:
            return indexed(counts(1, n(0)), tail(1 + n(0)), olds[0]);
        case Combiner::hindexed:
            return hindexed(counts(1, n(0)), c.addresses, olds[0]);
        case Combiner::indexed_block:
            return indexed_block(n(1), tail(2), olds[0]);
        case Combiner::hindexed_block:
            return hindexed_block(n(1), c.addresses, olds[0]);
        case Combiner::create_struct:
            return create_struct(counts(1, n(0)), c.addresses, olds);
        case Combiner::resized:
            return resized(olds[0], c.addresses[0], c.addresses[1]);
        case Combiner::subarray:
            return subarray(counts(1, n(0)), counts(1 + n(0), n(0)), counts(1 + 2 * n(0), n(0)),
                            static_cast<Order>(c.integers[1 + 3 * n(0)]), olds[0]);
        case Combiner::darray: {
            std::vector<DistributedDimension> dimensions(n(2));
            for (std::size_t i = 0; i < n(2); ++i)
                dimensions[i] = {n(3 + i), static_cast<Distribution>(c.integers[3 + n(2) + i]),
                                 c.integers[3 + 2 * n(2) + i], n(3 + 3 * n(2) + i)};
            return darray(n(0), n(1), dimensions, static_cast<Order>(c.integers[3 + 4 * n(2)]),
                          olds[0]);
        }
    }
    return type;
}

TEST(RandomTrees, ContentsMakeTheSameTypeAgain) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Twin twin = tree(seed);
        SCOPED_TRACE(twin.made);
        const TypeRef copy = again(twin.type);
        ASSERT_NE(copy, twin.type);
        EXPECT_EQ(copy->size(), twin.type->size());
        EXPECT_EQ(copy->lower_bound(), twin.type->lower_bound());
        EXPECT_EQ(copy->extent(), twin.type->extent());
        EXPECT_EQ(copy->contents().integers, twin.type->contents().integers);
        EXPECT_EQ(copy->contents().addresses, twin.type->contents().addresses);
        const auto places = twin.naive.stream(1);
        Memory memory(places);
        std::vector<std::byte> one(places.size());
        std::vector<std::byte> other(places.size());
        twin.type->pack(memory.address(), 1, 0, one);
        copy->pack(memory.address(), 1, 0, other);
        EXPECT_TRUE(one == other);
        if (HasFailure()) break;
    }
}

}  // namespace
}  // namespace railyard::mpi
