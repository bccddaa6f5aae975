#pragma once
/// What the handles of a rank's calls stand for, for those who check them. Whoever has the objects
/// implements it; handles may be wrong ones.

#include <string>

#include "mpi/communicators/comm.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi::checking {

class Objects {
  public:
    virtual ~Objects() = default;

    virtual Process& process() = 0;
    /// Null: none, here and below.
    virtual Comm* comm(int handle) = 0;
    virtual const Communicator* window_comm(int handle) = 0;
    virtual TypeRef type(int handle) = 0;
    /// One of the engine's.
    virtual Request* request(int handle) = 0;

    // For people.
    virtual std::string comm_name(int handle) = 0;
    virtual std::string type_name(int handle) = 0;
    virtual std::string op_name(int handle) = 0;
    virtual std::string window_name(int handle) = 0;

    /// Whether several threads may call at a time.
    virtual bool has_many_threads() const = 0;
};

}  // namespace railyard::mpi::checking
