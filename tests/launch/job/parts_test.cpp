// A job in virtual time tells for how long each part of the interconnect was busy, if asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "launch/job/job.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::job {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

/// Rank 0 sends a kilobyte to rank 1, through a port whose adapter matches.
void send_a_kilobyte(Rank& rank) {
    fabric::TaggedPort& port = *rank.nic().tagged_port();
    rank.bootstrap().put("address", rank.nic().address().bytes);
    std::vector<std::byte> data(1024);
    if (rank.id() == 0) {
        const auto bytes = rank.bootstrap().get(1, "address");
        fabric::Address address;
        std::copy_n(bytes.begin(), address.bytes.size(), address.bytes.begin());
        fabric::TaggedSend send;
        send.to = port.peer(address);
        send.data = data;
        ASSERT_TRUE(port.send(send).ok());
    } else {
        fabric::TaggedReceive receive;
        receive.buffer = data;
        ASSERT_TRUE(port.receive(receive).ok());
    }
    std::array<fabric::TaggedCompletion, 1> done;
    rank.host().wait_until([&] { return port.poll(done) == 1; });
    rank.bootstrap().fence();
}

Result run_on(const std::string& fabric, bool account) {
    Options wanted = testing::options(Kind::fibers, 2);
    wanted.fabric = fabric;
    wanted.account_for_parts = account;
    Result result = run(wanted, send_a_kilobyte);
    EXPECT_TRUE(result.ok) << result.failure;
    return result;
}

TEST(JobParts, TellHowLongTheyWereBusy) {
    const auto parts = run_on("ideal", true).parts;
    ASSERT_EQ(parts.size(), 1U);
    EXPECT_EQ(parts[0].kind, fabric::PartKind::link);
    EXPECT_EQ(parts[0].name, "node 0, Nic 0 out");
    EXPECT_EQ(parts[0].busy, Duration::ns(1024)) << "a kilobyte at 1000 MB/s";
}

TEST(JobParts, OfAModelAreItsLinksBusesAndEngines) {
    const auto parts = run_on("quadrics", true).parts;
    std::vector<std::string> names;
    for (const fabric::PartUse& part : parts) {
        names.push_back(part.name);
        EXPECT_GT(part.busy, Duration()) << part.name;
        EXPECT_LT(part.busy, Duration::us(30)) << part.name;
    }
    EXPECT_THAT(names, IsSupersetOf({"node 0, link 0 out", "node 1, link 0 in", "node 0, bus",
                                     "node 1, bus"}));
}

TEST(JobParts, AreNotListedUnlessAskedFor) {
    EXPECT_THAT(run_on("ideal", false).parts, IsEmpty());
}

}  // namespace
}  // namespace railyard::job
