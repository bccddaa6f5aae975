// `railyard fabrics`: what there is, what one of them is made of, and a user's own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/program.hpp"
#include "results/json.hpp"

namespace railyard::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string shown(const Arguments& arguments) {
    const Ended ended = railyard(arguments);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    return ended.out;
}

TEST(Fabrics, AreListedByTheirClock) {
    const std::string all = shown({"fabrics"});
    EXPECT_THAT(all, StartsWith("real: "));
    const auto models = all.find("\nvirtual: ");
    ASSERT_NE(models, std::string::npos);
    EXPECT_LT(all.find("\n  shm "), models);
    EXPECT_GT(all.find("\n  ideal "), models);
    EXPECT_GT(all.find("\n  infiniband-pcie "), models);
}

TEST(Fabrics, OneShowsWhatItCanDo) {
    const std::string ideal = shown({"fabrics", "ideal"});
    EXPECT_THAT(ideal, StartsWith("ideal: "));
    EXPECT_THAT(ideal, HasSubstr("virtual"));
    EXPECT_THAT(ideal, Not(HasSubstr("Parameters of")));
}

TEST(Fabrics, AModelShowsItsPartsAndWhereEachValueComesFrom) {
    const std::string model = shown({"fabrics", "infiniband-memfree"});
    EXPECT_THAT(model, HasSubstr("\nParameters of profiles/infiniband-memfree.toml,\n"
                                 "which extends profiles/infiniband-pcie.toml"));
    EXPECT_THAT(model, HasSubstr("\n[link] what a packet takes of the wire\n"));
    EXPECT_THAT(model, ContainsRegex("\n  entries +8 +connections it holds; 0: never misses\n"
                                     " +fitted: rashti07.multiconn.latency.ib.limit"));
    EXPECT_THAT(model, ContainsRegex("\\(profiles/infiniband-pcix-liu04.toml:[0-9]+\\)\n"));
    EXPECT_THAT(model, HasSubstr(" (default)\n"));
}

TEST(Fabrics, AModelIsAProfileToStartFrom) {
    const ScratchDirectory folder;
    const std::string path = folder.file("mine.toml");
    std::ofstream(path) << shown({"fabrics", "quadrics", "--toml"});
    EXPECT_THAT(shown({"fabrics", path}), AllOf(StartsWith("mine: "), HasSubstr("petrini02")));
    EXPECT_THAT(complaint({"fabrics", "shm", "--toml"}), HasSubstr("shm is no model"));
    EXPECT_THAT(complaint({"fabrics", "--toml"}), HasSubstr("of which fabric?"));
}

TEST(Fabrics, AUsersProfileIsAFabricLikeAnyOther) {
    const ScratchDirectory folder;
    const std::string path = folder.file("mine.toml");
    std::ofstream(path) << "extends = \"infiniband-pcie\"\n";
    const std::string rows = shown({"measure", "latency-uni", "--on", "ideal," + path, "--sizes",
                                    "8", "--ops", "rdma_write", "--csv=-"});
    EXPECT_THAT(rows, HasSubstr("mine"));
    EXPECT_THAT(rows, HasSubstr("ideal"));
}

TEST(Fabrics, AWrongProfileIsToldWhere) {
    const ScratchDirectory folder;
    const std::string path = folder.file("mine.toml");
    std::ofstream(path) << "extends = \"quadrics\"\n[link]\nrate = \"400\"\n";
    for (const Arguments& call :
         {Arguments{"fabrics", path}, Arguments{"measure", "latency-uni", "--on", path}})
        EXPECT_THAT(complaint(call), StartsWith("railyard: " + path + ":3:1: link.rate: expected"));
    EXPECT_THAT(complaint({"fabrics", "./no-such.toml"}), HasSubstr("there is no such file"));
}

TEST(Lists, AreThereForProgramsToo) {
    using results::Json;
    const auto has = [](const Json& list, const char* name) {
        return std::ranges::any_of(list, [&](const Json& one) { return one["name"] == name; });
    };
    const Json fabrics = Json::parse(shown({"fabrics", "--json"}));
    EXPECT_TRUE(has(fabrics, "shm"));
    EXPECT_TRUE(has(fabrics, "quadrics"));
    const Json one = Json::parse(shown({"fabrics", "infiniband-pcie", "--json"}));
    EXPECT_EQ(one["time"], "virtual");
    EXPECT_TRUE(has(one["parts"], "link"));
    const Json experiments = Json::parse(shown({"experiments", "--json"}));
    EXPECT_TRUE(has(experiments, "mpi-latency"));
    const Json latency = Json::parse(shown({"experiments", "latency-uni", "--json"}));
    EXPECT_EQ(latency["ops"][0], "send_recv");
    EXPECT_GT(latency["sizes"].size(), 10U);
    const Json mpi = Json::parse(shown({"mpi-info", "--on", "ideal", "--json"}));
    EXPECT_TRUE(has(mpi["settings"], "eager-limit"));
    EXPECT_FALSE(mpi["counters"].empty());
    const Json records = Json::parse(shown({"reproduce", "--list", "--json"}));
    EXPECT_EQ(records[0]["record"].get<std::string>().substr(0, 3), "liu");
    EXPECT_EQ(complaint({"fabrics", "ideal", "--json", "--toml"}),
              "railyard: --toml and --json: give one of them\n");
}

}  // namespace
}  // namespace railyard::cli
