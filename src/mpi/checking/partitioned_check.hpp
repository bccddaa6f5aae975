#pragma once
/// Compares the types of partitioned messages. When its request is made, a sender describes the
/// whole message to the receiver. The n-th such send of a rank, communicator and tag belongs to the
/// n-th such receive, so nothing has to travel with the data.

#include <deque>
#include <map>
#include <string>
#include <tuple>

#include "mpi/calls/facts.hpp"
#include "mpi/checking/call_text.hpp"
#include "mpi/checking/objects.hpp"
#include "mpi/types/type_sequence.hpp"

namespace railyard::mpi::checking {

class PartitionedCheck {
  public:
    explicit PartitionedCheck(Objects& objects) : objects_(objects) {}

    /// A request was made: by MPI_Psend_init or MPI_Precv_init, else nothing is done.
    void made(const MadeCall& call, const calls::CallFacts& its);
    /// What is wrong with a receive, if one is known to be, and its sender's call.
    std::string look();
    /// At the end: takes what nobody has asked for.
    void finish();

  private:
    using Line = std::tuple<int, std::uint32_t, int>;  ///< sender, context and tag
    struct Sent {
        std::string text;
        Request* request;
    };
    struct Described {
        TypeSequence sequence;
        std::string call;
    };
    struct Expected {
        TypeRef type;
        std::size_t count;
        std::string call;
    };

    void describe(const MadeCall& call, const calls::CallFacts& its, const Datatype& type,
                  std::size_t count);
    void read_what_came(int rank);
    void forget_what_left();

    Objects& objects_;
    std::deque<Sent> sent_;
    std::map<Line, std::deque<Described>> described_;
    std::map<Line, std::deque<Expected>> expected_;
};

}  // namespace railyard::mpi::checking
