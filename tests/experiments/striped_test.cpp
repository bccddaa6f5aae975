// mech.multiport: messages over two rails. Fabrics with one port have two rails all the same: two
// connections of that port.

#include "experiments/user/striped.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {
namespace {

constexpr unsigned window = 4;
constexpr unsigned windows = 3;

job::Options on(const std::string& fabric) {
    job::Options options;
    options.fabric = fabric;
    return options;
}

std::byte pattern(std::size_t i) {
    return static_cast<std::byte>(i * 7 + 1);
}

/// Rank 0 sends so many windows of messages to rank 1, which then looks at what came.
void send_windows(const std::string& fabric, Bytes size, std::vector<std::size_t> rails,
                  const std::function<void(Bundle&, const Striped&)>& look) {
    const job::Result result = job::run(on(fabric), [&](job::Rank& rank) {
        Bundle bundle(rank, "striped",
                      {.buffer = 2 * size,
                       .sends = Striped::sends_for(window),
                       .receives = Striped::receives_for(window, 2),
                       .ports = {0, 0}});
        for (std::size_t i = 0; i < 2 * size.count(); ++i)
            bundle.local().data()[i] = pattern(i % size.count());
        Striped side(bundle, size, window, rails);
        bundle.meet();
        for (unsigned i = 0; i < windows; ++i) {
            if (rank.id() == 0) {
                side.send();
                side.await_reply();
            } else {
                side.await();
                if (i + 1 == windows) look(bundle, side);
                side.reply();
            }
        }
        bundle.meet();
        rank.bootstrap().fence();
    });
    ASSERT_TRUE(result.ok) << result.failure;
}

/// The failures of a rank that is another process must be seen here: they end it.
void insist(bool holds, const char* what) {
    if (!holds) throw Error(what);
}

bool all_but_the_last_byte_came(const Bundle& bundle, Bytes size) {
    for (std::size_t i = 0; i + 1 < size.count(); ++i)
        if (bundle.target().data()[i] != pattern(i)) return false;
    return true;
}

class StripedOn : public ::testing::TestWithParam<const char*> {};

TEST_P(StripedOn, MP1MessagesUpToTheThresholdGoWholeOverTheFirstRail) {
    for (const Bytes size : {Bytes(1), Bytes(8191), Bytes(8192)}) {
        SCOPED_TRACE(size.count());
        send_windows(GetParam(), size, {0, 1}, [&](Bundle& bundle, const Striped& side) {
            insist(!side.cut(), "cut");
            // Found by its last byte: no control message on either rail.
            insist(side.parts() == std::vector<std::uint64_t>{0, 0}, "parts");
            insist(all_but_the_last_byte_came(bundle, size), "bytes");
        });
    }
}

TEST_P(StripedOn, MP1AndMP3LargerOnesAreCutWithAControlMessageForEachPart) {
    for (const Bytes size : {Bytes(8193), Bytes(64 << 10)}) {
        SCOPED_TRACE(size.count());
        send_windows(GetParam(), size, {0, 1}, [&](Bundle& bundle, const Striped& side) {
            insist(side.cut(), "whole");
            const std::uint64_t messages = window * windows;
            insist(side.parts() == std::vector{messages, messages}, "parts");
            insist(all_but_the_last_byte_came(bundle, size), "bytes");
            const std::size_t last = size.count() - 1;
            insist(bundle.target().data()[last] == pattern(last), "last byte");
        });
    }
}

TEST_P(StripedOn, MP4BoundMessagesAreNeverCut) {
    send_windows(GetParam(), Bytes(64 << 10), {1}, [&](Bundle& bundle, const Striped& side) {
        insist(!side.cut(), "cut");
        insist(all_but_the_last_byte_came(bundle, Bytes(64 << 10)), "bytes");
    });
}

TEST_P(StripedOn, ThePartsOfAPeerThatIsAheadWaitUntilBothHaveMet) {
    const Bytes size(64 << 10);
    const job::Result result = job::run(on(GetParam()), [&](job::Rank& rank) {
        Bundle bundle(rank, "ahead",
                      {.buffer = 2 * size,
                       .sends = Striped::sends_for(window),
                       .receives = Striped::receives_for(window, 2),
                       .ports = {0, 0}});
        Striped side(bundle, size, window, {0, 1});
        if (rank.id() == 0) side.send();
        bundle.meet();
        if (rank.id() == 1) {
            side.await();
            side.reply();
        } else {
            side.await_reply();
        }
        bundle.meet();
        rank.bootstrap().fence();
    });
    ASSERT_TRUE(result.ok) << result.failure;
}

INSTANTIATE_TEST_SUITE_P(Fabrics, StripedOn, ::testing::Values("ideal", "shm"),
                         [](const auto& which) { return std::string(which.param); });

// MP-2: with the second rail's parts held back, nothing is complete.
TEST(Striped, MP2AMessageIsThereWhenAllItsPartsAre) {
    const job::Result result = job::run(on("ideal"), [&](job::Rank& rank) {
        constexpr Bytes size(16 << 10);
        Bundle bundle(rank, "striped",
                      {.buffer = 2 * size,
                       .sends = Striped::sends_for(1),
                       .receives = Striped::receives_for(1, 2),
                       .ports = {0, 0}});
        if (rank.id() == 1) {
            Striped side(bundle, size, 1, {0, 1});
            side.await();
            rank.deliver(std::to_string(rank.host().now().since_start().microseconds()));
            side.reply();
        } else {
            fabric::WorkRequest control;
            control.with_immediate = true;
            control.immediate = 1;
            bundle.post(1, control);
            rank.host().compute(Duration::ms(1));
            rank.deliver(std::to_string(rank.host().now().since_start().microseconds()));
            bundle.post(0, control);
            fabric::Completion completion;
            bundle.wait([&] { return bundle.poll_received({&completion, 1}) == 1; });
            bundle.settle();
        }
        rank.bootstrap().fence();
    });
    ASSERT_TRUE(result.ok) << result.failure;
    ASSERT_EQ(result.delivered.size(), 2U);
    EXPECT_NEAR(std::stod(result.delivered[1]), std::stod(result.delivered[0]) + 1, 0.1)
        << "one latency after the late part was sent";
}

}  // namespace
}  // namespace railyard::experiments
