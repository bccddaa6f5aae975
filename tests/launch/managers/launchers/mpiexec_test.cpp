// Our mpiexec inside an allocation: it is srun's job.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "launch/managers/launchers/engines.hpp"
#include "launch/within.hpp"

namespace railyard::managers {
namespace {

using namespace testing;
using ::testing::HasSubstr;

class MpiexecInAnAllocation : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = missing(Engine::slurm_pmi2); !why.empty()) GTEST_SKIP() << why;
        ::setenv("SLURM_JOB_ID", allocation().c_str(), 1);
        ::setenv("SLURM_JOB_NUM_NODES", "2", 1);
        ::setenv("SLURM_NTASKS", "3", 1);
        ::setenv("SLURM_OVERLAP", "1", 1);  // with the steps of other tests
    }
    void TearDown() override {
        for (const char* name :
             {"SLURM_JOB_ID", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_OVERLAP"})
            ::unsetenv(name);
    }
    static Ended mpiexec(Words words) {
        words.insert(words.begin(), {"-k", "5", "60", RAILYARD_BIN "/mpiexec"});
        return Started("/usr/bin/timeout", words).end();
    }
};

TEST_F(MpiexecInAnAllocation, TakesAllItsTasks) {
    const Ended ended = mpiexec({"--verbose", program(), "hello"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("srun --mpi=pmi2"));
    EXPECT_THAT(ended.out, HasSubstr("rank 2 of 3, "));
}

TEST_F(MpiexecInAnAllocation, PlacesRanksOnItsHosts) {
    const Ended ended = mpiexec({"-l", "--hosts", "n2:2,n1", program(), "hello"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    for (const char* line : {"0: rank 0 of 3, 2 on its node", "1: rank 1 of 3, 2 on its node",
                             "2: rank 2 of 3, 1 on its node"})
        EXPECT_THAT(ended.out, HasSubstr(line));
}

TEST_F(MpiexecInAnAllocation, RunsSeveralProgramsAsOneJob) {
    const Ended ended = mpiexec({"-l", "-n", "2", program(), "hello", ":", "-n", "1", "-wdir",
                                 "/usr", "-env", "WORD", "its own", "sh", "-c",
                                 "echo \"$WORD\" $(pwd); exec " + program() + " hello"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("2: its own /usr\n"));
    EXPECT_THAT(ended.out, HasSubstr("2: rank 2 of 3, "));
}

TEST_F(MpiexecInAnAllocation, EndsAllWhenOneIsKilledAndAtItsLimit) {
    const Ended killed = mpiexec({"-n", "3", program(), "die", "1"});
    EXPECT_EQ(killed.exit_code, 143) << killed.err;
    EXPECT_LT(killed.seconds, within(3));
    EXPECT_EQ(mpiexec({"--timeout", "1", "-n", "3", program(), "wait"}).exit_code, 124);
}

}  // namespace
}  // namespace railyard::managers
