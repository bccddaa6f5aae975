#pragma once
/// Who is told of a rank's messages, connections and choices of algorithms as they happen: how a
/// run is recorded. Where nobody is, each of these costs one test of a pointer.

#include <cstddef>
#include <cstdint>

#include "mpi/collectives/team.hpp"

namespace railyard::mpi {

class Communicator;
class Request;
struct Envelope;

/// Of one rank; called with the engine's lock held, where there is one. It neither waits nor
/// throws, and takes no virtual time.
class MessageWatch : public ChoiceWatch {
  public:
    /// A message leaves, and its buffer is the user's again. `peer`: its rank in the job.
    virtual void sent(const Communicator& comm, const Envelope& envelope, int peer,
                      std::size_t bytes) = 0;
    /// A send, or a receive, begins. True: completed() is to follow.
    virtual bool send_started(const Communicator& comm, const Request& send) = 0;
    virtual bool receive_posted(const Request& receive) = 0;
    /// The status says how. Also of one that was cancelled.
    virtual void completed(const Request& request) = 0;

    /// A matched probe has taken a message, as a receive posted now would have: a number to know
    /// that by, which is given with its receive.
    virtual std::uint32_t message_taken() = 0;
    virtual bool receive_posted(const Request& receive, std::uint32_t taken) = 0;

    /// The rank waits for a connection to that one from now on; it stands.
    virtual void connecting(int peer) = 0;
    virtual void connected(int peer) = 0;

  protected:
    ~MessageWatch() = default;
};

}  // namespace railyard::mpi
