// network-collectives: what it compares, and that the network's way hardly grows with the nodes.

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "experiments/core/plan.hpp"
#include "experiments/measure.hpp"

namespace railyard::experiments {
namespace {

namespace parameter = results::parameter;
using ::testing::ElementsAre;

std::vector<std::string> compared(const char* fabric) {
    std::vector<std::string> all;
    for (const Variant& variant :
         variants_of(*find("network-collectives"), *job::find_fabric(fabric), {}))
        all.push_back(std::to_string(variant.ranks) + " " +
                      results::to_string(variant.parameters.at(parameter::mode)));
    return all;
}

TEST(NetworkCollectives, AreComparedWithMessagesWhereThereAreAny) {
    EXPECT_THAT(
        compared("quadrics"),
        ElementsAre("4 network", "4 messages", "16 network", "16 messages", "64 network",
                    "64 messages", "256 network", "256 messages", "1024 network", "1024 messages"));
    EXPECT_THAT(compared("ideal"), ElementsAre("4 messages", "16 messages", "64 messages"));
    EXPECT_THAT(compared("shm"), ElementsAre("2 messages", "4 messages"));
}

TEST(NetworkCollectives, HardlyTakeLongerOnMoreNodes) {
    std::map<std::string, double> us;
    for (const int ranks : {4, 64}) {
        const Plan plan{.experiments = {find("network-collectives")},
                        .fabrics = {"quadrics"},
                        .wishes = {.sizes = std::vector{Bytes(4096)}},
                        .ranks = ranks};
        for (const results::Row& row : run(plan, {}).rows)
            us[text(row, parameter::collective) + " by " + text(row, parameter::mode) + " on " +
               std::to_string(ranks)] = row.value;
    }
    EXPECT_EQ(us.size(), 8U);
    for (const std::string collective : {"barrier", "bcast"}) {
        SCOPED_TRACE(collective);
        EXPECT_LT(us[collective + " by network on 64"], 1.5 * us[collective + " by network on 4"]);
        EXPECT_GT(us[collective + " by messages on 64"], 2 * us[collective + " by messages on 4"]);
        EXPECT_LT(us[collective + " by network on 4"], us[collective + " by messages on 4"]);
    }
}

}  // namespace
}  // namespace railyard::experiments
