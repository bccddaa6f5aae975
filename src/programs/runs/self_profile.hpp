#pragma once
/// Where the real time of a run in virtual time goes: which part of Railyard, or the program, holds
/// the processor. Samples the thread that runs it, some hundred times in a second of its processor
/// time, so that it costs next to nothing.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace railyard::runs {

struct SelfProfile {
    struct Part {
        std::string_view name;
        double share;  ///< of the processor's time
    };

    double seconds = 0;            ///< real time
    double processor_seconds = 0;  ///< of the thread that ran it
    std::vector<Part> parts;       ///< most first; none where too little was seen
    std::uint64_t samples = 0;
    std::uint64_t peak_memory = 0;  ///< of the process, beyond what it had before
};

/// From its making until end(): in the calling thread, of which there is one such at a time.
class SelfSampling {
  public:
    /// Throws Error where the system has no such timer.
    SelfSampling();
    ~SelfSampling();
    SelfSampling(const SelfSampling&) = delete;
    SelfSampling& operator=(const SelfSampling&) = delete;

    SelfProfile end();

  private:
    struct Timer;
    std::unique_ptr<Timer> timer_;
};

/// The part that a function belongs to, by its name as the linker knows it; empty: none of ours.
std::string_view part_of_function(std::string_view mangled);

}  // namespace railyard::runs
