#pragma once
/// What the ranks of a team say to each other in one round, drawn from a seed by each of them
/// alike.
///
/// Nobody can deadlock: a rank first starts all receives that are early, then all sends that do not
/// block, then makes the sends that block (their receives are early ones), then the receives that
/// are late (their sends do not block), and then waits for what it started.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "traffic/layout.hpp"

namespace railyard::soak {

enum class SendWay : std::uint8_t {
    isend,
    issend,
    ibsend,
    irsend,
    persistent,
    persistent_synchronous,
    persistent_buffered,
    persistent_ready,
    // From here on they block.
    send,
    ssend,
    bsend,
    rsend,
    one_persistent,  ///< one request, started again and again
};
inline bool blocks(SendWay way) {
    return way >= SendWay::send;
}

enum class ReceiveWay : std::uint8_t {
    irecv,
    persistent,
    // From here on they are late.
    late_irecv,
    recv,
    probe,
    iprobe,
    mprobe,
    improbe,
    one_persistent,
    cancelled,  ///< started, cancelled, and if that came in time received again
};
inline bool is_late(ReceiveWay way) {
    return way >= ReceiveWay::late_irecv;
}

/// One message of a flow.
struct Message {
    std::size_t bytes;
    std::size_t offset;  ///< in the pattern: where its content is
};

/// Messages from one rank to another under one tag.
struct Flow {
    std::uint64_t seed;
    int source;
    int destination;
    int tag;
    int count;
    int least_octave;  ///< sizes are from about 2^least to 2^most
    int most_octave;
    SendWay way;
    bool all_alike;    ///< all have the size of the first
    bool from_copies;  ///< the sender has a buffer for each, else sends from the pattern
    Base base;
    std::shared_ptr<const Layout> layout;  ///< of the sender's buffer; null: contiguous

    Message message(int index) const;
    /// No message is longer.
    std::size_t most_bytes() const { return std::size_t{1} << most_octave; }
};

/// Where one rank takes messages of one flow, or of several that only wildcards tell apart.
struct Inlet {
    int rank;
    int source;  ///< or MPI_ANY_SOURCE
    int tag;     ///< or MPI_ANY_TAG
    bool in_world;
    ReceiveWay way;
    bool roomy;  ///< receives are longer than their messages
    Base base;
    std::shared_ptr<const Layout> layout;  ///< of the receiver's buffer; null: contiguous
    /// Those of one source stand in the order in which it sends them.
    std::vector<std::size_t> flows;
};

struct Exchange {
    std::vector<Flow> flows;  ///< in the order of sending: those that block come last
    std::vector<Inlet> inlets;
    bool is_ready = false;     ///< all early receives are there before the first send
    bool is_buffered = false;  ///< some flow is buffered
    std::uint64_t messages = 0;
};

struct PlanOptions {
    int ranks = 2;
    bool large = false;     ///< few and large messages
    int burst = 1;          ///< flows are so many times longer
    bool own_tags = false;  ///< nobody else uses the communicator now: tags may be wildcards
    /// The tag of index i (0 to 15) is first_tag + i; in the world, another.
    int first_tag = 0;
    int first_world_tag = -1;  ///< -1: the world is not to be used
};

Exchange plan_exchange(std::uint64_t seed, const PlanOptions& options);

}  // namespace railyard::soak
