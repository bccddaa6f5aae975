// Which way large messages take where both are open: the faster one, whichever that is just now.

#include "mpi/engine/bulk_choice.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi/engine/channel.hpp"
#include "mpi/engine/world.hpp"

namespace railyard::mpi {
namespace {

constexpr std::uint64_t bulk_size = 100'000;

/// A channel on which each way takes a time of its own; messages take the way that was advised.
class TimedMessages {
  public:
    Duration stream = Duration::us(10);
    Duration read = Duration::us(10);

    /// How many of the next n are read.
    int read_of(int n) {
        int reads = 0;
        for (int i = 0; i < n; ++i) {
            const Way way = choice_.advised(bulk_size);
            choice_.begin(receive_, bulk_size, now_);
            now_ = now_ + (way == Way::read ? read : stream);
            choice_.end(receive_, way, bulk_size, now_);
            choice_.advise(bulk_size, choice_.next(bulk_size));
            reads += way == Way::read ? 1 : 0;
        }
        return reads;
    }
    BulkChoice& choice() { return choice_; }
    Request& request() { return receive_; }

  private:
    BulkChoice choice_;
    Request receive_;
    Time now_{};
};

TEST(BulkChoice, TakesTheFasterWay) {
    TimedMessages messages;
    messages.read = Duration::us(7);
    messages.read_of(40);
    EXPECT_GE(messages.read_of(640), 620);

    TimedMessages others;
    others.read = Duration::us(13);
    others.read_of(40);
    EXPECT_LE(others.read_of(640), 20);
}

TEST(BulkChoice, FindsOutWhenTheOtherHasBecomeFaster) {
    TimedMessages messages;
    messages.read = Duration::us(7);
    messages.read_of(300);
    messages.read = Duration::us(13);
    messages.read_of(300);
    EXPECT_LE(messages.read_of(640), 20);
    messages.stream = Duration::us(30);
    messages.read_of(300);
    EXPECT_GE(messages.read_of(640), 620);
}

TEST(BulkChoice, ForgivesALostProcessor) {
    TimedMessages messages;
    messages.read = Duration::us(7);
    messages.read_of(300);
    messages.read = Duration::ms(10);
    messages.read_of(1);
    messages.read = Duration::us(7);
    EXPECT_GE(messages.read_of(64), 60);
}

TEST(BulkChoice, KnowsSizesApart) {
    TimedMessages messages;
    messages.read = Duration::us(7);
    messages.read_of(40);
    EXPECT_EQ(messages.choice().advised(bulk_size), Way::read);
    EXPECT_EQ(messages.choice().advised(bulk_size * 8), Way::stream);
}

// A message that waited behind others says nothing of its way.
TEST(BulkChoice, TimesOnlyWhoHasTheChannelAlone) {
    BulkChoice choice;
    Request first, second;
    const Time start{};
    for (int i = 0; i < 10; ++i) {
        choice.begin(first, bulk_size, start);
        choice.begin(second, bulk_size, start);
        choice.end(first, Way::stream, bulk_size, start + Duration::us(10));
        choice.end(second, Way::read, bulk_size, start + Duration::us(1000));
    }
    for (int i = 0; i < 10; ++i) {
        choice.begin(first, bulk_size, start);
        choice.end(first, Way::read, bulk_size, start + Duration::us(7));
    }
    EXPECT_EQ(choice.next(bulk_size), Way::read);
}

// What came with the RTS came before the clock was started, and took as long as the rest.
TEST(BulkChoice, CountsWhatIsToCome) {
    BulkChoice choice;
    Request receive;
    const Time start{};
    for (int i = 0; i < 10; ++i) {
        choice.begin(receive, bulk_size / 2, start);
        choice.end(receive, Way::stream, bulk_size, start + Duration::us(6));
    }
    for (int i = 0; i < 10; ++i) {
        choice.begin(receive, bulk_size, start);
        choice.end(receive, Way::read, bulk_size, start + Duration::us(10));
    }
    EXPECT_EQ(choice.next(bulk_size), Way::read);
}

// Both ways are tried, whatever user memory is reached by, and bytes are right by both.
TEST(BulkChoice, TriesBothWaysForReal) {
    for (const char* reach : {"process_vm", "bounce"}) {
        ::setenv("RAILYARD_SHM_USER_MEMORY", reach, 1);
        const job::Result result = run_world("shm", 2, [](World& w) {
            std::vector<std::byte> data(bulk_size);
            for (unsigned i = 0; i < 40; ++i) {
                const bool sends = (w.rank() == 0) == (i % 2 == 0);
                if (sends) data = pattern(bulk_size, i);
                if (sends)
                    w.process.send(ConstBuffer(data.data(), bulk_size, World::bytes()),
                                   1 - w.rank(), 1, w.comm);
                else
                    w.process.receive({data.data(), bulk_size, &World::bytes()}, 1 - w.rank(), 1,
                                      w.comm, nullptr);
                expect(data == pattern(bulk_size, i), "wrong bytes");
            }
            const std::uint64_t reads = w.process.counters().rdma_operations;
            expect(reads >= 4, "reading was not tried");
            expect(reads <= 16, "streaming was not tried");
        });
        EXPECT_TRUE(result.ok) << reach << ": " << result.failure;
    }
    ::unsetenv("RAILYARD_SHM_USER_MEMORY");
}

}  // namespace
}  // namespace railyard::mpi
