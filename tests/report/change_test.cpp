#include "report/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/rows.hpp"

namespace railyard::report {
namespace {

results::Row us(double value, double spread = 0) {
    results::Row out = latency(8, value, "rdma_write");
    out.statistics.spread = spread;
    return out;
}

results::Row of(const std::string& metric, const std::string& unit) {
    return row("some", metric, -1, 1, unit);
}

TEST(Change, CountsWhenTheMiddleHalvesStandApart) {
    // 100 +- 5 and 109 +- 5.45 touch; 100 +- 5 and 111 +- 5.55 do not.
    EXPECT_EQ(change(us(100, 0.1), us(109, 0.1)), Change::none);
    EXPECT_EQ(change(us(100, 0.1), us(111, 0.1)), Change::worse);
    EXPECT_EQ(change(us(111, 0.1), us(100, 0.1)), Change::better);
}

TEST(Change, TheWiderOfTwoSpreadsCanHideIt) {
    EXPECT_EQ(change(us(100, 0), us(104, 0)), Change::worse);
    EXPECT_EQ(change(us(100, 0.1), us(104, 0)), Change::none);
    EXPECT_EQ(change(us(100, 0), us(104, 0.1)), Change::none);
}

TEST(Change, WithoutSpreadAThousandthIsTheLeast) {
    EXPECT_EQ(change(us(100), us(100)), Change::none);
    EXPECT_EQ(change(us(100), us(100.09)), Change::none);
    EXPECT_EQ(change(us(100), us(100.2)), Change::worse);
    EXPECT_EQ(change(us(0), us(0)), Change::none);
    EXPECT_EQ(change(us(0), us(0.001)), Change::worse);
}

TEST(Change, KnowsWhatIsBetter) {
    EXPECT_EQ(better(of("latency", "us")), Better::lower);
    EXPECT_EQ(better(of("init_time", "us")), Better::lower);
    EXPECT_EQ(better(of("tcp", "us")), Better::lower);
    EXPECT_EQ(better(of("tcp", "MB/s")), Better::higher);
    EXPECT_EQ(better(of("bandwidth_aggregate", "MB/s")), Better::higher);
    EXPECT_EQ(better(of("vis_per_process", "VIs")), Better::lower);
    EXPECT_EQ(better(of("connection_memory", "bytes")), Better::lower);
    EXPECT_EQ(better(of("resource_utilization", "fraction")), Better::higher);
    EXPECT_EQ(better(of("cpu_share_before_bandwidth_drop", "percent")), Better::higher);
    EXPECT_EQ(better(of("latency_ratio_noreuse_to_reuse", "1")), Better::lower);
    EXPECT_EQ(better(of("latency_ratio_full_to_empty", "1")), Better::lower);
    EXPECT_EQ(better(of("anything", "percent")), Better::neither);
}

TEST(Change, WithoutADirectionItOnlyDiffers) {
    results::Row more = of("anything", "1");
    more.value = 2;
    EXPECT_EQ(change(of("anything", "1"), more), Change::differs);
}

TEST(Change, IsMeasuredByTheFirst) {
    EXPECT_DOUBLE_EQ(relative_difference(us(100), us(150)), 0.5);
    EXPECT_DOUBLE_EQ(relative_difference(us(100), us(50)), 0.5);
    EXPECT_DOUBLE_EQ(relative_difference(us(0), us(0)), 0);
    EXPECT_TRUE(std::isinf(relative_difference(us(0), us(1))));
}

}  // namespace
}  // namespace railyard::report
