// `railyard run --payload`: messages that take their time and leave their bytes behind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/program.hpp"
#include "results/json.hpp"

namespace railyard::cli {
namespace {

using results::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A program that finds its results wrong asks whether that means anything.
void erase_question(Json& value) {
    if (value.is_array())
        for (std::size_t i = value.size(); i-- > 0;)
            if (value[i].is_object() && value[i].value("function", "") == "MPI_Info_get")
                value.erase(i);
    if (!value.is_structured()) return;
    for (Json& each : value)
        erase_question(each);
}

/// All that is told of the run, and how many messages came without content.
std::pair<std::string, std::uint64_t> told(const std::string& payload, const Arguments& program) {
    Arguments call{"run", "--summary", "json", "--payload", payload};
    call.insert(call.end(), program.begin(), program.end());
    const Ended ended = railyard(call);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    Json runs = Json::parse(ended.out);
    std::uint64_t without = 0;
    for (Json& run : runs) {
        without += run["without_content"]["messages"].get<std::uint64_t>();
        run.erase("without_content");
        erase_question(run);
    }
    return {runs.dump(), without};
}

class Payload : public ::testing::TestWithParam<std::vector<std::string>> {};
// Eager, rendezvous and zero-copy; on models that match in the library and in the adapter.
INSTANTIATE_TEST_SUITE_P(
    Run, Payload,
    ::testing::Values(Arguments{"halo", "--size", "512"}, Arguments{"halo", "--size", "6K"},
                      Arguments{"halo", "--size", "70K", "--iterations", "3"},
                      Arguments{"stencil", "--side", "100"}, Arguments{"ring", "--size", "20K"},
                      Arguments{"all-to-all", "--size", "3K", "--iterations", "2"},
                      Arguments{"broadcast", "--size", "90K"}, Arguments{"is", "--class", "S"},
                      Arguments{"lu", "--class", "S"}),
    [](const auto& each) {
        std::string name;
        for (const std::string& word : each.param)
            for (const char c : word)
                if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
        return name;
    });

TEST_P(Payload, OffTakesTheSameTimeAndAllElse) {
    std::uint64_t some = 0;
    // Each in a process of its own: some times depend on where memory lies.
    for (const char* model : {"infiniband-pcie", "quadrics", "berkeley-via", "clan-via"}) {
        Arguments call{"-n", "4", "--on", model};
        call.insert(call.end(), GetParam().begin(), GetParam().end());
        const auto [with, none] = told("on", call);
        const auto [without, here] = told("off", call);
        EXPECT_EQ(without, with) << model;
        EXPECT_EQ(none, 0u) << model;
        some += here;
    }
    EXPECT_EQ(some > 0, GetParam().front() != "is");  // which sends counts and sums
}

TEST(RunPayload, IsToldOfWhereItMakesResultsWorthless) {
    const Arguments stencil{"-n", "4", "--on", "infiniband-pcie", "stencil", "--side", "200"};
    const auto run = [&](const Arguments& options) {
        Arguments call{"run"};
        call.insert(call.end(), options.begin(), options.end());
        call.insert(call.end(), stencil.begin(), stencil.end());
        return railyard(call);
    };
    const Ended off = run({"--payload", "off"});
    EXPECT_EQ(off.exit_code, 0) << off.err;
    EXPECT_THAT(off.out, AllOf(HasSubstr("nothing was checked"), Not(HasSubstr("WRONG"))));
    EXPECT_THAT(off.err,
                HasSubstr("messages left their content behind (--payload), so results mean"));
    EXPECT_THAT(run({"--payload", "off", "--summary", "text"}).out,
                HasSubstr("\nWithout content (--payload): "));
    // Longer than any of its messages.
    const Ended all = run({"--payload", "4K"});
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_THAT(all.err, Not(HasSubstr("content")));
    EXPECT_THAT(all.out, Not(HasSubstr("checked")));
}

TEST(RunPayload, IsOnOffOrASize) {
    EXPECT_THAT(complaint({"run", "--payload", "some", "hello"}),
                HasSubstr("--payload: expected on, off or a size such as 1K, found 'some'"));
}

}  // namespace
}  // namespace railyard::cli
