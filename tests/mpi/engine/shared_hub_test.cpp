// Collectives through memory that all ranks map.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/hub.hpp"
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
                s.algorithms =
                    "barrier=shared,allreduce=shared,allgather=shared,alltoall=shared,"
                    "bcast=shared,reduce=shared,gather=shared,scatter=shared";
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

// Started and blocking ones in turn; each rank waits for them in an order of its own.
TEST_P(SharedHubs, ServeWhatIsStartedBesideWhatBlocks) {
    run([](World& w, Team& team) {
        const Datatype& type = *predefined(Basic::c_long);
        constexpr std::size_t many = 70;  // more than there are sets
        const long ranks = w.size();
        for (int times = 0; times < 10; ++times) {
            std::vector<std::vector<long>> data(many);
            std::vector<Request*> requests(many);
            for (std::size_t i = 0; i < many; ++i) {
                const int root = static_cast<int>(i) % w.size();
                // Some are long.
                data[i].assign(i % 7 == 3 ? 9'000 : 1 + i, w.rank() + static_cast<long>(i));
                const Buffer own{data[i].data(), data[i].size(), &type};
                requests[i] = &w.process.start_collective(w.comm, [&](Team& t) {
                    if (i % 2 == 0)
                        bcast(t, own, root);
                    else
                        allreduce(t, in_place(), own, *predefined(Operation::Kind::sum));
                });
                if (i % 5 != 0) continue;
                long sum = 1;
                allreduce(team, in_place(), {&sum, 1, &type}, *predefined(Operation::Kind::sum));
                expect(sum == ranks, "wrong sum of a blocking one");
            }
            for (std::size_t n = 0; n < many; ++n) {
                const std::size_t i = (n * 11 + static_cast<std::size_t>(w.rank()) * 3) % many;
                w.process.wait(*requests[i]);
                const auto number = static_cast<long>(i);
                const long sent = static_cast<long>(i) % ranks + number;
                const long sum = ranks * (ranks - 1) / 2 + ranks * number;
                for (const long value : data[i])
                    expect(value == (i % 2 == 0 ? sent : sum), "wrong value");
                w.process.release(*requests[i]);
            }
        }
    });
}

// The first rank has come and is away; those who sleep are woken by the last all the same.
TEST_P(SharedHubs, WakeSleepersWithoutTheFirstRank) {
    std::atomic<int> through{0};
    run([&](World& w, Team& team) {
        barrier(team);
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        const bool is_last = w.rank() == w.size() - 1;
        // Long enough for the others to fall asleep, most times.
        if (is_last) std::this_thread::sleep_for(std::chrono::milliseconds(30));
        Request& request = w.process.start_collective(w.comm, [](Team& t) { barrier(t); });
        if (w.rank() == 0 && w.size() > 2)
            while (through < w.size() - 2 && std::chrono::steady_clock::now() < patience)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        w.process.wait(request);
        w.process.release(request);
        ++through;
        expect(std::chrono::steady_clock::now() < patience, "nobody woke them");
    });
}

// Many that are persistent: the last ones find no set of their own.
TEST_P(SharedHubs, ServePersistentOnes) {
    run([](World& w, Team&) {
        const Datatype& type = *predefined(Basic::c_long);
        constexpr std::size_t many = Hub::small.to_keep + 3;
        std::vector<long> values(many);
        std::vector<Request*> requests;
        for (long& value : values)
            requests.push_back(&w.process.make_persistent_collective(w.comm, [&](Team& t) {
                allreduce(t, in_place(), {&value, 1, &type}, *predefined(Operation::Kind::sum));
            }));
        for (int times = 0; times < 100; ++times) {
            for (std::size_t n = 0; n < many; ++n) {
                const std::size_t i = (n + static_cast<std::size_t>(w.rank())) % many;
                values[i] = w.rank() + times * static_cast<long>(i);
                w.process.start(*requests[i]);
            }
            for (std::size_t i = 0; i < many; ++i) {
                w.process.wait(*requests[i]);
                const long ranks = w.size();
                expect(values[i] == ranks * (ranks - 1) / 2 + ranks * times * static_cast<long>(i),
                       "wrong sum");
            }
        }
        for (Request* const request : requests)
            w.process.release(*request);
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
