#include "programs/runs/computation.hpp"

#include <gmock/gmock.h>

#include "railyard/base/error.hpp"

namespace railyard::runs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

const ComputeLog sample{.program = "ring",
                        .arguments = {"--size", "4K", "a \"b\"\n"},
                        .ranks = {{0, 17, 123'456'789}, {}, {5}}};

const std::string sample_text = R"({"format":"railyard-compute","version":1,"program":"ring",)"
                                R"("arguments":["--size","4K","a \"b\"\n"],"ranks":3})"
                                "\n0 17 123456789\n\n5\nend\n";

/// The sample with one thing changed.
std::string with(const std::string& what, const std::string& instead) {
    std::string text = sample_text;
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), instead);
}

TEST(ComputeLog, ReadsWhatItWrote) {
    EXPECT_EQ(to_text(sample), sample_text);
    EXPECT_EQ(parse_log(sample_text, "a.log"), sample);
}

TEST(ComputeLog, WhatIsWrongIsNamedWithItsPlace) {
    const auto expect = [](const std::string& text, const char* what) {
        EXPECT_THAT([&] { parse_log(text, "a.log"); },
                    ThrowsMessage<Error>(AllOf(StartsWith("a.log"), HasSubstr(what))))
            << text;
    };
    expect("", "a.log:1: the file ends here");
    expect("{}\n", "format: missing");
    expect("[1, 2\n", "not JSON");
    expect(with("railyard-compute", "other"), "this is no recording");
    expect(with("\"version\":1", "\"version\":2"), "version: this program reads version 1");
    expect(with("\"ranks\":3", "\"ranks\":0"), "ranks: expected a number from 1");
    expect(with("\"ranks\":3", "\"ranks\":99999999"), "ranks: expected a number from 1");
    expect(with("\"ranks\":3", "\"ranks\":4"), "a.log:5: expected nanoseconds");
    expect(with("\"ranks\":3", "\"ranks\":2"), "a.log:4: expected 'end'");
    expect(with("17", "-17"), "a.log:2: expected nanoseconds less than");
    expect(with("17", "1.7"), "a.log:2: expected one space between numbers, call 3");
    expect(with("17", "1000000000000000"), "a.log:2: expected nanoseconds less than");
    expect(with("0 17", "999999999999999 17"), "a.log:2: this rank computes longer");
    expect(with("\nend\n", "\n"), "a.log:5: the file ends here");
    expect(with("\nend\n", "\nend"), "it was cut off: record it anew");
    expect(sample_text + "more\n", "a.log:5: expected 'end' and nothing more");
}

TEST(ComputeLog, EveryCutIsNoticed) {
    for (std::size_t n = 0; n < sample_text.size(); ++n)
        EXPECT_THROW(parse_log(sample_text.substr(0, n), "a.log"), Error) << n;
}

TEST(ComputeLog, WordsThatAreNoTextCanBeWritten) {
    ComputeLog log{.program = "ring", .arguments = {as_logged("\xff\xfe")}, .ranks = {{1}}};
    EXPECT_EQ(parse_log(to_text(log), "a.log"), log);
    EXPECT_EQ(as_logged("plain \u00d7"), "plain \u00d7");
}

}  // namespace
}  // namespace railyard::runs
