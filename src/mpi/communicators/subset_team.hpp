#pragma once
/// Some ranks that do something together while others know nothing of it.

#include <cstdint>
#include <vector>

#include "mpi/collectives/team.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi {

/// They use a context that no communicator has, a tag, and their ranks among many: so groups that
/// overlap do not take each other's messages.
class SubsetTeam final : public Team {
  public:
    /// The members' ranks are those in `among`. Throws MpiError (group) if one of them is not
    /// there.
    SubsetTeam(Process& process, std::uint32_t context, const Group& among, const Group& members,
               int tag);

    void send(const ConstBuffer& data, int to) override;
    void receive(const Buffer& into, int from) override;
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override;
    void start_send(const ConstBuffer& data, int to) override;
    void start_receive(const Buffer& into, int from) override;
    void wait_all() override;
    void charge_bytes(std::size_t bytes) override;

  private:
    int among(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    Communicator comm_;
    int tag_;
    std::vector<int> ranks_;  ///< of the members
    std::vector<Request*> under_way_;
};

}  // namespace railyard::mpi
