#include "experiments/core/sampling.hpp"

#include <gmock/gmock.h>

#include "experiments/user/peer.hpp"

namespace railyard::experiments {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

/// A clock that moves only when somebody works.
class Clock final : public fabric::Host {
  public:
    Time now() override { return now_; }
    void compute(Duration d) override { now_ = now_ + d; }
    void progress() override {}
    Ticket prepare_wait() override { return 0; }
    void cancel_wait() override {}
    bool wait(Ticket, Time, fabric::Wait) override { return false; }

  private:
    Time now_;
};

TEST(Sampling, WarmUpIsNotCounted) {
    Clock clock;
    unsigned iterations = 0;
    const auto times =
        time_batches(clock, {.warmup = 5, .samples = 3, .batch = 4}, [&](unsigned n) {
            clock.compute(Duration::us(n));
            iterations += n;
        });
    EXPECT_EQ(iterations, 17U);
    EXPECT_THAT(times, ElementsAre(Duration::us(4), Duration::us(4), Duration::us(4)));
}

TEST(Sampling, TimesBecomeLatenciesAndRates) {
    const std::vector<Duration> times{Duration::us(10), Duration::us(20)};
    EXPECT_THAT(microseconds(times, 4), ElementsAre(DoubleEq(2.5), DoubleEq(5)));
    EXPECT_THAT(megabytes_per_second(times, Bytes(1000)), ElementsAre(DoubleEq(100), DoubleEq(50)));
}

TEST(Sampling, SizesDouble) {
    EXPECT_THAT(doubling(Bytes(1), Bytes(8)), ElementsAre(Bytes(1), Bytes(2), Bytes(4), Bytes(8)));
    EXPECT_THAT(doubling(Bytes(3), Bytes(11)), ElementsAre(Bytes(3), Bytes(6)));
}

TEST(Stamp, NeverRepeatsAndIsNeverZero) {
    Stamp stamp;
    std::byte last{0};
    for (int i = 0; i < 1000; ++i) {
        const std::byte next = stamp.next();
        EXPECT_NE(next, last);
        EXPECT_NE(next, std::byte{0});
        last = next;
    }
}

}  // namespace
}  // namespace railyard::experiments
