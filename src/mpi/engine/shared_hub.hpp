#pragma once
/// The Hub of a communicator whose ranks map each other's memory: a region of its first rank.

#include <cstdint>
#include <memory>

#include "mpi/collectives/team.hpp"
#include "mpi/engine/process.hpp"
#include "railyard/nic.hpp"

namespace railyard::mpi {

class SharedHub final : public Hub {
  public:
    /// All ranks of the communicator make theirs together; `context` is for messages between them.
    SharedHub(Process& process, Communicator& comm, std::uint32_t context);

    std::byte* slot(int rank) override;
    std::byte* result() override;
    bool arrive() override;
    void release() override;
    void await() override;

  private:
    struct Layout;
    Layout& layout() const { return *reinterpret_cast<Layout*>(base_); }
    void wake_others();

    Process& process_;
    Communicator& comm_;
    std::unique_ptr<fabric::Region> own_;           ///< the first rank's
    std::unique_ptr<fabric::RemoteRegion> theirs_;  ///< as others see it
    std::byte* base_ = nullptr;
    std::uint64_t round_ = 0;  ///< meetings so far, this one included
};

}  // namespace railyard::mpi
