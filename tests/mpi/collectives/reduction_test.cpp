// Reductions: every algorithm, with operations that commute and one that does not, against
// combining in the order of ranks.

#include <gtest/gtest.h>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/combining.hpp"
#include "mpi/collectives/forced.hpp"
#include "sim/random.hpp"

namespace railyard::mpi {
namespace {

/// One case: every rank's data, in some type, and an operation.
struct Inputs {
    sim::Random random;
    Rule rule;
    Operation operation;
    const Datatype& type;
    std::vector<Packed> packed;
    std::vector<Area> mine;
    bool in_result;

    explicit Inputs(const MemoryJob::Options& options, bool commutes)
        : random(options.seed, 300),
          rule(commutes ? add : compose),
          operation(user_operation(rule, commutes)),
          type(*types_of_two_longs()[random.below(types_of_two_longs().size())]),
          in_result(random.below(2) == 0) {}

    void fill(int ranks, std::size_t count) {
        for (int i = 0; i < ranks; ++i) {
            packed.push_back(random_bytes(count * sizeof(Two), random()));
            mine.push_back(Area(count, type).put(0, packed.back()));
        }
    }
    /// Now and then so much that children's data are taken one by one, or sent in parts.
    std::size_t random_count() { return random.below(random.below(3) == 0 ? 3000 : 20); }
    ConstBuffer given(std::size_t rank) {
        return in_result ? ConstBuffer(in_place()) : ConstBuffer(mine[rank].buffer());
    }
    /// Where the result goes: the data themselves when in place, else room for `count`.
    std::vector<Area> results(std::size_t count) const {
        return in_result ? mine : std::vector<Area>(mine.size(), Area(count, type));
    }
};

void with_both_orders(Collective collective, int ranks,
                      const std::function<void(const MemoryJob::Options&, Inputs&)>& test) {
    for (const bool commutes : {true, false})
        for_each_algorithm(collective, ranks, 8, [&](const MemoryJob::Options& options) {
            SCOPED_TRACE(commutes ? "commutes" : "does not commute");
            Inputs inputs(options, commutes);
            test(options, inputs);
        });
}

class Reduction : public testing::TestWithParam<int> {};

TEST_P(Reduction, Reduce) {
    with_both_orders(
        Collective::reduce, GetParam(), [](const MemoryJob::Options& options, Inputs& in) {
            const std::size_t count = in.random_count();
            in.fill(options.ranks, count);
            const auto ranks = static_cast<std::size_t>(options.ranks);
            const auto root = static_cast<std::size_t>(in.random.below(ranks));
            Area result = in.results(count)[root];
            const Area expected = Area(result).put(0, combined(in.packed, 0, ranks, in.rule));
            const std::vector<Area> before = in.mine;
            MemoryJob(options).run([&](Team& team) {
                const auto i = static_cast<std::size_t>(team.rank());
                if (i == root)
                    reduce(team, in.given(i), result.buffer(), in.operation,
                           static_cast<int>(root));
                else
                    reduce(team, in.mine[i].buffer(), {}, in.operation, static_cast<int>(root));
            });
            EXPECT_TRUE(result == expected) << "root " << root << " count " << count;
            EXPECT_TRUE(in.mine == before);
        });
}

TEST_P(Reduction, Allreduce) {
    with_both_orders(Collective::allreduce, GetParam(),
                     [](const MemoryJob::Options& options, Inputs& in) {
                         const std::size_t count = in.random_count();
                         in.fill(options.ranks, count);
                         std::vector<Area> results = in.results(count);
                         std::vector<Area> expected = results;
                         for (Area& area : expected)
                             area.put(0, combined(in.packed, 0, in.packed.size(), in.rule));
                         const std::vector<Area> before = in.mine;
                         MemoryJob(options).run([&](Team& team) {
                             const auto i = static_cast<std::size_t>(team.rank());
                             allreduce(team, in.given(i), results[i].buffer(), in.operation);
                         });
                         EXPECT_TRUE(results == expected) << "count " << count;
                         EXPECT_TRUE(in.mine == before);
                     });
}

TEST_P(Reduction, ReduceScatter) {
    with_both_orders(
        Collective::reduce_scatter, GetParam(), [](const MemoryJob::Options& options, Inputs& in) {
            const std::vector<int> counts = Uneven::random_counts(options.ranks, in.random);
            std::size_t total = 0;
            for (const int count : counts)
                total += static_cast<std::size_t>(count);
            in.fill(options.ranks, total);
            std::vector<Area> results = in.results(40);
            std::vector<Area> expected;
            const Packed all = combined(in.packed, 0, in.packed.size(), in.rule);
            std::size_t at = 0;
            for (std::size_t i = 0; i < results.size(); ++i) {
                const std::size_t bytes = static_cast<std::size_t>(counts[i]) * sizeof(Two);
                expected.push_back(Area(results[i]).put(0, std::span(all).subspan(at, bytes)));
                at += bytes;
            }
            const std::vector<Area> before = in.mine;
            MemoryJob(options).run([&](Team& team) {
                const auto i = static_cast<std::size_t>(team.rank());
                reduce_scatter(team, in.given(i), results[i].buffer(), counts.data(), in.operation);
            });
            EXPECT_TRUE(results == expected) << "in place " << in.in_result;
            EXPECT_TRUE(in.mine == before);
        });
}

TEST_P(Reduction, ReduceScatterBlock) {
    with_both_orders(
        Collective::reduce_scatter_block, GetParam(),
        [](const MemoryJob::Options& options, Inputs& in) {
            const std::size_t count = in.random.below(30);
            in.fill(options.ranks, count * static_cast<std::size_t>(options.ranks));
            std::vector<Area> results = in.results(count);
            std::vector<Area> expected;
            const Packed all = combined(in.packed, 0, in.packed.size(), in.rule);
            const std::size_t bytes = count * sizeof(Two);
            for (std::size_t i = 0; i < results.size(); ++i)
                expected.push_back(
                    Area(results[i]).put(0, std::span(all).subspan(i * bytes, bytes)));
            MemoryJob(options).run([&](Team& team) {
                const auto i = static_cast<std::size_t>(team.rank());
                reduce_scatter_block(team, in.given(i), results[i].buffer(count), in.operation);
            });
            EXPECT_TRUE(results == expected) << "count " << count << " in place " << in.in_result;
        });
}

TEST_P(Reduction, Scan) {
    with_both_orders(Collective::scan, GetParam(),
                     [](const MemoryJob::Options& options, Inputs& in) {
                         const std::size_t count = in.random_count();
                         in.fill(options.ranks, count);
                         std::vector<Area> results = in.results(count);
                         std::vector<Area> expected = results;
                         for (std::size_t i = 0; i < expected.size(); ++i)
                             expected[i].put(0, combined(in.packed, 0, i + 1, in.rule));
                         MemoryJob(options).run([&](Team& team) {
                             const auto i = static_cast<std::size_t>(team.rank());
                             scan(team, in.given(i), results[i].buffer(), in.operation);
                         });
                         EXPECT_TRUE(results == expected) << "count " << count;
                     });
}

TEST_P(Reduction, Exscan) {
    with_both_orders(Collective::exscan, GetParam(),
                     [](const MemoryJob::Options& options, Inputs& in) {
                         const std::size_t count = in.random_count();
                         in.fill(options.ranks, count);
                         std::vector<Area> results = in.results(count);
                         std::vector<Area> expected = results;
                         for (std::size_t i = 1; i < expected.size(); ++i)
                             expected[i].put(0, combined(in.packed, 0, i, in.rule));
                         MemoryJob(options).run([&](Team& team) {
                             const auto i = static_cast<std::size_t>(team.rank());
                             exscan(team, in.given(i), results[i].buffer(), in.operation);
                         });
                         EXPECT_TRUE(results == expected) << "count " << count;
                     });
}

// Sums of doubles depend on the grouping; it must be the same for all ranks.
TEST_P(Reduction, AllreduceGivesAllRanksTheSameBits) {
    for_each_algorithm(Collective::allreduce, GetParam(), 4, [](const MemoryJob::Options& options) {
        const auto ranks = static_cast<std::size_t>(options.ranks);
        sim::Random random(options.seed, 301);
        const std::size_t count = 1 + random.below(200);
        std::vector<std::vector<double>> data(ranks, std::vector<double>(count));
        std::vector<double> sums(count);
        for (std::vector<double>& mine : data)
            for (std::size_t i = 0; i < count; ++i)
                sums[i] += mine[i] =
                    random.fraction() * static_cast<double>(1 + random.below(1000));
        MemoryJob(options).run([&](Team& team) {
            std::vector<double>& mine = data[static_cast<std::size_t>(team.rank())];
            allreduce(team, in_place(), {mine.data(), count, predefined(Basic::c_double).get()},
                      *predefined(Operation::Kind::sum));
        });
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_NEAR(data[0][i], sums[i], 1e-9 * sums[i]);
        for (const std::vector<double>& mine : data)
            EXPECT_EQ(std::memcmp(mine.data(), data[0].data(), count * sizeof(double)), 0);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Reduction, some_ranks());

}  // namespace
}  // namespace railyard::mpi
