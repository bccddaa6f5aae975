// Tagged messages on the machine: from and to the program's own pages, and inside a node.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "hosts/virtual_host.hpp"
#include "interconnects/registry.hpp"
#include "railyard/nic.hpp"

namespace railyard::quadrics {
namespace {

using namespace literals;
using fabric::NodeId;
using fabric::TaggedCompletion;

constexpr std::size_t page = 4096;

/// Page-aligned memory that is given back at the end: what is taken later is never the same.
std::byte* memory_of(std::size_t size) {
    static std::vector<std::unique_ptr<void, decltype(&std::free)>> all;
    all.emplace_back(std::aligned_alloc(page, (size + page - 1) / page * page), std::free);
    return static_cast<std::byte*>(all.back().get());
}

/// Two ranks, on those nodes; one sends, and the other has posted its receive.
class Two {
  public:
    explicit Two(NodeId second = 1)
        : fabric_(interconnects::find("quadrics")->open_virtual(engine_, 4)) {
        hosts_[0] = std::make_unique<hosts::VirtualHost>(engine_);
        hosts_[1] = std::make_unique<hosts::VirtualHost>(engine_);
        nics_[0] = fabric_->adapter(0).open(*hosts_[0]);
        nics_[1] = fabric_->adapter(second).open(*hosts_[1]);
    }

    void run(std::function<void(Two&)> work) {
        engine_.spawn("both", [this, work] { work(*this); });
        engine_.run();
    }

    /// From the sender's post until both have their completions.
    Duration send(std::byte* from, std::byte* to, std::size_t size) {
        fabric::TaggedPort& out = *nics_[0]->tagged_port();
        fabric::TaggedPort& in = *nics_[1]->tagged_port();
        EXPECT_TRUE(in.receive({.id = 1, .buffer = {to, size}}).ok());
        engine_.sleep_until(engine_.now() + 100_us);
        const Time begin = engine_.now();
        EXPECT_TRUE(
            out.send({.id = 2, .to = out.peer(nics_[1]->address()), .data = {from, size}}).ok());
        wait(1, in);
        wait(0, out);
        return engine_.now() - begin;
    }

  private:
    void wait(int rank, fabric::TaggedPort& port) {
        TaggedCompletion completion;
        EXPECT_TRUE(hosts_[rank]->wait_until(
            [&] {
                return port.poll({&completion, 1}) == 1;
            },
            engine_.now() + 1_s));
        EXPECT_TRUE(completion.status.ok());
    }

    sim::Engine engine_;
    std::unique_ptr<fabric::Fabric> fabric_;
    std::unique_ptr<hosts::VirtualHost> hosts_[2];
    std::unique_ptr<fabric::Nic> nics_[2];
};

/// The first time and the second, of buffers that lie so far behind the beginning of a page.
std::vector<Duration> twice(std::size_t size, std::size_t offset) {
    std::vector<Duration> times;
    Two().run([&](Two& two) {
        std::byte* const from = memory_of(size + offset) + offset;
        std::byte* const to = memory_of(size + offset) + offset;
        times = {two.send(from, to, size), two.send(from, to, size)};
    });
    return times;
}

TEST(QuadricsTagged, WhereABufferLiesInTheHostDoesNotShow) {
    for (const std::size_t offset : {64u, 100u, 4000u}) {
        EXPECT_EQ(twice(1000, offset), twice(1000, 32)) << offset;
        EXPECT_EQ(twice(64 << 10, offset), twice(64 << 10, 0)) << offset;
    }
}

TEST(QuadricsTagged, ABufferThatIsUsedAgainIsKnownToTheMmu) {
    const std::vector<Duration> large = twice(64 << 10, 0);
    EXPECT_GT(large[0] - large[1], 2 * 16 * 9_us) << "16 pages at either side are bound first";
    const std::vector<Duration> small = twice(64, 0);
    EXPECT_GT(small[0] - small[1], 9_us) << "one page, of the receiver's";
}

TEST(QuadricsTagged, APartOfABufferIsKnownWithIt) {
    Two().run([](Two& two) {
        std::byte* const from = memory_of(64 << 10);
        std::byte* const to = memory_of(64 << 10);
        (void)two.send(from, to, 32 << 10);
        const Duration known = two.send(from, to, 32 << 10);
        EXPECT_LT(two.send(from, to + 8192, 8192), known);
        const Duration larger = two.send(from, to, 64 << 10);
        const Duration again = two.send(from, to, 64 << 10);
        EXPECT_GT(larger - again, 2 * 8 * 9_us);
        EXPECT_LT(larger - again, 2 * 8 * 12_us) << "only the pages that are new were bound";
    });
}

// TP-6
TEST(QuadricsTagged, RanksOfANodeCopyAtTheSpeedOfMemory) {
    Duration apart;
    Duration together;
    std::vector<std::byte> from(64 << 10, std::byte{7});  // which the cache holds
    for (const NodeId second : {1u, 0u}) {
        std::vector<std::byte> to(from.size());
        Two(second).run([&](Two& two) {
            (void)two.send(from.data(), to.data(), to.size());
            (second == 0 ? together : apart) = two.send(from.data(), to.data(), to.size());
        });
        EXPECT_EQ(to, from);
    }
    EXPECT_LT(together, apart);
    const Duration copying = Bytes(from.size()) / Rate::bytes_per_second(733'000'000);
    EXPECT_GT(together, copying);
    EXPECT_LT(together, copying + 20_us);
}

}  // namespace
}  // namespace railyard::quadrics
