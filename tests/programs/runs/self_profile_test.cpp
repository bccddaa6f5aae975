// Where a run's own time goes: which part a function belongs to, and that all of the time is told.

#include "programs/runs/self_profile.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"

namespace railyard::runs {
namespace {

TEST(SelfProfile, KnowsPartsByTheNamesOfFunctions) {
    EXPECT_EQ(part_of_function("_ZN8railyard3sim10EventQueue6refillEv"), "event queue");
    EXPECT_EQ(part_of_function("_ZN8railyard3sim6Engine5enterERNS0_5FiberE"), "fibers and hosts");
    EXPECT_EQ(part_of_function("jump_fcontext"), "fibers and hosts");
    EXPECT_EQ(part_of_function("_ZN8railyard5hosts11VirtualHost6notifyEv"), "fibers and hosts");
    EXPECT_EQ(part_of_function("_ZN8railyard5model4Lane4stepEv"), "network parts");
    EXPECT_EQ(part_of_function("_ZN8railyard12virtual_time8Endpoint5serveEv"), "endpoints");
    EXPECT_EQ(part_of_function("_ZN8railyard3mpi7Process4waitERNS0_7RequestE"), "MPI library");
    EXPECT_EQ(part_of_function("_ZN8railyard8programs4haloEiPPc"), "program");
    EXPECT_EQ(part_of_function("_ZN8railyard3job3runERKNS0_7OptionsE"), "the rest");
    EXPECT_EQ(part_of_function("main"), "");
    EXPECT_EQ(part_of_function(""), "");
    EXPECT_EQ(part_of_function("_ZN8railyard999modelE"), "the rest") << "a name that is cut off";
}

/// An action's function is named after the queue's, and does another one's work.
TEST(SelfProfile, KnowsWhoseAnEventIs) {
    EXPECT_EQ(part_of_function("_ZZN8railyard3sim6Action9make_typeIZNS_5model4Lane4stepEvEUlvE_EE"
                               "NS1_4TypeEvENUlPvE_4_FUNES5_"),
              "network parts");
    EXPECT_EQ(part_of_function("_ZN8railyard3sim6ActionD2Ev"), "event queue");
}

/// By the processor's time, so that other load changes nothing.
TEST(SelfProfile, TellsAllOfTheTime) {
    SelfSampling sampling;
    const auto begin = thread_clock::now();
    while (thread_clock::now() - begin < Duration::ms(200)) {
    }
    const SelfProfile profile = sampling.end();
    EXPECT_GE(profile.processor_seconds, 0.2);
    EXPECT_GE(profile.seconds, 0);
    ASSERT_GT(profile.samples, 0u);
    double sum = 0;
    for (const SelfProfile::Part& part : profile.parts)
        sum += part.share;
    EXPECT_NEAR(sum, 1, 1e-9);
}

}  // namespace
}  // namespace railyard::runs
