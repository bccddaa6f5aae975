#pragma once
/// A random program of messages, drawn from a seed. It cannot hang: all ranks walk through one
/// sequence of events, so the first message that is not done has both its sides there. And its
/// outcome is determined, wildcards included: it says what every receive must find.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/programs/layout.hpp"
#include "sim/random.hpp"

namespace railyard::mpi::programs {

enum class SendMode : std::uint8_t { standard, synchronous, buffered, ready };
enum class SendWay : std::uint8_t { blocking, immediate, persistent };
enum class ReceiveWay : std::uint8_t {
    blocking,
    immediate,
    posted_ahead,  ///< before any message of the epoch is sent
    persistent,
    probed,
    matched,  ///< by a matched probe
};

struct PlannedMessage {
    std::uint64_t id = 0;  ///< the pattern of its bytes
    int comm = 0;
    int from = 0;  ///< world ranks
    int to = 0;
    int tag = 0;
    int base = 0;
    Shape out = Shape::dense;
    Shape in = Shape::dense;
    std::size_t elements = 0;
    std::size_t room = 0;  ///< elements that the receiver has place for
    int times = 1;         ///< each is waited for before the next
    SendMode mode = SendMode::standard;
    SendWay send_way = SendWay::blocking;
    ReceiveWay receive_way = ReceiveWay::blocking;
    bool any_source = false;
    bool any_tag = false;

    Layout out_layout() const { return {out, base}; }
    Layout in_layout() const { return {in, base}; }
};

/// One message, or a ring of them, sent and received by MPI_Sendrecv.
struct Event {
    bool is_shift = false;
    std::vector<PlannedMessage> messages;
};

/// Between barriers.
struct Epoch {
    std::vector<Event> events;
    std::vector<bool> has_orphan;  ///< by rank: a receive for which nothing comes
};

/// How a communicator is made of another: a copy, or by colour and key of each world rank.
struct CommPlan {
    int parent = -1;  ///< none: the world
    bool is_split = false;
    std::vector<int> colour;
    std::vector<int> key;
    /// What must come of it: by world rank, all members in the order of their ranks.
    std::vector<std::vector<int>> members;
};

struct Plan {
    std::uint64_t seed = 0;
    int ranks = 0;
    std::vector<CommPlan> comms;
    std::vector<Epoch> epochs;
};

Plan draw_plan(std::uint64_t seed, int ranks);

}  // namespace railyard::mpi::programs
