#include "interconnects/real/ofi/module/nearness.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace railyard::ofi {
namespace {

TEST(Nearness, KernelListsAreUnderstood) {
    for (const int in : {0, 3, 8, 12})
        EXPECT_TRUE(is_listed(in, "0-3,8,10-12")) << in;
    for (const int out : {4, 9, 13})
        EXPECT_FALSE(is_listed(out, "0-3,8,10-12")) << out;
    EXPECT_FALSE(is_listed(0, ""));
}

/// Two sockets, as the kernel would tell of them.
class TwoSockets : public testing::Test {
  protected:
    void SetUp() override {
        const auto write = [&](const std::string& file, const char* line) {
            std::filesystem::create_directories(folder_ + "/" + file.substr(0, file.rfind('/')));
            std::ofstream(folder_ + "/" + file) << line << '\n';
        };
        write("node0/distance", "10 21");
        write("node0/cpulist", "0-3");
        write("node1/distance", "21 10");
        write("node1/cpulist", "4-7");
        write("adapter/numa_node", "1");
        write("nowhere/numa_node", "-1");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string folder_ = testing::TempDir() + "railyard_two_sockets_" + std::to_string(::getpid());
};

TEST_F(TwoSockets, AnAdapterIsNearToTheCoresOfItsNode) {
    EXPECT_EQ(node_of(folder_ + "/adapter"), 1);
    EXPECT_EQ(distance(1, std::vector{5}, folder_), 10U);
    EXPECT_EQ(distance(1, std::vector{0, 1}, folder_), 21U);
    EXPECT_EQ(distance(1, std::vector{0, 7}, folder_), 10U) << "the nearest of them";
}

TEST_F(TwoSockets, WhatNobodyKnowsIsNothing) {
    EXPECT_FALSE(node_of(folder_ + "/nowhere"));
    EXPECT_FALSE(node_of(folder_ + "/no-such"));
    EXPECT_FALSE(node_of(""));
    EXPECT_EQ(distance(7, std::vector{0}, folder_), 0U);
}

}  // namespace
}  // namespace railyard::ofi
