#pragma once
/// A communicator as users hold it: the engine's, and what MPI hangs on it.

#include <memory>
#include <string>

#include "mpi/communicators/attributes.hpp"
#include "mpi/communicators/cartesian.hpp"
#include "mpi/communicators/error_handler.hpp"
#include "mpi/communicators/info.hpp"
#include "mpi/engine/communicator.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi {

class Comm : public Communicator {
  public:
    using Communicator::Communicator;

    /// For collectives; made when first asked for.
    Team& team() {
        if (!team_) [[unlikely]]
            team_ = process().make_team(*this);
        return *team_;
    }

    int handle = 0;  ///< what the user knows it by
    std::string name;
    ErrorHandlerRef error_handler;
    Attributes attributes;
    Info hints;
    std::unique_ptr<Cartesian> cartesian;

  private:
    std::unique_ptr<Team> team_;
};

}  // namespace railyard::mpi
