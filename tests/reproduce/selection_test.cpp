// From rows to the points that a record speaks of.

#include "reproduce/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace railyard::reproduce {
namespace {

using results::Row;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Row row(results::Parameters parameters, double value, std::string unit = "us") {
    return {.experiment = "latency-uni",
            .fabric = "myri",
            .parameters = std::move(parameters),
            .metric = "latency",
            .value = value,
            .unit = std::move(unit),
            .statistics = {}};
}

Selection wanted(std::vector<std::int64_t> sizes) {
    Selection out;
    out.experiment = "latency-uni";
    out.fabric = "myri";
    out.metric = "latency";
    out.where["op"] = "rdma_write";
    out.sizes = std::move(sizes);
    return out;
}

Points points(const std::vector<Row>& rows, const Selection& selection) {
    const auto found = select(rows, selection);
    const auto* series = std::get_if<Series>(&found);
    return series != nullptr ? series->points : Points{};
}

std::string reason(const std::vector<Row>& rows, const Selection& selection) {
    const auto found = select(rows, selection);
    const auto* unavailable = std::get_if<Unavailable>(&found);
    return unavailable != nullptr ? unavailable->reason : "";
}

const std::vector<Row> sizes = {
    row({{"op", "rdma_write"}, {"message_bytes", 4}}, 6),
    row({{"op", "rdma_write"}, {"message_bytes", 64}}, 7),
    row({{"op", "send_recv"}, {"message_bytes", 4}}, 8),
};

TEST(Selection, TakesTheRowsThatAgree) {
    EXPECT_THAT(points(sizes, wanted({4})), ElementsAre(Point{4, 6}));
    EXPECT_THAT(points(sizes, wanted({64, 4})), ElementsAre(Point{4, 6}, Point{64, 7}));
}

TEST(Selection, SaysWhatIsMissing) {
    EXPECT_EQ(reason(sizes, wanted({4, 1024})),
              "latency of latency-uni on myri, op rdma_write: not measured");
    Selection other = wanted({4});
    other.fabric = "elan";
    EXPECT_THAT(reason(sizes, other), HasSubstr("on elan, op rdma_write: not measured"));
}

TEST(Selection, DoesNotChooseBetweenRows) {
    Selection any = wanted({4});
    any.where.clear();
    EXPECT_EQ(reason(sizes, any),
              "latency of latency-uni on myri: several rows, which differ in op");
}

TEST(Selection, TakesARowThatLacksTheParameter) {
    EXPECT_THAT(points({row({}, 9)}, wanted({4})), ElementsAre(Point{4, 9}));
}

TEST(Selection, GoesAlongAnyParameter) {
    std::vector<Row> rows;
    for (const std::int64_t slaves : {7, 1, 3})
        rows.push_back(row({{"slaves", slaves}, {"message_bytes", 4}}, 2.0 * slaves));
    rows.push_back(row({{"slaves", 1}, {"message_bytes", 64}}, 99));
    Selection along = wanted({4});
    along.over = "slaves";
    EXPECT_THAT(points(rows, along), ElementsAre(Point{1, 2}, Point{3, 6}, Point{7, 14}));
    along.range = {2, 7};
    EXPECT_THAT(points(rows, along), ElementsAre(Point{3, 6}, Point{7, 14}));
    along.last_only = true;
    EXPECT_THAT(points(rows, along), ElementsAre(Point{7, 14}));
    along.over = "nodes";
    EXPECT_THAT(reason(rows, along), HasSubstr("the rows have no nodes"));
}

TEST(Selection, EndsWhereThePaperHasNoMoreProcesses) {
    std::vector<Row> rows;
    for (const std::int64_t processes : {4, 8, 16})
        rows.push_back(row({{"processes", processes}}, 1.0 * processes));
    Selection along = wanted({});
    along.over = "processes";
    along.most_processes = 8;
    EXPECT_THAT(points(rows, along), ElementsAre(Point{4, 4}, Point{8, 8}));
    Selection more = along;
    more.most_processes = 12;
    EXPECT_FALSE(same(along, more));
    EXPECT_EQ(wants(std::vector{along, more}).at(0).most_processes, 12);
    more.most_processes = 0;
    EXPECT_EQ(wants(std::vector{along, more}).at(0).most_processes, 0) << "any number";
}

TEST(Selection, ReadsRatiosAsPercent) {
    EXPECT_THAT(points({row({}, 0.995, "1")}, wanted({4})), ElementsAre(Point{4, 99.5}));
    Selection factor = wanted({4});
    factor.percent = false;
    EXPECT_THAT(points({row({}, 1.8, "1")}, factor), ElementsAre(Point{4, 1.8}));
}

TEST(Selection, IsTheSameWhateverItsLabel) {
    Selection a = wanted({4}), b = a;
    b.label = "another";
    EXPECT_TRUE(same(a, b));
    b.where["op"] = "send_recv";
    EXPECT_FALSE(same(a, b));
}

}  // namespace
}  // namespace railyard::reproduce
