// Collectives through memory that all ranks map.

#include <gtest/gtest.h>

#include <atomic>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/world.hpp"
#include "mpi/types/operation.hpp"
#include "railyard/base/cpu.hpp"

namespace railyard::mpi {
namespace {

/// Some time that no other rank spends.
void dawdle(long seed) {
    for (long i = 0; i < 2000 + seed; ++i)
        relax();
}

class SharedHubs : public testing::TestWithParam<int> {
  protected:
    void run(const std::function<void(World&, Team&)>& body) {
        const job::Result result = run_world(
            "shm", GetParam(),
            [&](World& w) {
                const auto team = w.process.make_team(w.comm);
                body(w, *team);
            },
            [](Settings& s) {
                s.algorithms = s.algorithms =
                    "barrier=shared,allreduce=shared,allgather=shared,alltoall=shared";
                ;
            });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

TEST_P(SharedHubs, NobodyLeavesABarrierBeforeAllHaveCome) {
    std::atomic<int> came{0};
    run([&](World& w, Team& team) {
        for (int round = 1; round <= 500; ++round) {
            ++came;
            barrier(team);
            expect(came >= round * w.size(), "left too early");
            barrier(team);
        }
    });
}

TEST_P(SharedHubs, SumsAreRightAndNoRoundSeesAnother) {
    run([](World& w, Team& team) {
        const Datatype& type = *predefined(Basic::c_long);
        for (long round = 0; round < 500; ++round) {
            const std::size_t n = 1 + static_cast<std::size_t>(round) % 32;
            std::vector<long> in(n);
            std::vector<long> out(n, -1);
            for (std::size_t i = 0; i < n; ++i)
                in[i] = round * 1000 + w.rank() + static_cast<long>(i);
            allreduce(team, ConstBuffer(in.data(), n, type), Buffer{out.data(), n, &type},
                      *predefined(Operation::Kind::sum));
            const long ranks = w.size();
            for (std::size_t i = 0; i < n; ++i)
                expect(out[i] ==
                           ranks * (round * 1000 + static_cast<long>(i)) + ranks * (ranks - 1) / 2,
                       "wrong sum");
        }
    });
}

TEST_P(SharedHubs, BlocksComeFromAllAndNoRoundSeesAnother) {
    run([](World& w, Team& team) {
        const Datatype& type = *predefined(Basic::c_long);
        const auto ranks = static_cast<std::size_t>(w.size());
        for (long round = 0; round < 500; ++round) {
            const std::size_t n = 1 + static_cast<std::size_t>(round) % 15;
            const auto value = [&](int from, int to, std::size_t i) {
                return round * 100'000 + from * 1000 + to * 100 + static_cast<long>(i);
            };
            std::vector<long> own(n);
            std::vector<long> all(ranks * n, -1);
            for (std::size_t i = 0; i < n; ++i)
                own[i] = value(w.rank(), 0, i);
            allgather(team, ConstBuffer(own.data(), n, type), Buffer{all.data(), n, &type});
            for (std::size_t i = 0; i < ranks * n; ++i)
                expect(all[i] == value(static_cast<int>(i / n), 0, i % n), "not that rank's");
            // A slow reader still reads while others go on.
            if (round % 3 == w.rank() % 3) dawdle(round);
            std::vector<long> out(ranks * n);
            for (std::size_t i = 0; i < ranks * n; ++i)
                out[i] = value(w.rank(), static_cast<int>(i / n), i % n);
            const bool in_place_too = round % 2 == 1;
            std::vector<long> in = in_place_too ? out : std::vector<long>(ranks * n, -1);
            alltoall(team, in_place_too ? in_place() : Buffer{out.data(), n, &type},
                     Buffer{in.data(), n, &type});
            for (std::size_t i = 0; i < ranks * n; ++i)
                expect(in[i] == value(static_cast<int>(i / n), w.rank(), i % n), "not for us");
        }
    });
}

TEST_P(SharedHubs, RanksThatDisagreeAboutLengthsAreTold) {
    run([](World& w, Team& team) {
        const Datatype& type = *predefined(Basic::c_long);
        const std::size_t n = w.rank() == 1 ? 2 : 1;
        std::vector<long> own(2);
        std::vector<long> all(2 * static_cast<std::size_t>(w.size()));
        allgather(team, ConstBuffer(own.data(), n, type), Buffer{all.data(), n, &type});
        expect(team.disagreed(), "not told");
        std::vector<long> out(all.size());
        alltoall(team, ConstBuffer(out.data(), n, type), Buffer{all.data(), n, &type});
        expect(team.disagreed(), "not told");
        barrier(team);
        expect(!team.disagreed(), "told twice");
    });
}

TEST_P(SharedHubs, KeepTheOrderOfAnOperationThatDoesNotCommute) {
    run([](World& w, Team& team) {
        // The composition of x -> a x + b: of two, the left one is applied last.
        const Operation compose(
            [](const void* left, void* right, std::size_t count, const Datatype&) {
                const auto* l = static_cast<const long*>(left);
                auto* r = static_cast<long*>(right);
                for (std::size_t i = 0; i + 1 < count; i += 2) {
                    r[i + 1] = l[i] * r[i + 1] + l[i + 1];
                    r[i] = l[i] * r[i];
                }
            },
            false);
        const Datatype& type = *predefined(Basic::c_long);
        for (int round = 0; round < 100; ++round) {
            const long mine[2] = {w.rank() % 3 + 1, w.rank() + round};
            long total[2];
            allreduce(team, ConstBuffer(mine, 2, type), Buffer{total, 2, &type}, compose);
            long a = 1;
            long b = 0;
            for (int r = w.size(); r-- > 0;) {
                b = (r % 3 + 1) * b + r + round;
                a *= r % 3 + 1;
            }
            expect(total[0] == a && total[1] == b, "wrong order");
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedHubs, testing::Values(2, 3, 7, 16));

}  // namespace
}  // namespace railyard::mpi
