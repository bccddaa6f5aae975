#pragma once
/// The thread of a tagged port on its node's thread processor: takes envelopes out of the port's
/// input queue, is busy with matching for as long as that takes, and writes what came with an
/// envelope to its place, one after the other. What matches what is not its business but that of
/// virtual/.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "interconnects/quadrics/elan/machine.hpp"
#include "interconnects/quadrics/fabric/memory_map.hpp"

namespace railyard::quadrics {

class MatchingThread {
  public:
    /// `taken` is told of each envelope, by the number that its sender wrote into it.
    MatchingThread(elan::Adapter& adapter, elan::Context& context, MemoryMap& memory,
                   std::uint32_t queue, std::function<void(std::uint64_t)> taken);

    /// Of an envelope that was taken; `matched` runs when that has been done.
    void match(Duration work, sim::Action matched);
    /// Of a receive that the process has posted, of which a command tells the thread.
    void match_receive(Duration work, sim::Action matched);
    /// Within `matched` or `placed`: bytes that came with the envelope go to that buffer, or to one
    /// of the system's if there is none. The thread waits.
    void write(const virtual_time::Extent* buffer, Bytes size, sim::Action placed);
    /// Drops all actions that are held here.
    void stop();

  private:
    struct Job {
        Duration work;
        sim::Action matched;
        bool ready = false;
    };
    struct Write {
        sim::Action placed;
        std::optional<MemoryMap::RegionId> region;  ///< in use
    };

    void wake();
    void go_on();
    bool take_envelope();
    void written(const std::shared_ptr<Write>& write);

    elan::Adapter& adapter_;
    elan::Context& context_;
    MemoryMap& memory_;
    const std::uint32_t queue_;
    std::function<void(std::uint64_t)> taken_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::deque<std::shared_ptr<Write>> writes_;  ///< under way
    bool awake_ = false;
    bool computing_ = false;
};

}  // namespace railyard::quadrics
