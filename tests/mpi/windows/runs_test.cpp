#include "mpi/windows/runs.hpp"

#include <gmock/gmock.h>

#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

std::vector<std::pair<std::uint64_t, std::uint64_t>> runs(const Datatype& type, std::size_t count,
                                                          std::uint64_t at, Unit unit = {}) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for_each_run(type, count, at, unit,
                 [&](const Run& run) { all.emplace_back(run.at, run.count); });
    return all;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Runs, OfDenseElementsAreOne) {
    EXPECT_THAT(runs(*predefined(Basic::c_int), 5, 100), ElementsAre(Pair(100, 20)));
    EXPECT_THAT(runs(*predefined(Basic::c_int), 0, 100), IsEmpty());
    EXPECT_THAT(runs(*predefined(Basic::c_double), 3, 8, {8, 8}), ElementsAre(Pair(8, 3)));
}

TEST(Runs, FollowTheStream) {
    const TypeRef column = vector(3, 1, 4, predefined(Basic::int64));
    EXPECT_THAT(runs(*column, 1, 8), ElementsAre(Pair(8, 8), Pair(40, 8), Pair(72, 8)));
    const std::size_t lengths[] = {1, 2};
    const std::ptrdiff_t places[] = {6, 0};
    const TypeRef backwards = indexed(lengths, places, predefined(Basic::c_int));
    EXPECT_THAT(runs(*backwards, 1, 0), ElementsAre(Pair(24, 4), Pair(0, 8)));
    EXPECT_THAT(runs(*backwards, 1, 0, {4, 4}), ElementsAre(Pair(24, 1), Pair(0, 2)));
}

TEST(Runs, JoinNeighbours) {
    const TypeRef pairs = vector(2, 2, 2, predefined(Basic::c_int));  // without gaps after all
    EXPECT_THAT(runs(*pairs, 3, 0), ElementsAre(Pair(0, 48)));
}

TEST(Runs, OfPairsCountTheirGaps) {
    // A short and an int: two blocks an element. A double and an int: a gap behind it.
    for (const Basic basic : {Basic::short_int, Basic::double_int}) {
        const TypeRef& pair = predefined(basic);
        const auto extent = static_cast<std::uint64_t>(pair->extent());
        ASSERT_GT(extent, pair->size());
        EXPECT_THAT(runs(*pair, 4, 16, unit_of(*pair)), ElementsAre(Pair(16, 4)));
        const TypeRef apart = vector(2, 1, 3, pair);
        EXPECT_THAT(runs(*apart, 1, 0, unit_of(*pair)),
                    ElementsAre(Pair(0, 1), Pair(3 * extent, 1)));
    }
}

}  // namespace
}  // namespace railyard::mpi
