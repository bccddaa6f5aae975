#pragma once
/// The microcode processor and its four hardware threads (EL-1). A thread wakes, asks the memory
/// for something or looks at what came, and sleeps again: it needs the processor for two cycles,
/// and while it waits for the rest of its step the others have their turns. Each thread takes its
/// own steps one after the other.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/lazy_queue.hpp"
#include "interconnects/quadrics/elan/memory_path.hpp"

namespace railyard::elan {

enum class Role : std::uint8_t { inputter, dma, scheduler, command };

constexpr std::array<std::string_view, 4> role_names = {"inputter", "DMA engine",
                                                        "thread scheduler", "command processor"};

class Microcode {
  public:
    static constexpr Duration turn = cycle * 2;  ///< stated: as few as that

    Microcode(sim::Engine& engine, std::uint32_t node);

    /// A step of that thread: `done` runs when it has been at it for that long. Steps of one thread
    /// wait for each other, in the order of the calls.
    void run(Role role, Duration work, const Label& what, sim::Action done);
    /// No step begins before that.
    void stall(Time until) { processor_.stall(until); }

    std::uint64_t steps(Role role) const { return of(role).steps; }
    Duration busy(Role role) const { return of(role).busy; }

  private:
    struct Work {
        Duration work;
        Label what;
        sim::Action done;
    };
    struct Thread {
        sim::Action done;  ///< of the step that it is at
        bool at_work = false;
        LazyQueue<Work> waiting;
        sim::Trace::Lane lane = 0;
        std::uint64_t steps = 0;
        Duration busy;
    };
    const Thread& of(Role role) const { return threads_[static_cast<std::size_t>(role)]; }
    void begin(Thread& thread, Work&& step);
    void end(Thread& thread);

    sim::Engine& engine_;
    Resource processor_;
    std::array<Thread, 4> threads_;
};

}  // namespace railyard::elan
