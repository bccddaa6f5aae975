// From all to all: every algorithm against what MPI says they do.

#include <gtest/gtest.h>

#include "mpi/collectives/area.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/forced.hpp"
#include "sim/random.hpp"

namespace railyard::mpi {
namespace {

constexpr std::size_t each = 12;  // bytes of three ints

const Datatype& random_type(sim::Random& random) {
    const auto& types = types_of_three_ints();
    return *types[random.below(types.size())];
}

Packed block_between(std::size_t from, std::size_t to, std::size_t count) {
    return random_bytes(count * each, from * 1000 + to);
}

class AllToAll : public testing::TestWithParam<int> {};

TEST_P(AllToAll, Allgather) {
    for_each_algorithm(Collective::allgather, GetParam(), 8, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 200);
        const auto ranks = static_cast<std::size_t>(options.ranks);
        const std::size_t count = random.below(random.below(3) == 0 ? 300 : 8);
        const bool in_result = random.below(2) == 0;
        std::vector<Area> mine;
        std::vector<Area> all;
        std::vector<Area> expected;
        for (std::size_t i = 0; i < ranks; ++i) {
            const Packed block = block_between(i, 0, count);
            mine.push_back(Area(count, random_type(random)).put(0, block));
            all.emplace_back(count * ranks, random_type(random));
            expected.push_back(all.back());
            for (std::size_t from = 0; from < ranks; ++from)
                expected.back().put(from * count, block_between(from, 0, count));
            if (in_result) all.back().put(i * count, block);
        }
        MemoryJob(options).run([&](Team& team) {
            const auto i = static_cast<std::size_t>(team.rank());
            allgather(team, in_result ? in_place() : mine[i].buffer(), all[i].buffer(count));
        });
        EXPECT_TRUE(all == expected) << "count " << count;
    });
}

TEST_P(AllToAll, Allgatherv) {
    for_each_algorithm(
        Collective::allgatherv, GetParam(), 8, [](const MemoryJob::Options& options) {
            sim::Random random(options.seed, 201);
            const auto ranks = static_cast<std::size_t>(options.ranks);
            const bool in_result = random.below(2) == 0;
            const std::vector<int> counts = Uneven::random_counts(options.ranks, random);
            std::vector<Uneven> shapes;
            std::vector<Area> mine;
            std::vector<Area> all;
            std::vector<Area> expected;
            std::vector<Blocks> blocks;
            for (std::size_t i = 0; i < ranks; ++i) {
                const auto count = static_cast<std::size_t>(counts[i]);
                shapes.emplace_back(counts, random);
                mine.push_back(Area(count, random_type(random)).put(0, block_between(i, 0, count)));
                const Datatype& type = random_type(random);
                all.emplace_back(shapes[i].total, type);
                expected.push_back(all[i]);
                for (std::size_t from = 0; from < ranks; ++from) {
                    const auto at = static_cast<std::size_t>(shapes[i].displacements[from]);
                    const Packed block =
                        block_between(from, 0, static_cast<std::size_t>(counts[from]));
                    expected[i].put(at, block);
                    if (in_result && from == i) all[i].put(at, block);
                }
                blocks.emplace_back(all[i].address(), shapes[i].counts.data(),
                                    shapes[i].displacements.data(), type);
            }
            MemoryJob(options).run([&](Team& team) {
                const auto i = static_cast<std::size_t>(team.rank());
                allgatherv(team, in_result ? in_place() : mine[i].buffer(), blocks[i]);
            });
            EXPECT_TRUE(all == expected);
        });
}

TEST_P(AllToAll, Alltoall) {
    for_each_algorithm(Collective::alltoall, GetParam(), 8, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 202);
        const auto ranks = static_cast<std::size_t>(options.ranks);
        // The long ones are more than Bruck's algorithm has under way at once.
        const std::size_t count = random.below(random.below(3) == 0 ? 3000 : 8);
        const bool in_result = random.below(2) == 0;
        std::vector<Area> out;
        std::vector<Area> in;
        std::vector<Area> expected;
        for (std::size_t i = 0; i < ranks; ++i) {
            out.emplace_back(count * ranks, random_type(random));
            in.emplace_back(count * ranks, random_type(random));
            expected.push_back(in.back());
            for (std::size_t other = 0; other < ranks; ++other) {
                (in_result ? in : out)[i].put(other * count, block_between(i, other, count));
                expected[i].put(other * count, block_between(other, i, count));
            }
        }
        MemoryJob(options).run([&](Team& team) {
            const auto i = static_cast<std::size_t>(team.rank());
            alltoall(team, in_result ? in_place() : out[i].buffer(count), in[i].buffer(count));
        });
        EXPECT_TRUE(in == expected) << "count " << count << " in place " << in_result;
    });
}

