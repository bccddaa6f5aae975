#include "railyard/library/fabrics.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "railyard/base/error.hpp"
#include "railyard/library/job.hpp"

namespace railyard {
namespace {

using fabric::NetworkMessage;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Each message sooner than the one before it, and the first after 10 us.
class EverFaster final : public fabric::Network {
  public:
    Time arrival(const NetworkMessage& message, Time now) override {
        if (message.kind != NetworkMessage::Kind::data) return now;
        return now + Duration::us(10 / ++messages_);
    }

  private:
    int messages_ = 0;
};

void add_ever_faster() {
    if (find_fabric("ever-faster") != nullptr) return;
    add_network({.name = "ever-faster"},
                [](fabric::NodeId) { return std::make_unique<EverFaster>(); });
}

TEST(LibraryFabrics, ANetworkIsFoundByNameAndListedLast) {
    add_ever_faster();
    const std::vector<fabric::Traits> all = fabrics();
    const auto found = std::ranges::find(all, "ever-faster", &fabric::Traits::name);
    ASSERT_NE(found, all.end());
    EXPECT_GT(found - all.begin(), 10);
    EXPECT_EQ(found->clock, fabric::Clock::virtual_time);
    EXPECT_GT(found->max_message, Bytes(0));
    EXPECT_FALSE(datasheet("ever-faster"));
    EXPECT_TRUE(datasheet("quadrics"));
    EXPECT_THAT([] { run({.fabric = "ever-fastr"}, [](Rank&) {}); },
                ThrowsMessage<UsageError>(HasSubstr("did you mean 'ever-faster'?")));
}

TEST(LibraryFabrics, MessagesStayInOrderWhateverTheNetworkSays) {
    add_ever_faster();
    const JobResult result = run({.fabric = "ever-faster"}, [](Rank& rank) {
        fabric::TaggedPort& port = *rank.nic().tagged_port();
        const auto addresses = rank.gather("address", rank.nic().address());
        constexpr std::uint64_t messages = 10;
        std::array<std::byte, messages> data{};
        for (std::uint64_t i = 0; i < messages; ++i) {
            const auto byte = std::span(data).subspan(i, 1);
            const fabric::TaggedPeer peer =
                port.peer(addresses[static_cast<std::size_t>(1 - rank.id())]);
            data[i] = rank.id() == 0 ? std::byte(i) : std::byte{0xff};
            const Status taken =
                rank.id() == 0 ? port.send({.id = i, .to = peer, .bits = 0, .data = byte})
                               : port.receive({.id = i, .from = peer, .bits = 0, .buffer = byte});
            if (!taken.ok()) throw Error("refused");
        }
        for (std::uint64_t done = 0; done < messages;) {
            std::array<fabric::TaggedCompletion, messages> found;
            rank.host().wait_until([&] {
                const std::size_t n = port.poll(found);
                done += n;
                return n > 0;
            });
        }
        for (std::uint64_t i = 0; i < messages; ++i)
            if (data[i] != std::byte(i)) throw Error("a message overtook another");
        if (rank.host().now() < Time::at(Duration::us(10))) throw Error("too early");
        rank.fence();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(LibraryFabrics, ANameThatCannotBeIsRefused) {
    const auto make = [](fabric::NodeId) { return std::make_unique<EverFaster>(); };
    EXPECT_THAT([&] { add_network({.name = "quadrics"}, make); },
                ThrowsMessage<UsageError>(HasSubstr("'quadrics' is taken")));
    for (const char* name : {"", "a+b", "a,b", "a b", "a/b", "a.toml"})
        EXPECT_THROW(add_network({.name = name}, make), UsageError) << name;
    EXPECT_THROW(add_network({.name = "made-of-nothing"}, nullptr), UsageError);
    EXPECT_THROW(
        add_fabric({.name = "late", .clock = fabric::Clock::virtual_time}, [] { return nullptr; }),
        UsageError);
}

TEST(LibraryFabrics, ANetworkThatIsNotMadeFailsItsJob) {
    add_network({.name = "not-there"}, [](fabric::NodeId) { return nullptr; });
    const JobResult result = run({.fabric = "not-there"}, [](Rank& rank) { rank.nic(); });
    EXPECT_THAT(result.failure, HasSubstr("what makes it has given nothing"));
}

/// A fabric whose adapters are out of order.
class OutOfOrder final : public fabric::Fabric {
  public:
    class Adapter final : public fabric::Adapter {
      public:
        std::unique_ptr<fabric::Nic> open(fabric::Host&) override {
            throw Error("this adapter has no Nics");
        }
    };
    const fabric::Traits& traits() const override { return traits_; }
    fabric::Adapter& adapter(fabric::NodeId) override { return adapter_; }

  private:
    fabric::Traits traits_{.name = "out-of-order"};
    Adapter adapter_;
};

TEST(LibraryFabrics, ARealFabricIsOpenedByItsName) {
    add_fabric({.name = "out-of-order"}, [] { return std::make_unique<OutOfOrder>(); });
    const JobResult result =
        run({.fabric = "out-of-order", .ranks = 1}, [](Rank& rank) { rank.nic(); });
    EXPECT_THAT(result.failure, HasSubstr("this adapter has no Nics"));
}

class Counter final : public ProgressSource {
  public:
    explicit Counter(int descriptor) : descriptor_(descriptor) {}
    bool make_progress() override { return ++looks > 0; }
    int descriptor() const override { return descriptor_; }
    int looks = 0;

  private:
    int descriptor_;
};

TEST(LibraryFabrics, WhatIsAttachedHasTheFloorWhileTheRankSleeps) {
    const JobResult result = run({.ranks = 1, .kind = RankKind::threads}, [](Rank& rank) {
        Counter counter(-1);
        const auto attached = attach(rank.host(), counter);
        const Time deadline = rank.host().now() + Duration::s(20);
        if (!rank.host().wait_until([&] { return counter.looks > 5; }, deadline,
                                    fabric::Wait::sleep))
            throw Error("it was not looked at");
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST(LibraryFabrics, NothingIsAttachedInVirtualTime) {
    const JobResult result = run({.fabric = "ideal", .ranks = 1}, [](Rank& rank) {
        Counter counter(-1);
        attach(rank.host(), counter);
    });
    EXPECT_THAT(result.failure, HasSubstr("in virtual time events do"));
}

}  // namespace
}  // namespace railyard
