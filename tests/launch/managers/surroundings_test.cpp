// Which launcher a process belongs to, by what it inherits.

#include "launch/managers/surroundings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "railyard/base/error.hpp"

namespace railyard::managers {
namespace {

using Variables = std::map<std::string, std::string>;
using ::testing::HasSubstr;

/// Descriptor 7 is a socket.
Surroundings with(const Variables& variables) {
    return {[&variables](const char* name) -> const char* {
                const auto found = variables.find(name);
                return found == variables.end() ? nullptr : found->second.c_str();
            },
            [](int fd) { return fd == 7; }};
}

Road road(const Variables& variables) {
    return choose_road(with(variables));
}

std::string complaint(const Variables& variables) {
    try {
        road(variables);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

TEST(Surroundings, NothingIsAJobOfOne) {
    EXPECT_EQ(road({}), Road::none);
    EXPECT_EQ(road({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), Road::none) << "a batch script";
    EXPECT_EQ(road({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}),
              Road::none);
    EXPECT_EQ(road({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}), Road::none);
}

TEST(Surroundings, EachLauncherIsKnown) {
    EXPECT_EQ(road({{"PMI_FD", "7"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), Road::pmi);
    EXPECT_EQ(road({{"PMI_PORT", "a:1"}, {"PMI_ID", "0"}}), Road::pmi_port);
    EXPECT_EQ(road({{"PMIX_NAMESPACE", "x"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), Road::pmix);
    EXPECT_EQ(road({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}),
              Road::slurm);
}

TEST(Surroundings, TheInnermostLauncherCounts) {
    // mpirun inside mpiexec.hydra leaves the variable, not the socket.
    EXPECT_EQ(road({{"PMI_FD", "8"}, {"PMI_SIZE", "2"}, {"PMIX_NAMESPACE", "x"}}), Road::pmix);
    // mpiexec.hydra inside mpirun, and in a step of srun.
    EXPECT_EQ(road({{"PMI_FD", "7"}, {"PMIX_NAMESPACE", "x"}}), Road::pmi);
    EXPECT_EQ(road({{"PMI_FD", "7"},
                    {"SLURM_STEP_ID", "0"},
                    {"SLURM_PROCID", "1"},
                    {"SLURM_NTASKS", "2"}}),
              Road::pmi);
}

TEST(Surroundings, ALauncherWithoutARoadIsAnErrorWithAdvice) {
    EXPECT_THAT(complaint({{"PMI_FD", "8"}, {"PMI_SIZE", "2"}}), HasSubstr("closes PMI_FD"));
    EXPECT_THAT(complaint({{"OMPI_COMM_WORLD_SIZE", "4"}}), HasSubstr("PMIX_NAMESPACE"));
    EXPECT_THAT(complaint({{"PALS_RANKID", "0"}}), HasSubstr("PALS"));
    EXPECT_EQ(complaint({{"PALS_RANKID", "0"}, {"PMI_SIZE", "1"}}), "none");
    EXPECT_EQ(complaint({{"PALS_RANKID", "0"}, {"RAILYARD_LAUNCH", "self"}}), "none");
}

TEST(Surroundings, TheUserMayChoose) {
    const Variables all{{"PMI_FD", "7"}, {"PMIX_NAMESPACE", "x"}};
    for (const auto& [name, expected] : std::map<std::string, Road>{{"pmi", Road::pmi},
                                                                    {"pmix", Road::pmix},
                                                                    {"slurm", Road::slurm},
                                                                    {"self", Road::none}}) {
        Variables chosen = all;
        chosen["RAILYARD_LAUNCH"] = name;
        EXPECT_EQ(road(chosen), expected) << name;
    }
    EXPECT_THAT(complaint({{"RAILYARD_LAUNCH", "hydra"}}),
                HasSubstr("expected pmi, pmix, slurm or self, found 'hydra'"));
    EXPECT_THAT(complaint({{"RAILYARD_LAUNCH", "pmi"}}), HasSubstr("no open socket"));
}

TEST(Surroundings, WhatARankStartsIsNoRankOfItsJob) {
    Variables inherited{{"SLURM_JOB_ID", "3"},
                        {"SLURM_STEP_ID", "0"},
                        {"SLURM_PROCID", "1"},
                        {"SLURM_NTASKS", "2"}};
    inherited["RAILYARD_JOINED"] = fingerprint(with(inherited));
    EXPECT_EQ(road(inherited), Road::none);
    inherited["SLURM_STEP_ID"] = "1";
    EXPECT_EQ(road(inherited), Road::slurm) << "but a launcher that it calls makes ranks";
    inherited["SLURM_STEP_ID"] = "0";
    inherited["PMI_FD"] = "7";
    EXPECT_EQ(road(inherited), Road::pmi);
}

}  // namespace
}  // namespace railyard::managers
