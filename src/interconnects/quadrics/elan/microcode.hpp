#pragma once
/// The microcode processor: one, whose four hardware threads take turns step by step (EL-1).

#include <array>
#include <cstdint>
#include <string_view>

#include "interconnects/quadrics/elan/part.hpp"

namespace railyard::elan {

enum class Role : std::uint8_t { inputter, dma, scheduler, command };

constexpr std::array<std::string_view, 4> role_names = {"inputter", "DMA engine",
                                                        "thread scheduler", "command processor"};

class Microcode {
  public:
    Microcode(sim::Engine& engine, std::uint32_t node);

    void run(Role role, Duration work, std::string_view what, sim::Action done) {
        ++steps_[static_cast<std::size_t>(role)];
        processor_.use(work, what, lanes_[static_cast<std::size_t>(role)], std::move(done));
    }
    void stall(Time until) { processor_.stall(until); }
    std::uint64_t steps(Role role) const { return steps_[static_cast<std::size_t>(role)]; }
    const Part& processor() const { return processor_; }

  private:
    Part processor_;
    std::array<sim::Trace::Lane, 4> lanes_{};
    std::array<std::uint64_t, 4> steps_{};
};

}  // namespace railyard::elan
