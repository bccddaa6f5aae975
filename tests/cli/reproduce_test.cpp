// railyard reproduce as a user calls it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "results/file.hpp"

namespace railyard::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Reproduce, ExplainsItself) {
    const Ended help = railyard({"reproduce", "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Examples:\n  railyard reproduce"));
}

TEST(Reproduce, WrongCallsSayWhatThereIs) {
    const auto complaint = [](const Arguments& arguments) {
        const Ended ended = railyard(arguments);
        EXPECT_EQ(ended.exit_code, 2);
        EXPECT_EQ(ended.out, "");
        return ended.err;
    };
    EXPECT_EQ(
        complaint({"reproduce", "--paper", "liu05"}),
        "railyard: --paper: there is no paper 'liu05'; did you mean 'liu04'? there are liu04, "
        "petrini02, liu04pcie, wu02, rashti07\n");
    EXPECT_EQ(complaint({"reproduce", "--paper", "wu02", "--only", "hotspot-*"}),
              "railyard: --only: 'hotspot-*' is no record and no experiment of wu02; `railyard "
              "reproduce --list` shows all\n");
}

TEST(Reproduce, ListsWithoutMeasuring) {
    const Ended ended = railyard({"reproduce", "--list", "--only", "liu04.latency.*"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, HasSubstr("liu04.latency.rdma_write.small.vapi"));
    EXPECT_THAT(ended.out, HasSubstr("infiniband-pcix-liu04"));
}

TEST(Reproduce, AMistakeInTheExceptionsHasALine) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("exceptions.toml");
    results::write_file(file, "\n[[exception]]\nid = \"liu04.nothing\"\n");
    const Ended ended = railyard({"reproduce", "--exceptions", file});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("exceptions.toml:2: "));
}

TEST(Reproduce, TellsWhatVerdictsHangOn) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("out.json");
    const Arguments call{"reproduce", "--only", "liu04.latency.send_recv.small.gm",
                         "--sensitivity"};
    const auto with = [&](Arguments more) {
        Arguments all = call;
        all.insert(all.end(), more.begin(), more.end());
        return railyard(all);
    };
    const Ended ended = with({"myrinet2000-gm adapter.*", "--json", file});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("more: liu04.latency.send_recv.small.gm: right -> off"));
    EXPECT_THAT(ended.out, HasSubstr("matter to nothing"));
    EXPECT_THAT(results::read_file(file), HasSubstr("\"sensitivity\": [\n"));
    const Ended wrong = with({"nothing"});
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--sensitivity: 'nothing' is no fitted or assumed number"));
}

TEST(Reproduce, SaysThatItWasInterrupted) {
    const ScratchDirectory scratch;
    // Two workers, also on one core: alone, it runs in this process, which the signal just ends.
    OnTerminal run(
        {"reproduce", "--paper", "liu04", "--jobs", "2", "--json", scratch.file("out.json")});
    ASSERT_TRUE(run.shows(" on "));
    run.interrupt();
    const Ended ended = run.end();
    EXPECT_EQ(ended.exit_code, 130) << "as a shell has it";
    EXPECT_THAT(ended.err, HasSubstr("interrupted"));
    // What was done by then, if anything, is kept beside it.
    EXPECT_FALSE(std::filesystem::exists(scratch.file("out.json")));
}

// What nobody checks is no failure: these need no model at all.
TEST(Reproduce, CountsWhatItDoesNotCheck) {
    const Ended ended = railyard({"reproduce", "--only", "testbed.*"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.out, "0 off; not checked of 93 records: 93 parameters and remarks\n");
}

const Arguments one_record{"reproduce", "--only", "liu04.latency.rdma_write.small.vapi"};

TEST(Reproduce, ShowsTheFigureBesideOurs) {
    const Ended ended = railyard(one_record);
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_THAT(ended.out, StartsWith("liu04: latency-uni\n"));
    EXPECT_THAT(ended.out, HasSubstr("~ 6 us"));
    EXPECT_THAT(ended.out, HasSubstr("fitted figures 1 of 1; 0 off\n"));
    EXPECT_EQ(ended.err, "");
}

TEST(Reproduce, GivesTheSameBytesTwice) {
    Arguments json = one_record;
    json.emplace_back("--json");
    const Ended first = railyard(json);
    const Ended second = railyard(json);
    EXPECT_THAT(first.out, StartsWith("{\n  \"schema\": 3,"));
    EXPECT_EQ(first.out, second.out);

    const ScratchDirectory scratch;
    const std::string file = scratch.file("verdicts.json");
    json.push_back(file);
    EXPECT_EQ(railyard(json).exit_code, 0);
    EXPECT_EQ(results::read_file(file), first.out);
}

// Listed, though it is right: the list must be mended, and the exit code says so.
TEST(Reproduce, AnExceptionThatHasComeRightIsAFailure) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("exceptions.toml");
    results::write_file(file,
                        "[[exception]]\nid = \"liu04.latency.rdma_write.small.vapi\"\n"
                        "reason = \"physics\"\ntext = \"because\"\n");
    Arguments arguments = one_record;
    arguments.insert(arguments.end(), {"--exceptions", file});
    const Ended ended = railyard(arguments);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.out, HasSubstr("COME RIGHT"));
}

// Off, and the list does not say so.
TEST(Reproduce, ARecordThatIsOffIsAFailure) {
    const ScratchDirectory scratch;
    const std::string file = scratch.file("exceptions.toml");
    results::write_file(file, "");
    const Arguments arguments{"reproduce", "--only", "liu04pcie.bandwidth.bi2p.striping.pcie"};
    EXPECT_EQ(railyard(arguments).exit_code, 0);
    Arguments without = arguments;
    without.insert(without.end(), {"--exceptions", file});
    const Ended ended = railyard(without);
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.out, HasSubstr("OFF"));
    EXPECT_THAT(ended.out, HasSubstr("1 off"));
}

// The whole of it: nothing is off but what the shipped list explains.
TEST(Reproduce, EverythingIsRightOrExplained) {
    const Ended ended = railyard({"reproduce"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_THAT(ended.out, HasSubstr("not checked of 580 records: "));
}

}  // namespace
}  // namespace railyard::cli
