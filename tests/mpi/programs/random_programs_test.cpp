// Random programs: every receive's bytes, source, tag and count are what the plan says.

#include <algorithm>

#include "mpi/programs/random_player.hpp"

namespace railyard::mpi::programs {
namespace {

class RandomPrograms : public OnFabrics {
  protected:
    void play(std::uint64_t seed) {
        const Plan plan = draw_plan(seed, GetParam().ranks);
        run([&](int rank, int) { Player(plan, rank).play(); });
    }
};

TEST_P(RandomPrograms, ReceiveWhatWasSent) {
    const auto ranks = static_cast<std::uint64_t>(GetParam().ranks);
    for (std::uint64_t seed = 0; seed < 12 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(100 * ranks + seed));
        play(100 * ranks + seed);
    }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, RandomPrograms,
                         testing::ValuesIn(job_specs({1, 2, 3, 4, 7, 8, 16})), spec_name);
INSTANTIATE_TEST_SUITE_P(Processes, RandomPrograms, testing::ValuesIn(processes({2, 7, 16})),
                         spec_name);

// The test of the test: a plan that promises another message than is sent must fail.
TEST(RandomProgram, ThatIsWrongIsFound) {
    Plan wrong;
    wrong.ranks = 2;
    wrong.comms = draw_plan(1, 2).comms;
    wrong.comms.resize(1);
    PlannedMessage message;
    message.to = 1;
    message.elements = message.room = 5;
    wrong.epochs.push_back({{{false, {message}}}, {false, false}});
    const JobSpec spec{"ideal", 2, job::Kind::fibers};
    expect_to_run(spec, [&](int rank, int) { Player(wrong, rank).play(); });
    const job::Result result = run(spec, [&](int rank, int) {
        Plan mine = wrong;
        mine.epochs[0].events[0].messages[0].id = rank == 0 ? 1 : 2;
        Player(mine, rank).play();
    });
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.failure.find("wrong bytes in message 2"), std::string::npos) << result.failure;
}

// In virtual time nothing is left to chance.
class Determinism : public testing::TestWithParam<const char*> {};

TEST_P(Determinism, OfARandomProgramIsToThePicosecond) {
    const Plan plan = draw_plan(77, 8);
    std::vector<std::string> ends;
    for (int time = 0; time < 2; ++time) {
        job::Options options;
        options.ranks = plan.ranks;
        options.fabric = GetParam();
        std::vector<std::string> these(8);
        const job::Result result = job::run(options, [&](job::Rank& rank) {
            MPI_Init(nullptr, nullptr);
            Player(plan, rank.id()).play();
            MPI_Finalize();
            these[static_cast<std::size_t>(rank.id())] =
                std::to_string(rank.host().now().since_start().picoseconds());
        });
        ASSERT_TRUE(result.ok) << result.failure;
        std::string all;
        for (const std::string& end : these)
            all += end + " ";
        ends.push_back(all);
    }
    EXPECT_NE(ends[0].substr(0, 2), "0 ");
    EXPECT_EQ(ends[0], ends[1]);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Determinism,
                         testing::Values("ideal", "infiniband-pcie", "berkeley-via", "quadrics"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace railyard::mpi::programs
