#pragma once
/// What the handles of a rank's calls stand for, for those who check them. Whoever has the objects
/// implements it; handles may be wrong ones.

#include <cstdint>
#include <string>

#include "mpi/communicators/comm.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/datatype.hpp"

namespace railyard::mpi::checking {

/// What a request's handle stands for just now.
enum class RequestState : std::uint8_t {
    none,
    inactive,  ///< a persistent one that was not started
    pending,
    complete,  ///< and nobody has taken note of it
    unknown,   ///< active; to ask for more might call the user
};

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
    /// The same, or the receive of a send and a receive in one.
    virtual const Request* message_request(int handle) = 0;
    virtual RequestState request_state(int handle) = 0;
    virtual Comm& world() = 0;

    // For people.
    virtual std::string comm_name(int handle) = 0;
    virtual std::string type_name(int handle) = 0;
    virtual std::string op_name(int handle) = 0;
    virtual std::string window_name(int handle) = 0;

    /// Whether several threads may call at a time.
    virtual bool has_many_threads() const = 0;
};

}  // namespace railyard::mpi::checking
