#include "reproduce/sensitivity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <new>

#include "launch/job/board.hpp"
#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"
#include "results/json.hpp"

namespace railyard::reproduce {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Scaled, KeepsTheUnitAndNeverTheValue) {
    EXPECT_EQ(scaled("0.9 us", 1.1), "0.99 us");
    EXPECT_EQ(scaled("321 MB/s", 0.9), "288.9 MB/s");
    EXPECT_EQ(scaled("0.1", 1.1), "0.11");
    EXPECT_EQ(scaled("64", 1.1), "70") << "a count stays whole";
    EXPECT_EQ(scaled("1", 1.1), "2") << "and differs";
    EXPECT_EQ(scaled("1", 0.9), "0");
    EXPECT_EQ(scaled("4 KiB", 0.9), "3686 B") << "so do bytes";
    EXPECT_THROW(scaled("off", 1.1), Error);
}

const Number* find(const std::vector<Number>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &Number::name);
    return found == all.end() ? nullptr : &*found;
}

TEST(Numbers, AreFittedOrAssumedAndStandWhereTheirFileIs) {
    const std::vector<std::string> fabrics{"infiniband-pcix-liu04", "infiniband-pcix"};
    const auto all = numbers(fabrics);
    const Number* shared = find(all, "infiniband-pcix-liu04 link.header");
    ASSERT_NE(shared, nullptr);
    EXPECT_EQ(shared->value, "34 B");
    EXPECT_EQ(shared->evidence, fabric::Evidence::fitted);
    EXPECT_THAT(shared->fabrics, ElementsAre("infiniband-pcix-liu04", "infiniband-pcix"));
    const Number* own = find(all, "infiniband-pcix bus.read_rate");
    ASSERT_NE(own, nullptr);
    EXPECT_THAT(own->fabrics, ElementsAre("infiniband-pcix"));
    const Number* other = find(all, "infiniband-pcix-liu04 bus.read_rate");
    ASSERT_NE(other, nullptr) << "the same key of another file is another number";
    EXPECT_THAT(other->fabrics, ElementsAre("infiniband-pcix-liu04"));
    EXPECT_EQ(find(all, "infiniband-pcix-liu04 link.rate"), nullptr) << "stated";
    EXPECT_EQ(find(all, "infiniband-pcix-liu04 adapter.engines"), nullptr) << "a word";
}

TEST(Numbers, StandInTheProfileThatAFileOfItsOwnWouldHave) {
    const std::vector<std::string> fabrics{"quadrics"};
    const auto all = numbers(fabrics);
    const std::string profile = job::datasheet("quadrics")->profile;
    const Number* packet = find(all, "quadrics elan.packet");
    ASSERT_NE(packet, nullptr);
    const std::string changed = with_value(profile, *packet, "44 ns");
    EXPECT_EQ(changed.size(), profile.size());
    EXPECT_THAT(changed.substr(changed.find("[elan]")), HasSubstr("\npacket = \"44 ns\""));
    EXPECT_THAT(changed.substr(changed.find("[link]"), 200), HasSubstr("packet = \"320 B\""))
        << "that of another section stays";
    for (const Number& number : all)
        EXPECT_EQ(with_value(profile, number, number.value), profile) << number.name();
}

/// Of one small record, with few numbers.
std::vector<Sensitivity> study(const std::string& only, const std::string& pattern,
                               const Progress& progress = {}) {
    const auto& all = papers();
    const auto chosen = choose(all, "", only);
    const auto exceptions = known_exceptions();
    const Reproduction base = reproduce(chosen, all, exceptions, {}, {.jobs = 1});
    return sensitivities(chosen, all, exceptions, base, pattern, progress, 1);
}

const Sensitivity& of(const std::vector<Sensitivity>& all, const std::string& name) {
    return *std::ranges::find_if(all,
                                 [&](const Sensitivity& s) { return s.number.name() == name; });
}

TEST(Sensitivities, TellWhatFlipsWhatMovesAndWhatDoesNothing) {
    const auto all = study("liu04.latency.send_recv.small.gm", "myrinet2000-gm *");
    // 6.75 us for 6.5: no room for a tenth of the slowest step upwards, room downwards.
    const Sensitivity& send = of(all, "myrinet2000-gm adapter.send");
    EXPECT_EQ(send.more.value, "2.8325 us");
    ASSERT_EQ(send.more.flips.size(), 1U);
    EXPECT_EQ(send.more.flips[0].id, "liu04.latency.send_recv.small.gm");
    EXPECT_EQ(send.more.flips[0].before, Outcome::right);
    EXPECT_EQ(send.more.flips[0].after, Outcome::off);
    EXPECT_TRUE(send.less.flips.empty());
    const Sensitivity& latency = of(all, "myrinet2000-gm network.latency");
    EXPECT_FALSE(latency.flips());
    EXPECT_TRUE(latency.moves());
    EXPECT_NEAR(latency.more.largest, 0.06 / 6.753, 1e-3) << "a tenth of 0.6 us";
    const Sensitivity& interrupt = of(all, "myrinet2000-gm host.interrupt");
    EXPECT_FALSE(interrupt.moves()) << "nobody sleeps";
    EXPECT_FALSE(interrupt.fails());

    const std::string text = tables(all);
    EXPECT_THAT(text, HasSubstr("more: liu04.latency.send_recv.small.gm: right -> off"));
    const std::string idle = text.substr(text.find("matter to nothing"));
    EXPECT_THAT(idle, HasSubstr("host.interrupt"));
    EXPECT_THAT(idle, Not(HasSubstr("network.latency")));
    const auto json = results::Reader::parse(to_json(all), "sensitivity");
    EXPECT_EQ(json.size(), all.size());
    EXPECT_EQ(json.at(0).at("profile"), "myrinet2000-gm");
}

TEST(Sensitivities, SayWhatCannotBeBuilt) {
    const auto all = study("petrini02.latency.small.tports", "quadrics link.packet");
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(all[0].fails());
    EXPECT_THAT(all[0].less.failure, HasSubstr("packet"));
    EXPECT_THAT(tables(all), HasSubstr("1 make no machine that can be built"));
}

// Whatever signal ends it while it measures, which takes hours.
TEST(Sensitivities, HaveNoFilesWhileTheyMeasure) {
    const fs::path folder = fs::path(::testing::TempDir()) / "sensitivities";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const char* const before = std::getenv("TMPDIR");
    const std::string old = before != nullptr ? before : "";
    ::setenv("TMPDIR", folder.c_str(), 1);
    // It is measured in processes of their own.
    const job::AnonymousMemory shared(Bytes(2 * sizeof(std::atomic<unsigned>)));
    auto* const looks = new (shared.span().data()) std::atomic<unsigned>[2]();
    auto& found = looks[1];
    const auto all = study("liu04.latency.rdma_write.small.vapi",
                           "infiniband-pcix-liu04 network.latency", [&](std::string_view) {
                               ++looks[0];
                               if (!fs::is_empty(folder)) ++found;
                           });
    if (before != nullptr)
        ::setenv("TMPDIR", old.c_str(), 1);
    else
        ::unsetenv("TMPDIR");
    EXPECT_GT(looks[0], 0U);
    EXPECT_EQ(found, 0U);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(all[0].moves());
    fs::remove_all(folder);
}

TEST(Sensitivities, OfNoNumberAreAMistake) {
    EXPECT_THROW(study("liu04.latency.send_recv.small.gm", "myrinet host.*"), UsageError);
}

}  // namespace
}  // namespace railyard::reproduce
