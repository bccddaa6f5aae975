// Four threads on one processor that each needs for two cycles of a step: EL-1.

#include "interconnects/quadrics/elan/microcode.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace railyard::elan {
namespace {

using namespace railyard::literals;
using testing::ElementsAre;

class ElanMicrocode : public ::testing::Test {
  protected:
    void step(Role role, Duration work) {
        microcode.run(role, work, "step", [this] { ends.push_back(engine.now().since_start()); });
    }

    sim::Engine engine;
    Microcode microcode{engine, 0};
    std::vector<Duration> ends;
};

TEST_F(ElanMicrocode, AThreadTakesItsStepsOneByOne) {
    step(Role::dma, 400_ns);
    step(Role::dma, 100_ns);
    step(Role::dma, 50_ns);
    engine.run();
    EXPECT_THAT(ends, ElementsAre(400_ns, 500_ns, 550_ns));
    EXPECT_EQ(microcode.steps(Role::dma), 3U);
    EXPECT_EQ(microcode.busy(Role::dma), 550_ns);
}

// While one waits for memory, the processor is another's: it is theirs for two cycles each.
TEST_F(ElanMicrocode, ThreadsOverlap) {
    step(Role::dma, 400_ns);
    step(Role::command, 150_ns);
    step(Role::inputter, 60_ns);
    step(Role::scheduler, 10_ns);
    engine.run();
    EXPECT_THAT(ends, ElementsAre(70_ns, 100_ns, 170_ns, 400_ns));
}

// What has waited comes before what the step that ends leads to.
TEST_F(ElanMicrocode, StepsKeepTheirOrder) {
    std::vector<int> order;
    microcode.run(Role::dma, 10_ns, "first", [&] {
        order.push_back(1);
        microcode.run(Role::dma, 10_ns, "third", [&] { order.push_back(3); });
    });
    microcode.run(Role::dma, 10_ns, "second", [&] { order.push_back(2); });
    engine.run();
    EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST_F(ElanMicrocode, NothingBeginsWhileItIsStalled) {
    step(Role::dma, 100_ns);
    step(Role::dma, 100_ns);
    microcode.stall(Time::at(1_us));
    step(Role::command, 100_ns);
    engine.run();
    EXPECT_THAT(ends, ElementsAre(100_ns, 1'100_ns, 1'120_ns));
}

}  // namespace
}  // namespace railyard::elan
