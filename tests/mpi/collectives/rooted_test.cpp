// From one rank to all, and from all to one: every algorithm against what MPI says they do.

#include <gtest/gtest.h>

#include "mpi/collectives/area.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/forced.hpp"
#include "sim/random.hpp"

namespace railyard::mpi {
namespace {

class Rooted : public testing::TestWithParam<int> {
  protected:
    /// Mostly short, sometimes nothing, sometimes long enough to be cut up.
    static std::size_t random_count(sim::Random& random, std::size_t longest) {
        switch (random.below(4)) {
            case 0:
                return random.below(3);
            case 1:
                return random.below(longest);
            default:
                return random.below(50);
        }
    }
    static const Datatype& random_type(sim::Random& random) {
        const auto& types = types_of_three_ints();
        return *types[random.below(types.size())];
    }
    static int random_rank(sim::Random& random, int ranks) {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    }
    static constexpr std::size_t each = 12;  // bytes of three ints
};

TEST_P(Rooted, Bcast) {
    for_each_algorithm(Collective::bcast, GetParam(), 10, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 100);
        const int root = random_rank(random, options.ranks);
        const std::size_t count = random_count(random, 20'000);
        const Packed sent = random_bytes(count * each, options.seed);
        std::vector<Area> areas;
        for (int i = 0; i < options.ranks; ++i)
            areas.emplace_back(count, random_type(random));
        std::vector<Area> expected = areas;
        for (Area& area : expected)
            area.put(0, sent);
        areas[static_cast<std::size_t>(root)].put(0, sent);
        MemoryJob(options).run([&](Team& team) {
            bcast(team, areas[static_cast<std::size_t>(team.rank())].buffer(), root);
        });
        for (int i = 0; i < options.ranks; ++i)
            EXPECT_TRUE(areas[static_cast<std::size_t>(i)] == expected[static_cast<std::size_t>(i)])
                << "rank " << i << " root " << root << " count " << count;
    });
}

TEST_P(Rooted, BcastOfOneTypeToAnother) {
    // Twelve ints as four elements here, as twelve there: the parts are cut by bytes.
    for_each_algorithm(Collective::bcast, GetParam(), 2, [](const MemoryJob::Options& options) {
        const Packed sent = random_bytes(600 * each, options.seed);
        const Datatype& threes = *types_of_three_ints()[2];
        const Datatype& ones = *predefined(Basic::c_int);
        std::vector<Area> areas;
        for (int i = 0; i < options.ranks; ++i)
            areas.emplace_back(i % 2 == 0 ? 600 : 1800, i % 2 == 0 ? threes : ones);
        areas[0].put(0, sent);
        MemoryJob(options).run([&](Team& team) {
            bcast(team, areas[static_cast<std::size_t>(team.rank())].buffer(), 0);
        });
        for (int i = 0; i < options.ranks; ++i)
            EXPECT_TRUE(areas[static_cast<std::size_t>(i)].get(0, i % 2 == 0 ? 600 : 1800) == sent);
    });
}

TEST_P(Rooted, Gather) {
    for_each_algorithm(Collective::gather, GetParam(), 10, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 101);
        const int root = random_rank(random, options.ranks);
        const std::size_t count = random_count(random, 400);
        const bool in_root = random.below(2) == 0;
        const auto ranks = static_cast<std::size_t>(options.ranks);
        Area all(count * ranks, random_type(random));
        Area expected = all;
        std::vector<Area> mine;
        for (std::size_t i = 0; i < ranks; ++i) {
            const Packed block = random_bytes(count * each, options.seed * 100 + i);
            mine.push_back(Area(count, random_type(random)).put(0, block));
            expected.put(i * count, block);
            if (in_root && static_cast<int>(i) == root) all.put(i * count, block);
        }
        MemoryJob(options).run([&](Team& team) {
            const bool is_root = team.rank() == root;
            const Buffer own = is_root && in_root
                                   ? in_place()
                                   : mine[static_cast<std::size_t>(team.rank())].buffer();
            gather(team, own, is_root ? all.buffer(count) : Buffer{}, root);
        });
        EXPECT_TRUE(all == expected) << "root " << root << " count " << count;
    });
}

