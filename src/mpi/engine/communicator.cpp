#include "mpi/engine/communicator.hpp"

#include "mpi/engine/process.hpp"

namespace railyard::mpi {

Communicator::Communicator(Process& process, std::uint32_t context, Group group)
    : context_(context),
      rank_(group.rank_of(process.world_rank())),
      size_(group.size()),
      world_ranks_(group.world_ranks().data()),
      process_(process),
      group_(std::move(group)) {}

Communicator::~Communicator() = default;

}  // namespace railyard::mpi
