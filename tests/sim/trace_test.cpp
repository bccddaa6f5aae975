#include "sim/trace.hpp"
#include "at.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace railyard::sim {
namespace {

using Json = nlohmann::json;

std::string written(const Trace& trace) {
    std::ostringstream out;
    trace.write(out);
    return out.str();
}

TEST(Trace, AnEmptyOneIsValid) {
    const Json json = Json::parse(written(Trace()));
    EXPECT_TRUE(json["traceEvents"].is_array());
    EXPECT_TRUE(json["traceEvents"].empty());
}

TEST(Trace, HasTheseBytes) {
    Trace trace;
    const auto bus = trace.lane("node 0", "bus");
    const auto link = trace.lane("links", "0 to 1");
    const auto engine = trace.lane("node 0", "engine");
    trace.slice(link, "packet", at_ps(2'500'001), at_ps(4'000'000), 7);
    trace.slice(bus, "read", at_ps(0), at_ps(1), 7);
    trace.slice(engine, "send", at_ps(1'000'000), at_ps(1'000'000'000'000'000'001),
                ~std::uint64_t{0});
    EXPECT_EQ(written(trace),
              R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","pid":1,"tid":3,"name":"process_name","args":{"name":"node 0"}},
{"ph":"M","pid":1,"tid":3,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":3,"name":"thread_name","args":{"name":"bus"}},
{"ph":"M","pid":1,"tid":3,"name":"thread_sort_index","args":{"sort_index":3}},
{"ph":"M","pid":2,"tid":4,"name":"process_name","args":{"name":"links"}},
{"ph":"M","pid":2,"tid":4,"name":"process_sort_index","args":{"sort_index":2}},
{"ph":"M","pid":2,"tid":4,"name":"thread_name","args":{"name":"0 to 1"}},
{"ph":"M","pid":2,"tid":4,"name":"thread_sort_index","args":{"sort_index":4}},
{"ph":"M","pid":1,"tid":5,"name":"thread_name","args":{"name":"engine"}},
{"ph":"M","pid":1,"tid":5,"name":"thread_sort_index","args":{"sort_index":5}},
{"ph":"X","pid":1,"tid":3,"ts":0.000000,"dur":0.000001,"name":"read","args":{"id":7}},
{"ph":"X","pid":1,"tid":5,"ts":1.000000,"dur":999999999999.000001,"name":"send","args":{"id":18446744073709551615}},
{"ph":"X","pid":2,"tid":4,"ts":2.500001,"dur":1.499999,"name":"packet","args":{"id":7}}
]}
)");
}

TEST(Trace, TheOrderOfRecordingDoesNotShow) {
    struct Work {
        Trace::Lane lane;
        const char* what;
        std::int64_t begin;
        std::int64_t end;
        std::uint64_t id;
    };
    std::vector<Work> all;
    for (Trace::Lane lane = 0; lane < 3; ++lane)
        for (const char* what : {"a", "b"})
            for (std::int64_t begin = 0; begin < 3; ++begin)
                for (std::uint64_t id = 0; id < 3; ++id)
                    all.push_back({lane, what, begin, begin + 5 + lane, id});
    const auto record = [](const std::vector<Work>& works) {
        Trace trace;
        for (const char* name : {"x", "y", "z"})
            trace.lane("group", name);
        for (const Work& w : works)
            trace.slice(w.lane, w.what, at_ps(w.begin), at_ps(w.end), w.id);
        return written(trace);
    };
    const std::string forwards = record(all);
    EXPECT_EQ(record({all.rbegin(), all.rend()}), forwards);
    EXPECT_EQ(Json::parse(forwards)["traceEvents"].size(), all.size() + 2 + 3 * 2);
}

TEST(Trace, AtOneTimeTheLongerSliceComesFirst) {
    Trace trace;
    const auto lane = trace.lane("group", "lane");
    trace.slice(lane, "inner", at_ps(10), at_ps(20));
    trace.slice(lane, "outer", at_ps(10), at_ps(30));
    const Json events = Json::parse(written(trace))["traceEvents"];
    EXPECT_EQ(events[4]["name"], "outer");
    EXPECT_EQ(events[5]["name"], "inner");
}

TEST(Trace, NamesWithQuotesAndControlCharactersComeBackAsTheyWere) {
    const std::string name = "a \"b\" \\ c\n\t\x01 µs";
    Trace trace;
    trace.slice(trace.lane(name, name), name, at_ps(1), at_ps(2));
    const Json events = Json::parse(written(trace))["traceEvents"];
    EXPECT_EQ(events[0]["args"]["name"], name);
    EXPECT_EQ(events[2]["args"]["name"], name);
    EXPECT_EQ(events[4]["name"], name);
}

TEST(Trace, ALongOneIsWhole) {
    Trace trace;
    const auto lane = trace.lane("group", "lane");
    constexpr int slices = 5'000;  // more than is written in one go
    for (int i = 0; i < slices; ++i)
        trace.slice(lane, "slice", at_ps(10 * i), at_ps(10 * i + 5), static_cast<std::uint64_t>(i));
    const Json events = Json::parse(written(trace))["traceEvents"];
    ASSERT_EQ(events.size(), slices + 4U);
    for (int i = 0; i < slices; ++i)
        EXPECT_EQ(events[static_cast<std::size_t>(i) + 4]["args"]["id"], i);
}

}  // namespace
}  // namespace railyard::sim
