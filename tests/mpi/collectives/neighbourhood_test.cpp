// Blocks between neighbours: of any lists, with ranks that are in them several times, and of grids,
// where what goes down comes from above.

#include "mpi/collectives/neighbourhood.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "mpi/collectives/memory_job.hpp"
#include "sim/random.hpp"

namespace railyard::mpi {
namespace {

using Numbers = std::vector<std::int64_t>;
using ::testing::ElementsAre;

const Datatype& number() {
    return *predefined(Basic::int64);
}

/// What the block of rank `from` for its destination number `place` holds.
std::int64_t content(int from, std::size_t place) {
    return 1000 * from + static_cast<std::int64_t>(place);
}

/// Every rank's received numbers, one from each source; -1 where nothing came.
std::vector<Numbers> exchanged(const std::vector<Neighbours>& all, const MemoryJob::Options& how,
                               bool same_to_all) {
    std::vector<Numbers> in;
    std::vector<Numbers> out;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        in.emplace_back(all[rank].sources.size(), -1);
        out.emplace_back();
        for (std::size_t i = 0; i <= all[rank].destinations.size(); ++i)
            out.back().push_back(content(static_cast<int>(rank), i));
    }
    MemoryJob(how).run([&](Team& team) {
        const auto rank = static_cast<std::size_t>(team.rank());
        const ConstBuffer first(out[rank].data(), 1, number());
        const Blocks into(Buffer{in[rank].data(), 1, &number()});
        if (same_to_all)
            neighbour_allgather(team, all[rank], first, into);
        else
            neighbour_alltoall(team, all[rank], ConstBlocks(first), into);
    });
    return in;
}

MemoryJob::Options options_for(std::size_t ranks, std::uint64_t seed = 1) {
    MemoryJob::Options options;
    options.ranks = static_cast<int>(ranks);
    options.seed = seed;
    options.buffered = seed % 2 == 0;
    options.recorded = seed % 4 >= 2;
    return options;
}

/// A ring, or a row with open ends.
std::vector<Neighbours> line(int size, bool closed) {
    std::vector<Neighbours> all;
    for (int rank = 0; rank < size; ++rank) {
        const auto at = [&](int other) {
            const bool is_inside = other >= 0 && other < size;
            return is_inside || closed ? (other + size) % size : Neighbours::nobody;
        };
        Neighbours neighbours;
        neighbours.is_grid = true;
        neighbours.sources = {at(rank - 1), at(rank + 1)};
        neighbours.destinations = neighbours.sources;
        all.push_back(neighbours);
    }
    return all;
}

TEST(Neighbourhood, WhatGoesDownComesFromAbove) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (int size = 1; size <= 5; ++size) {
            const auto in = exchanged(line(size, true),
                                      options_for(static_cast<std::size_t>(size), seed), false);
            for (int rank = 0; rank < size; ++rank)
                EXPECT_THAT(in[static_cast<std::size_t>(rank)],
                            ElementsAre(content((rank + size - 1) % size, 1),
                                        content((rank + 1) % size, 0)))
                    << size << " ranks, seed " << seed;
        }
}

TEST(Neighbourhood, OpenBordersAreLeftAlone) {
    for (const bool same_to_all : {false, true}) {
        const auto in = exchanged(line(3, false), options_for(3), same_to_all);
        EXPECT_THAT(in[0], ElementsAre(-1, content(1, 0)));
        EXPECT_THAT(in[1], ElementsAre(content(0, same_to_all ? 0 : 1), content(2, 0)));
        EXPECT_THAT(in[2], ElementsAre(content(1, same_to_all ? 0 : 1), -1));
        const auto alone = exchanged(line(1, false), options_for(1), same_to_all);
        EXPECT_THAT(alone[0], ElementsAre(-1, -1));
    }
}

TEST(Neighbourhood, EdgesOfOnePairComeInTheirOrder) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        sim::Random random(seed);
        const std::size_t ranks = 1 + random.below(7);
        std::vector<Neighbours> all(ranks);
        for (std::uint64_t edges = random.below(30); edges > 0; --edges) {
            const std::uint64_t from = random.below(ranks);
            const std::uint64_t to = random.below(ranks);
            all[from].destinations.push_back(static_cast<int>(to));
            all[to].sources.push_back(static_cast<int>(from));
        }
        // The sources of a rank may stand in any order, too.
        for (Neighbours& neighbours : all)
            for (std::size_t i = neighbours.sources.size(); i > 1; --i)
                std::swap(neighbours.sources[i - 1], neighbours.sources[random.below(i)]);
        for (const bool same_to_all : {false, true}) {
            const auto in = exchanged(all, options_for(ranks, seed), same_to_all);
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                std::map<int, std::size_t> looked_at;  // of that source's destinations
                for (std::size_t i = 0; i < in[rank].size(); ++i) {
                    const int source = all[rank].sources[i];
                    const auto& list = all[static_cast<std::size_t>(source)].destinations;
                    std::size_t& place = looked_at[source];
                    while (list[place] != static_cast<int>(rank))
                        ++place;
                    EXPECT_EQ(in[rank][i], content(source, same_to_all ? 0 : place))
                        << "seed " << seed;
                    ++place;
                }
            }
        }
    }
}

TEST(Neighbourhood, OthersLengthsAreNoticed) {
    std::vector<Neighbours> all(1);
    all[0].sources = all[0].destinations = {0};
    MemoryJob(options_for(1)).run([&](Team& team) {
        Numbers out(2);
        Numbers in(1);
        neighbour_allgather(team, all[0], ConstBuffer(out.data(), 2, number()),
                            Blocks(Buffer{in.data(), 1, &number()}));
        EXPECT_TRUE(team.disagreed());
    });
}

}  // namespace
}  // namespace railyard::mpi
