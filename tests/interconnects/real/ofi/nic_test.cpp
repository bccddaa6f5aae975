/// What is peculiar to this fabric: providers that differ, descriptors that lie, and what is read
/// from the network.

#include "interconnects/real/ofi/module/nic.hpp"

#include <gmock/gmock.h>

#include "interconnects/real/ofi/end.hpp"
#include "interconnects/real/ofi/module/survey.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {
namespace {

using fabric::ConnectionState;
using testing::HasSubstr;
using namespace railyard::literals;

class OfiNic : public Ends {};

/// Small and large data, by a message and by one-sided operations, over each provider there is.
TEST_P(OfiNic, MovesDataOfAllSizes) {
    End a(host_, GetParam()), b(host_, GetParam());
    connect(a, b);
    constexpr std::size_t size = 3 << 20;
    std::vector<std::byte> from(size), to(size);
    for (std::size_t i = 0; i < size; ++i)
        from[i] = static_cast<std::byte>(i * 7 + i / 256);
    const auto source = a.nic().register_memory(from, fabric::Access::local);
    const auto target = b.nic().register_memory(to, fabric::Access::all);
    const auto remote = a.nic().import_region(target->export_blob());
    for (const std::size_t n : {std::size_t{1}, longest_data, longest_data + 1,
                                longest_data_on_sockets, longest_data_on_sockets + 1, size}) {
        std::ranges::fill(to, std::byte{0});
        const fabric::Slice slice(*source, {}, Bytes(n));
        fabric::WorkRequest write;
        write.op = fabric::Op::rdma_write;
        write.flags = fabric::Flags::remote_completion;
        write.local = std::span(&slice, 1);
        write.remote = {remote.get(), {}};
        ASSERT_TRUE(a.queue_pair().post(write).ok());
        fabric::Completion done;
        ASSERT_TRUE(host_.wait_until([&] { return a.sent().poll(done); }, soon()));
        EXPECT_TRUE(done.status.ok()) << done.status.name();
        EXPECT_TRUE(
            std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(n), to.begin()));
        EXPECT_TRUE(n == size || to[n] == std::byte{0});
    }
    part(a, b);
}

/// Two that wait sleep, wherever the provider has a descriptor that tells the truth.
TEST_P(OfiNic, AWaiterIsWokenByAMessage) {
    End a(host_, GetParam()), b(host_, GetParam());
    connect(a, b);
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(b.receives().post({}).ok());
        ASSERT_TRUE(a.queue_pair().post(fabric::WorkRequest{}).ok());
        fabric::Completion done;
        EXPECT_TRUE(
            host_.wait_until([&] { return b.received().poll(done); }, soon(), fabric::Wait::sleep));
        EXPECT_TRUE(host_.wait_until([&] { return a.sent().poll(done); }, soon()));
    }
    part(a, b);
}

TEST_P(OfiNic, MoreMessagesThanCreditsWaitForReceives) {
    End a(host_, GetParam()), b(host_, GetParam());
    connect(a, b);
    constexpr int count = 2 * most_credits + 5;
    int posted = 0, sent = 0, received = 0;
    fabric::Completion done;
    const bool all = host_.wait_until(
        [&] {
            if (posted < count && a.queue_pair().post(fabric::WorkRequest{}).ok()) ++posted;
            // Receives come only when many messages wait for them.
            if (posted > count / 2 && b.receives().post({}).ok()) {
            }
            while (a.sent().poll(done))
                ++sent;
            while (b.received().poll(done))
                ++received;
            return sent == count && received == count;
        },
        soon());
    EXPECT_TRUE(all) << posted << " posted, " << sent << " sent, " << received << " received";
    part(a, b);
}

INSTANTIATE_TEST_SUITE_P(Providers, OfiNic, all_providers(), provider_name);

TEST(OfiMismatch, ProvidersThatDifferDoNotConnect) {
    hosts::RealHost host{{}};
    End a(host, "tcp"), b(host, "net");
    testing::internal::CaptureStderr();
    ASSERT_TRUE(
        a.queue_pair().connect_peer(b.nic().address(), 1, {}, host.now() + Duration::s(5)).ok());
    EXPECT_EQ(a.queue_pair().state(), ConnectionState::failed);
    EXPECT_EQ(a.queue_pair().reason(), Code::refused);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said, testing::AllOf(HasSubstr("uses the provider tcp"), HasSubstr("uses net"),
                                     HasSubstr("RAILYARD_OFI_PROVIDER")));
}

TEST(OfiMismatch, RanksWithAnotherNumberOfDomainsDoNotConnect) {
    hosts::RealHost host{{}};
    End a(host, "tcp");
    const NicName name = NicName::from_address(a.nic().address());
    const std::vector<std::byte> where(name.where(0).begin(), name.where(0).end());
    const NicName other(1, "tcp", "elsewhere", std::vector{where, where});
    testing::internal::CaptureStderr();
    ASSERT_TRUE(
        a.queue_pair().connect_peer(other.address(), 1, {}, host.now() + Duration::s(5)).ok());
    EXPECT_EQ(a.queue_pair().reason(), Code::refused);
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said,
                testing::AllOf(HasSubstr("uses 1 of tcp's domains"), HasSubstr("elsewhere uses 2"),
                               HasSubstr("RAILYARD_OFI_DOMAINS")));
}

TEST(OfiMismatch, AnAddressOfAnotherFabricIsRefused) {
    hosts::RealHost host{{}};
    End a(host, "tcp");
    ASSERT_TRUE(a.queue_pair().connect_peer({}, 1, {}, host.now() + Duration::s(5)).ok());
    EXPECT_EQ(a.queue_pair().reason(), Code::refused);
}

TEST(OfiSurvey, SaysWhatIsClaimedAndWhatIsFound) {
    const std::string text = survey_providers();
    EXPECT_THAT(text, HasSubstr("* ofi:"));
    EXPECT_THAT(text, HasSubstr("claims: "));
    EXPECT_THAT(text, HasSubstr("waits on a descriptor"));
}

}  // namespace
}  // namespace railyard::ofi
