#pragma once
/// Some ranks of a communicator that do something together while the others know nothing of it.
/// They talk in a context beside the communicator's, under a tag, by the communicator's ranks: so
/// groups that overlap do not take each other's messages.

#include <vector>

#include "mpi/collectives/team.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/request.hpp"

namespace railyard::mpi {

class SubsetTeam final : public Team {
  public:
    SubsetTeam(Communicator& parent, const Group& group, int tag);

    void send(const ConstBuffer& data, int to) override;
    void receive(const Buffer& into, int from) override;
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override;
    void start_send(const ConstBuffer& data, int to) override;
    void start_receive(const Buffer& into, int from) override;
    void wait_all() override;
    void charge_bytes(std::size_t bytes) override;

  private:
    int in_parent(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }

    Communicator aside_;
    int tag_;
    std::vector<int> ranks_;  ///< of the members, in the parent
    std::vector<Request*> under_way_;
};

}  // namespace railyard::mpi
