// Collectives of a divided team, where no send ends before its receive: nobody may wait in a
// circle, and no message may be left over.

#include "mpi/collectives/inter.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/memory_job.hpp"

namespace railyard::mpi {
namespace {

using Ints = std::vector<int>;

const Datatype& integer() {
    return *predefined(Basic::c_int);
}

ConstBuffer sent(const Ints& ints, std::size_t count) {
    return {ints.data(), count, integer()};
}
Buffer room(Ints& ints, std::size_t count) {
    return {ints.data(), count, &integer()};
}

struct Groups {
    int ranks;
    int first;  ///< ranks of the first group

    bool is_first(const Team& team) const { return team.rank() < first; }
    int own_size(const Team& team) const { return is_first(team) ? first : ranks - first; }
    int other_size(const Team& team) const { return ranks - own_size(team); }
    int own_rank(const Team& team) const { return team.rank() - (is_first(team) ? 0 : first); }
    /// A rank of the other group as one of the team.
    int other(const Team& team, int rank) const { return rank + (is_first(team) ? first : 0); }
};

class DividedTeams : public testing::TestWithParam<Groups> {
  protected:
    void run(const std::function<void(Team&, const Groups&)>& body) {
        for (const bool buffered : {false, true}) {
            MemoryJob::Options options;
            options.ranks = GetParam().ranks;
            options.buffered = buffered;
            MemoryJob(options).run([&](Team& team) {
                team.divide_at(GetParam().first);
                body(team, GetParam());
                EXPECT_FALSE(team.disagreed());
            });
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Of, DividedTeams,
                         testing::Values(Groups{2, 1}, Groups{3, 1}, Groups{5, 4}, Groups{8, 4},
                                         Groups{40, 3}, Groups{97, 60}),
                         [](const auto& info) {
                             return std::to_string(info.param.first) + "_of_" +
                                    std::to_string(info.param.ranks);
                         });

/// The other group's ranks of the team, one number each.
Ints others(const Team& team, const Groups& groups, int count = 1) {
    Ints all;
    for (int rank = 0; rank < groups.other_size(team); ++rank)
        all.insert(all.end(), static_cast<std::size_t>(count), groups.other(team, rank));
    return all;
}

TEST_P(DividedTeams, AllGather) {
    run([](Team& team, const Groups& groups) {
        for (const std::size_t count : {1u, 3000u}) {
            const Ints mine(count, team.rank());
            Ints all(count * static_cast<std::size_t>(groups.other_size(team)));
            allgather(team, sent(mine, count), room(all, count));
            EXPECT_EQ(all, others(team, groups, static_cast<int>(count)));
        }
    });
}

TEST_P(DividedTeams, AllToAll) {
    run([](Team& team, const Groups& groups) {
        Ints out;
        Ints expected;
        for (const int other : others(team, groups)) {
            out.push_back(1000 * team.rank() + other);
            expected.push_back(1000 * other + team.rank());
        }
        Ints in(out.size());
        alltoall(team, sent(out, 1), room(in, 1));
        EXPECT_EQ(in, expected);
    });
}

TEST_P(DividedTeams, EveryRootInTurn) {
    run([](Team& team, const Groups& groups) {
        for (int root = 0; root < team.size(); ++root) {
            const bool is_own = (root < groups.first) == groups.is_first(team);
            int argument = root - (root < groups.first ? 0 : groups.first);
            if (is_own) argument = root == team.rank() ? inter::root_here : inter::no_root;
            Ints data = {root == team.rank() ? root : -1};
            bcast(team, room(data, 1), argument);
            EXPECT_EQ(data[0], is_own && root != team.rank() ? -1 : root);
            // Nothing but its own memory is touched at the root.
            Ints all(static_cast<std::size_t>(groups.other_size(team)) + 2, -1);
            const Ints mine = {team.rank()};
            gather(team, sent(mine, 1), {all.data() + 1, 1, &integer()}, argument);
            if (root == team.rank()) {
                Ints expected = others(team, groups);
                expected.insert(expected.begin(), -1);
                expected.push_back(-1);
                EXPECT_EQ(all, expected);
            }
            const Ints dealt = others(team, groups);
            Ints got = {-1};
            scatter(team, sent(dealt, 1), room(got, 1), argument);
            EXPECT_EQ(got[0], is_own ? -1 : team.rank());
        }
    });
}

TEST_P(DividedTeams, Reductions) {
    run([](Team& team, const Groups& groups) {
        int expected = 0;
        for (const int other : others(team, groups))
            expected += other;
        const Ints mine = {team.rank(), 1};
        Ints total(2);
        allreduce(team, sent(mine, 2), room(total, 2), *predefined(Operation::Kind::sum));
        EXPECT_EQ(total, (Ints{expected, groups.other_size(team)}));
        // One number for each rank of the larger group: the smaller one's first ranks get more.
        const int numbers = std::max(groups.first, groups.ranks - groups.first);
        Ints counts(static_cast<std::size_t>(groups.own_size(team)), 1);
        counts.front() += numbers - groups.own_size(team);
        const Ints many(static_cast<std::size_t>(numbers), team.rank());
        Ints share(static_cast<std::size_t>(counts.front()), -1);
        reduce_scatter(team, sent(many, many.size()), room(share, 0), counts.data(),
                       *predefined(Operation::Kind::sum));
        const auto got =
            static_cast<std::size_t>(counts[static_cast<std::size_t>(groups.own_rank(team))]);
        EXPECT_EQ(Ints(share.begin(), share.begin() + static_cast<std::ptrdiff_t>(got)),
                  Ints(got, expected));
    });
}

TEST_P(DividedTeams, ABarrierIsOfBothGroups) {
    int arrived = 0;
    run([&](Team& team, const Groups& groups) {
        ++arrived;
        barrier(team);
        EXPECT_EQ(arrived % groups.ranks, 0) << "somebody has not come yet";
    });
}

}  // namespace
}  // namespace railyard::mpi