TEST_P(Rooted, Scatter) {
    for_each_algorithm(Collective::scatter, GetParam(), 10, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 102);
        const int root = random_rank(random, options.ranks);
        const std::size_t count = random_count(random, 400);
        const bool in_root = random.below(2) == 0;
        const auto ranks = static_cast<std::size_t>(options.ranks);
        Area all(count * ranks, random_type(random));
        std::vector<Area> mine;
        std::vector<Area> expected;
        for (std::size_t i = 0; i < ranks; ++i) {
            const Packed block = random_bytes(count * each, options.seed * 100 + i);
            mine.emplace_back(count, random_type(random));
            expected.push_back(mine.back());
            if (!in_root || static_cast<int>(i) != root) expected.back().put(0, block);
            all.put(i * count, block);
        }
        const Area before = all;
        MemoryJob(options).run([&](Team& team) {
            const bool is_root = team.rank() == root;
            const Buffer own = is_root && in_root
                                   ? in_place()
                                   : mine[static_cast<std::size_t>(team.rank())].buffer();
            scatter(team, is_root ? all.buffer(count) : Buffer{}, own, root);
        });
        EXPECT_TRUE(mine == expected) << "root " << root << " count " << count;
        EXPECT_TRUE(all == before);
    });
}

TEST_P(Rooted, Gatherv) {
    for_each_algorithm(Collective::gatherv, GetParam(), 10, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 103);
        const int root = random_rank(random, options.ranks);
        const bool in_root = random.below(2) == 0;
        const Uneven shape(Uneven::random_counts(options.ranks, random), random);
        const Datatype& type = random_type(random);
        Area all(shape.total, type);
        Area expected = all;
        std::vector<Area> mine;
        for (std::size_t i = 0; i < shape.counts.size(); ++i) {
            const auto count = static_cast<std::size_t>(shape.counts[i]);
            const auto at = static_cast<std::size_t>(shape.displacements[i]);
            const Packed block = random_bytes(count * each, options.seed * 100 + i);
            mine.push_back(Area(count, random_type(random)).put(0, block));
            expected.put(at, block);
            if (in_root && static_cast<int>(i) == root) all.put(at, block);
        }
        const Blocks blocks(all.address(), shape.counts.data(), shape.displacements.data(), type);
        MemoryJob(options).run([&](Team& team) {
            const Buffer own = team.rank() == root && in_root
                                   ? in_place()
                                   : mine[static_cast<std::size_t>(team.rank())].buffer();
            gatherv(team, own, blocks, root);
        });
        EXPECT_TRUE(all == expected) << "root " << root;
    });
}

TEST_P(Rooted, Scatterv) {
    for_each_algorithm(Collective::scatterv, GetParam(), 10, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 104);
        const int root = random_rank(random, options.ranks);
        const bool in_root = random.below(2) == 0;
        const Uneven shape(Uneven::random_counts(options.ranks, random), random);
        const std::vector<std::int64_t> wide(shape.counts.begin(), shape.counts.end());
        const Datatype& type = random_type(random);
        Area all(shape.total, type);
        std::vector<Area> mine;
        std::vector<Area> expected;
        for (std::size_t i = 0; i < shape.counts.size(); ++i) {
            const auto count = static_cast<std::size_t>(shape.counts[i]);
            const Packed block = random_bytes(count * each, options.seed * 100 + i);
            mine.emplace_back(count, random_type(random));
            expected.push_back(mine.back());
            if (!in_root || static_cast<int>(i) != root) expected.back().put(0, block);
            all.put(static_cast<std::size_t>(shape.displacements[i]), block);
        }
        const ConstBlocks blocks(all.address(), wide.data(), shape.displacements.data(), type);
        MemoryJob(options).run([&](Team& team) {
            const Buffer own = team.rank() == root && in_root
                                   ? in_place()
                                   : mine[static_cast<std::size_t>(team.rank())].buffer();
            scatterv(team, blocks, own, root);
        });
        EXPECT_TRUE(mine == expected) << "root " << root;
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Rooted, some_ranks());

}  // namespace
}  // namespace railyard::mpi
