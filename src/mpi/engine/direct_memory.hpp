#pragma once
/// How ranks of a communicator read each other's memory at once, for collectives: what is offered
/// is registered, and read where there is a connection and the kernel lets us.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/collectives/direct_meeting.hpp"
#include "railyard/memory.hpp"

namespace railyard::mpi {

class Communicator;
class Process;

class DirectMemory final : public DirectReader {
  public:
    /// Both outlive it.
    DirectMemory(Process& process, Communicator& comm) : process_(process), comm_(comm) {}

    Offer offer(std::span<const std::byte> data) override;
    bool read(int rank, const Offer& offer, std::uint64_t from, std::span<std::byte> into) override;

  private:
    const fabric::Region* registered(std::span<const std::byte> data);

    /// What a rank offered last, which it mostly offers again.
    struct Known {
        fabric::RegionBlob name;
        std::unique_ptr<fabric::RemoteRegion> region;
    };

    Process& process_;
    Communicator& comm_;
    /// Memory is registered as long as its user may offer it again: it is found by its address, so
    /// that what was freed and came back is as it is now.
    static constexpr std::size_t most_kept = 8;
    std::vector<std::unique_ptr<fabric::Region>> own_;  ///< the last used first
    std::vector<Known> known_;                          ///< by rank
};

}  // namespace railyard::mpi