/// The lengths of blocks from every rank to every other; the same both ways, as in place they must
/// be, or any.
std::vector<std::vector<int>> random_lengths(std::size_t ranks, bool both_ways,
                                             sim::Random& random) {
    std::vector<std::vector<int>> lengths(ranks);
    for (std::vector<int>& from : lengths)
        from = Uneven::random_counts(static_cast<int>(ranks), random);
    for (std::size_t i = 0; both_ways && i < ranks; ++i)
        for (std::size_t j = 0; j < i; ++j)
            lengths[i][j] = lengths[j][i];
    return lengths;
}

/// What a rank receives from each.
std::vector<int> lengths_to(std::size_t rank, const std::vector<std::vector<int>>& lengths) {
    std::vector<int> to;
    for (const std::vector<int>& from : lengths)
        to.push_back(from[rank]);
    return to;
}

TEST_P(AllToAll, Alltoallv) {
    for_each_algorithm(Collective::alltoallv, GetParam(), 8, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 203);
        const auto ranks = static_cast<std::size_t>(options.ranks);
        const bool in_result = random.below(2) == 0;
        const auto lengths = random_lengths(ranks, in_result, random);
        std::vector<Uneven> out_shapes;
        std::vector<Uneven> in_shapes;
        std::vector<Area> out;
        std::vector<Area> in;
        std::vector<Area> expected;
        for (std::size_t i = 0; i < ranks; ++i) {
            out_shapes.emplace_back(lengths[i], random);
            in_shapes.emplace_back(lengths_to(i, lengths), random);
            out.emplace_back(out_shapes[i].total, random_type(random));
            in.emplace_back(in_shapes[i].total, random_type(random));
            expected.push_back(in[i]);
            for (std::size_t other = 0; other < ranks; ++other) {
                const auto sent = static_cast<std::size_t>(lengths[i][other]);
                const auto received = static_cast<std::size_t>(lengths[other][i]);
                const Uneven& shape = in_result ? in_shapes[i] : out_shapes[i];
                (in_result ? in : out)[i].put(static_cast<std::size_t>(shape.displacements[other]),
                                              block_between(i, other, sent));
                expected[i].put(static_cast<std::size_t>(in_shapes[i].displacements[other]),
                                block_between(other, i, received));
            }
        }
        const auto blocks = [](Area& area, const Uneven& shape) {
            return Blocks(area.address(), shape.counts.data(), shape.displacements.data(),
                          *area.buffer().type);
        };
        MemoryJob(options).run([&](Team& team) {
            const auto i = static_cast<std::size_t>(team.rank());
            alltoallv(team, in_result ? Blocks::in_place() : blocks(out[i], out_shapes[i]),
                      blocks(in[i], in_shapes[i]));
        });
        EXPECT_TRUE(in == expected) << "in place " << in_result;
    });
}

/// One rank's arguments of alltoallw: each block an area of its own, at an absolute address.
struct Typed {
    std::vector<Area> areas;
    std::vector<int> counts;
    std::vector<std::int64_t> addresses;
    std::vector<const Datatype*> types;

    void add(std::size_t count, const Datatype& type) {
        areas.emplace_back(count, type);
        counts.push_back(static_cast<int>(count));
        types.push_back(&type);
    }
    Blocks blocks() {
        addresses.clear();
        for (Area& area : areas)
            addresses.push_back(reinterpret_cast<std::int64_t>(area.address()));
        return Blocks(nullptr, counts.data(), addresses.data(), types.data());
    }
};

TEST_P(AllToAll, Alltoallw) {
    for_each_algorithm(Collective::alltoallw, GetParam(), 8, [](const MemoryJob::Options& options) {
        sim::Random random(options.seed, 204);
        const auto ranks = static_cast<std::size_t>(options.ranks);
        const bool in_result = random.below(2) == 0;
        const auto lengths = random_lengths(ranks, in_result, random);
        std::vector<Typed> out(ranks);
        std::vector<Typed> in(ranks);
        std::vector<Typed> expected;
        for (std::size_t i = 0; i < ranks; ++i) {
            for (std::size_t other = 0; other < ranks; ++other) {
                out[i].add(static_cast<std::size_t>(lengths[i][other]), random_type(random));
                in[i].add(static_cast<std::size_t>(lengths[other][i]), random_type(random));
            }
            expected.push_back(in[i]);
            for (std::size_t other = 0; other < ranks; ++other) {
                const auto sent = static_cast<std::size_t>(lengths[i][other]);
                const auto received = static_cast<std::size_t>(lengths[other][i]);
                (in_result ? in : out)[i].areas[other].put(0, block_between(i, other, sent));
                expected[i].areas[other].put(0, block_between(other, i, received));
            }
        }
        MemoryJob(options).run([&](Team& team) {
            const auto i = static_cast<std::size_t>(team.rank());
            alltoallw(team, in_result ? Blocks::in_place() : out[i].blocks(), in[i].blocks());
        });
        for (std::size_t i = 0; i < ranks; ++i)
            EXPECT_TRUE(in[i].areas == expected[i].areas) << "rank " << i;
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, AllToAll, some_ranks());

}  // namespace
}  // namespace railyard::mpi
