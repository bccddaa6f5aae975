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

    /// A meeting is over that all ranks were in, and has moved something or was in vain. At first
    /// there may be no connections; where there never are, it is soon tried no more.
    void met(bool has_moved) { in_vain_ = has_moved ? 0 : in_vain_ + 1; }
    bool is_worth_trying() const { return in_vain_ < most_in_vain; }

  private:
    const fabric::Region* registered(std::span<const std::byte> data);

    /// What a rank offered last, which it mostly offers again.
    struct Known {
        fabric::RegionBlob name;
        std::unique_ptr<fabric::RemoteRegion> region;
    };

    static constexpr unsigned most_in_vain = 3;

    Process& process_;
    Communicator& comm_;
    unsigned in_vain_ = 0;  ///< meetings since one that moved something: the same on all ranks
    /// Memory is registered as long as its user may offer it again: it is found by its address, so
    /// that what was freed and came back is as it is now.
    static constexpr std::size_t most_kept = 8;
    std::vector<std::unique_ptr<fabric::Region>> own_;  ///< the last used first
    std::vector<Known> known_;                          ///< by rank
};

}  // namespace railyard::mpi
