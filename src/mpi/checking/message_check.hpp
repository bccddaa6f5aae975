#pragma once
/// Compares the types of messages with those of their receives. Before each of its messages, a rank
/// sends the receiver another that describes it: its call, and the sequence of its basic types. The
/// message carries the description's number.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "mpi/checking/objects.hpp"
#include "mpi/types/type_sequence.hpp"

namespace railyard::mpi::checking {

class MessageCheck {
  public:
    explicit MessageCheck(Objects& objects) : objects_(objects) {}

    struct Message {
        int peer = 0;  ///< rank of the job
        std::uint32_t context = 0;
        int tag = 0;
        TypeSequence sequence;
        std::string call;
    };
    /// Tells the peer of a message that is to be sent to it now. Returns the number that is to
    /// travel with it.
    std::uint16_t describe(const Message& message);

    /// A receive for so many of the type has ended. What is wrong with it, if anything; `call` made
    /// it.
    std::string compare(const Request& receive, const Datatype& type, std::size_t count,
                        const std::string& call);

    /// At the end: takes what nobody has asked for.
    void finish();

  private:
    struct Description {
        std::uint32_t context = 0;
        int tag = 0;
        TypeSequence sequence;
        std::string call;
        bool is_ambiguous = false;  ///< it is the second one of its number
    };
    struct Sent {
        std::string text;
        Request* request;
    };

    void read_what_came(int rank);
    void forget_what_left();

    Objects& objects_;
    std::map<int, std::uint64_t> described_;                        ///< by receiver: how many
    std::map<int, std::map<std::uint16_t, Description>> received_;  ///< by sender and number
    std::deque<Sent> sent_;
};

}  // namespace railyard::mpi::checking
