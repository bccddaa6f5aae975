#include "programs/runs/recording.hpp"

#include <gmock/gmock.h>

#include "railyard/base/error.hpp"
#include "results/gzip.hpp"

namespace railyard::runs {
namespace {

using mpi::calls::Function;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

const Recording sample{.program = "ring",
                       .arguments = {"--size", "4K", "a \"b\"\n"},
                       .processor = "Pentium III",
                       .date = "2002-09-23",
                       .medians = false,
                       .calls = {{Function::Send, true, {0, 16, 4, 12, 1, 7, 0}},
                                 {Function::Start, false, {}},
                                 {Function::Finalize, true, {}}},
                       .ranks = {{{0, 17, 123'456'789}, {0, 0, 2}, {48}}, {}, {{5}, {1}, {}}}};

const std::string sample_text =
    R"({"format":"railyard-compute","version":2,"program":"ring",)"
    R"("arguments":["--size","4K","a \"b\"\n"],"processor":"Pentium III","date":"2002-09-23",)"
    R"("medians":false,"calls":3,"ranks":3})"
    "\nSend 0+16 4 DOUBLE 1 7 0\nStart ?\nFinalize\n"
    "0 17 123456789\n0 0 2\n48\n\n\n\n5\n1\n\nend\n";

/// The sample with one thing changed.
std::string with(const std::string& what, const std::string& instead) {
    std::string text = sample_text;
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), instead);
}

TEST(Recording, ReadsWhatItWrote) {
    EXPECT_EQ(to_text(sample), sample_text);
    EXPECT_EQ(parse_recording(sample_text, "a.log"), sample);
    EXPECT_EQ(read_recording(results::gzip(sample_text), "a.log"), sample);
}

TEST(Recording, WhatIsWrongIsNamedWithItsPlace) {
    const auto expect = [](const std::string& text, const char* what) {
        EXPECT_THAT([&] { parse_recording(text, "a.log"); },
                    ThrowsMessage<Error>(AllOf(StartsWith("a.log"), HasSubstr(what))))
            << text;
    };
    expect("", "a.log:1: the file ends here");
    expect("{}\n", "format: missing");
    expect("[1, 2\n", "not JSON");
    expect(with("railyard-compute", "other"), "this is no recording");
    expect(with("\"version\":2", "\"version\":1"), "version: this program reads version 2");
    expect(with("\"ranks\":3", "\"ranks\":0"), "ranks: expected a number from 1");
    expect(with("\"ranks\":3", "\"ranks\":99999999"), "ranks: expected a number from 1");
    expect(with("\"ranks\":3", "\"ranks\":4"), "a.log:14: expected nanoseconds");
    expect(with("\"ranks\":3", "\"ranks\":2"), "a.log:11: expected 'end'");
    expect(with("\"calls\":3", "\"calls\":2"), "a.log:4: expected nanoseconds");
    expect(with("\"calls\":3", "\"calls\":4"), "a.log:5: '0 17 123456789' is no MPI call");
    expect(with("Send 0", "Sent 0"), "a.log:2: 'Sent 0+16 4 DOUBLE 1 7 0' is no MPI call");
    expect(with("DOUBLE", "Double"), "is no MPI call");
    expect(with(" 17 ", " -17 "), "a.log:5: expected nanoseconds less than");
    expect(with(" 17 ", " 1.7 "), "a.log:5: expected one space between numbers, place 3");
    expect(with(" 17 ", " 1000000000000000 "), "a.log:5: expected nanoseconds less than");
    expect(with("0 17", "999999999999999 17"), "a.log:5: this rank computes longer");
    expect(with("\n0 0 2\n", "\n0 0 3\n"), "a.log:6: expected calls less than 3, place 3");
    expect(with("\n0 0 2\n", "\n0 2\n"), "a.log:6: expected as many calls as there are times, 3");
    expect(with("\n48\n", "\n47\n"), "a.log:7: 'Send 0+16 4 DOUBLE 1 7 0' names memory");
    expect(with("\n48\n", "\n\n"), "names memory that this line does not have");
    expect(with("\n48\n", "\n2000000000000\n"), "a.log:7: expected bytes less than");
    expect(with("\nend\n", "\n"), "a.log:14: the file ends here");
    expect(with("\nend\n", "\nend"), "it was cut off: record it anew");
    expect(sample_text + "more\n", "a.log:14: expected 'end' and nothing more");
}

TEST(Recording, EveryCutIsNoticed) {
    for (std::size_t n = 0; n < sample_text.size(); ++n)
        EXPECT_THROW(parse_recording(sample_text.substr(0, n), "a.log"), Error) << n;
}

TEST(Recording, WordsThatAreNoTextCanBeWritten) {
    Recording recording = sample;
    recording.arguments = {as_recorded("\xff\xfe")};
    EXPECT_EQ(parse_recording(to_text(recording), "a.log"), recording);
    EXPECT_EQ(as_recorded("plain \u00d7"), "plain \u00d7");
}

TEST(Recording, CallsAreReadAsTheyAreWritten) {
    for (const char* const text :
         {"Recv 3+4096 0 CHAR -1 -1 1", "Irecv - 0 BYTE -2 0 0 3", "Wait -1", "Waitall 0",
          "Waitall 3 0 -1 7", "Reduce = 0+0 1 INT SUM 0 0", "Comm_split 0 -5 3 -1",
          "Alltoallv 0+0 2 1 2 2 0 1 INT 1+0 2 0 0 2 0 0 FLOAT 0", "Sendrecv_replace ?"}) {
        const auto call = parse_call(text);
        ASSERT_TRUE(call.has_value()) << text;
        EXPECT_EQ(to_string(*call), text);
    }
    for (const char* const text :
         {"", "Send", "Send ? ", "Send 0+0 1 INT 0 0", "Send 0+0 1 INT 0 0 0 0",
          "Send 0+0 -1 INT 0 0 0", "Send 0+0 +1 INT 0 0 0", "Send 0+0 01 INT 0 0 0",
          "Send 0 1 INT 0 0 0", "Send 0+-1 1 INT 0 0 0", "Send 0+0 1 INT 0 0 99999999999",
          "Barrier  0", "Barrier 0 ", "Wait -2", "Waitall 2 0", "Waitall -1", "Start 0"})
        EXPECT_FALSE(parse_call(text).has_value()) << text;
}

TEST(Recording, MediansLeaveOutWhatDisturbedOneRound) {
    Recording recording = sample;
    // A call alternates between two that compute alike; the third round was disturbed.
    std::vector<Nanoseconds> times;
    std::vector<std::uint32_t> calls;
    for (const Nanoseconds extra : {1U, 0U, 900U, 0U, 1U, 0U, 0U, 1U, 0U}) {
        times.insert(times.end(), {100 + extra, 40});
        calls.insert(calls.end(), {0, 1});
    }
    recording.ranks = {{times, calls, {48}}};
    take_medians(recording);
    EXPECT_TRUE(recording.medians);
    // What has other calls behind it stands alone: the first rounds.
    EXPECT_EQ(recording.ranks[0].times[4], 1000U);
    for (std::size_t i = 8; i < calls.size(); i += 2)
        EXPECT_EQ(recording.ranks[0].times[i], 100U) << i;
    EXPECT_EQ(recording.ranks[0].times[17], 40U);
    EXPECT_EQ(recording.ranks[0].calls, calls);
}

TEST(Recording, ASlowerProcessorTakesLonger) {
    EXPECT_EQ(scaled(7, 1), Duration::ns(7));
    EXPECT_EQ(scaled(7, 2.5), Duration::ps(17'500));
}

}  // namespace
}  // namespace railyard::runs
