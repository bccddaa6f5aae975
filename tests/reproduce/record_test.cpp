// The papers' records, as they are and as they must not be.

#include "reproduce/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::reproduce {
namespace {

using ::testing::HasSubstr;

const Record& find(const std::string& id) {
    const auto found = std::ranges::find(papers(), id, &Record::id);
    if (found == papers().end()) throw Error("no record " + id);
    return *found;
}

std::string complaint_about_records(const std::string& text) {
    try {
        read_records(text, "papers.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string with(const std::string& members) {
    return R"([{"id":"a","seed":"liu04","experiment":"latency-uni","system":"all",)"
           R"("metric":"latency","params":{},)" +
           members + "}]";
}

TEST(Papers, AreAllThere) {
    EXPECT_EQ(papers().size(), 580U);
    const auto of = [](const char* seed) {
        return std::ranges::count(papers(), std::string(seed), &Record::seed);
    };
    for (const char* seed : {"liu04", "petrini02", "liu04pcie", "wu02", "rashti07"})
        EXPECT_GT(of(seed), 50) << seed;
}

TEST(Papers, HaveValues) {
    const Record& record = find("liu04.latency.rdma_write.small.vapi");
    EXPECT_EQ(record.experiment, "latency-uni");
    EXPECT_EQ(record.kind, Kind::measurement);
    EXPECT_EQ(record.system, "infiniband-pcix/vapi");
    EXPECT_EQ(record.value, 6.0);
    EXPECT_EQ(record.unit, "us");
    EXPECT_EQ(record.qualifier, Qualifier::about);
    EXPECT_EQ(word(record.params, "op"), "rdma_write");
    EXPECT_EQ(number(record.params, "op"), std::nullopt);
    EXPECT_FALSE(record.check);
}

TEST(Papers, HaveRelations) {
    const Record& knee = find("liu04.reuse.fifo.vapi");
    ASSERT_TRUE(knee.check);
    EXPECT_EQ(knee.check->type, "knee");
    EXPECT_EQ(knee.check->over, "buffers");
    EXPECT_EQ(knee.check->after, 10);
    const Record& order = find("liu04.host_overhead.order");
    EXPECT_EQ(order.check->order.size(), 3U);
    EXPECT_EQ(order.check->better, "lower");
    const Record& valley = find("rashti07.multiconn.latency.ib");
    EXPECT_EQ(number(valley.check->when, "message_bytes_max"), 4096);
    const Record& jump = find("rashti07.logp.or.jump");
    EXPECT_FALSE(jump.check->at);
    EXPECT_EQ(jump.check->at_name, "rendezvous_switch_bytes");
}

TEST(Records, MustBeWhatTheySay) {
    EXPECT_THAT(complaint_about_records("{}"), HasSubstr("papers.json: expected an array"));
    EXPECT_THAT(complaint_about_records("[1]"), HasSubstr("papers.json: [0]: expected an object"));
    EXPECT_THAT(complaint_about_records(R"([{"id":"a"}])"), HasSubstr("[0].seed: missing"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"rumour")")),
                HasSubstr("kind: expected one of measurement, ratio, relation"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"measurement")")),
                HasSubstr("value: missing"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"measurement","value":"six")")),
                HasSubstr("[0].value: expected a number, found string"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"context","colour":"red")")),
                HasSubstr("[0].colour: a record has no such member"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"measurement","value":1,"qualifier":"!")")),
                HasSubstr("qualifier: expected one of =, ~"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"relation","check":{}")")),
                HasSubstr("not JSON"));
    EXPECT_THAT(complaint_about_records(with(R"("kind":"relation","check":{})")),
                HasSubstr("type: missing"));
    EXPECT_THAT(
        complaint_about_records(with(R"("kind":"relation","check":{"type":"flat","range":[1]})")),
        HasSubstr("range: expected two numbers"));
    EXPECT_THAT(
        complaint_about_records(with(R"("kind":"relation","check":{"type":"flat","by":1})")),
        HasSubstr("check.by: a check has no such member"));
    EXPECT_EQ(complaint_about_records(with(R"("kind":"context")")), "");
}

TEST(Records, HaveEachIdOnce) {
    const std::string one = with(R"("kind":"context")");
    const std::string two = one.substr(0, one.size() - 1) + "," + one.substr(1);
    EXPECT_THAT(complaint_about_records(two), HasSubstr("[1]: a second record 'a'"));
}

}  // namespace
}  // namespace railyard::reproduce
