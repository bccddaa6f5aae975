#pragma once
/// A network of Elite switches, in virtual time: packets go in with a route, circuits are held
/// until the acknowledgment is back, parts break and are mended. Knows nothing of what packets
/// mean.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/rate.hpp"
#include "interconnects/quadrics/elite/fat_tree.hpp"
#include "interconnects/quadrics/elite/routing.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace railyard::elite {

/// Packets: a circuit is set up, used and given back as a whole, in few events. Flits: every flit
/// moves through every FIFO. Where nothing blocks, both give the same times.
enum class Detail : std::uint8_t { packets, flits };

struct Parameters {
    unsigned dimension = 2;  ///< of the quaternary fat tree: 4^dimension nodes
    Detail detail = Detail::packets;
    Rate rate = Rate::bytes_per_second(400'000'000);  ///< of a link, each way
    Bytes flit{2};
    Duration flow_through = Duration::ns(35);  ///< of a switch
    Duration wire;                             ///< of every cable
    unsigned fifo = 128;                       ///< flits that a virtual channel's input holds
    /// Command and CRC of a packet, beside its tags of a flit each: with the three tags of the
    /// largest way among 16 nodes, 20 bytes.
    Bytes framing{14};

    friend bool operator==(const Parameters&, const Parameters&) = default;

    Duration flit_time() const { return flit / rate; }
    /// Those of a payload and its framing, without tags.
    std::uint32_t flits(Bytes payload) const {
        const std::uint64_t bytes = payload.count() + framing.count();
        return static_cast<std::uint32_t>((bytes + flit.count() - 1) / flit.count());
    }
    /// A token, of one flit, over that many switches. It travels beside the data and waits for
    /// nothing.
    Duration token_time(unsigned switches) const {
        return flit_time() + wire + (flow_through + wire) * switches;
    }
};

constexpr unsigned channels = 2;  ///< virtual channels of a link, each way

enum class Priority : std::uint8_t { low, high };

struct Packet {
    NodeId source = 0;
    Route route;
    Bytes payload;
    std::uint8_t channel = 0;  ///< the virtual channel, on all links of the way
    Priority priority = Priority::low;
    std::uint64_t cookie = 0;  ///< the adapter's own; the destination sees it
};

/// Names a packet from send() until its source has been told what became of it.
struct PacketId {
    std::uint64_t sequence = 0;  ///< in order of sending: the lower, the older
    std::uint32_t slot = 0;
    friend bool operator==(const PacketId&, const PacketId&) = default;
};

/// A packet as one destination sees it: without a tag.
struct Delivery {
    PacketId packet;
    NodeId source = 0;
    NodeId node = 0;  ///< where it arrived
    bool broadcast = false;
    Bytes payload;
    std::uint64_t cookie = 0;
    std::uint32_t leg = 0;  ///< the network's own
};

/// Where the way was cut, as the hops found out between themselves.
struct Fault {
    enum class Kind : std::uint8_t {
        dead,       ///< the part does not answer
        corrupted,  ///< a CRC was wrong behind it
        bad_route,  ///< the tags lead nowhere
    };
    Kind kind = Kind::dead;
    unsigned hop = 0;  ///< links passed before it: 0 is the source's own
    Part part;
};

struct Outcome {
    enum class Kind : std::uint8_t { accepted, refused, failed };
    Kind kind = Kind::accepted;
    Fault fault;               ///< if it failed
    std::uint64_t cookie = 0;  ///< the packet's
};

enum class Answer : std::uint8_t { accept, refuse };

/// A node's end of the network: told of what comes in, and of what became of what went out. All
/// calls are events of the engine; in them, the adapter may send and answer.
class Adapter {
  public:
    virtual ~Adapter() = default;
    /// The first flit behind the tags is here.
    virtual void header(const Delivery& /*delivery*/) {}
    /// All is here, and the CRC is right. Network::answer() is due, now or later: until then the
    /// whole way is held.
    virtual void arrived(const Delivery& delivery) = 0;
    /// What header() announced was cut off or is corrupt; there is nothing to answer.
    virtual void broken(const Delivery& /*delivery*/) {}
    /// The one token that comes back for each packet.
    virtual void settled(PacketId packet, const Outcome& outcome) = 0;
};

/// Somebody beside the adapters who follows what faults do to a network: told by the network, and
/// by the adapters on it. One that nobody watches works the same.
class FaultWatch {
  public:
    virtual ~FaultWatch() = default;

    /// A packet is about to enter a network in which there is none. What has changed while nobody
    /// looked may be changed now (Network::set_dead).
    virtual void woken() = 0;
    /// The last packet has left.
    virtual void rested() = 0;
    /// A packet has failed, as its source is told now. `arrived`: all of it was there, and it is
    /// its token that was lost.
    virtual void failed(const Fault& fault, bool arrived) = 0;

    /// A source avoids a part from now on, and has found another way.
    virtual void rerouted() {}
    /// A destination has had that before, and drops it.
    virtual void repeated() {}
    /// No way is left for something that one node has sent, to another or, as a broadcast, to
    /// several. It has that number among all that the node sends, of which the next is `next`.
    struct Lost {
        NodeId from = 0;
        std::vector<NodeId> to;
        std::uint64_t number = 0;
        std::uint64_t next = 0;
        bool tried = false;  ///< it has been on its way at least once
    };
    virtual void unreachable(const Lost& /*lost*/) {}
};

struct Counters {
    std::uint64_t sent = 0;  ///< packets handed in
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
    std::uint64_t delivered = 0;  ///< arrivals without fault: one a destination
    std::uint64_t broken = 0;     ///< arrivals that were announced and then cut off or corrupt
    std::uint64_t blocked = 0;    ///< times that a header found no output free
    std::uint64_t flit_hops = 0;  ///< flits that crossed a link; 0 where packets move whole
    std::uint64_t fullest = 0;    ///< the most flits that any FIFO has held; 0 likewise
};

class Network {
  public:
    virtual ~Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    const FatTree& tree() const { return tree_; }
    const Parameters& parameters() const { return parameters_; }
    const Counters& counters() const { return counters_; }

    /// The adapter must outlive the network, or be detached by a null.
    virtual void attach(NodeId node, Adapter* adapter) = 0;
    /// Waits its turn at the source: a virtual channel carries one packet at a time. Among those
    /// that wait, the higher priority goes first, then the older.
    virtual PacketId send(const Packet& packet) = 0;
    /// Sends the destination's token. Accepting is for what arrived(); refusing may come earlier,
    /// and nothing more is then heard of the packet. An answer to what has failed meanwhile is
    /// lost.
    virtual void answer(const Delivery& delivery, Answer answer) = 0;

    /// Dead from then until then; what is on the way through it fails.
    virtual void break_part(Part part, Time from, Time until = Time::never()) = 0;
    /// Of each bit, on both directions of the cable, from now on; 0: none. Errors are drawn from
    /// the engine's seed, a stream a link.
    virtual void set_bit_errors(CableId cable, double rate) = 0;
    /// The same of one direction, with random numbers of the caller's.
    virtual void set_link_errors(LinkId link, double rate, const sim::Random& random) = 0;
    virtual bool is_dead(Part part) const = 0;
    /// From now on. A part that was broken twice has to be mended twice.
    virtual void set_dead(Part part, bool dead) = 0;

    /// For how long flits have crossed that link so far.
    virtual Duration busy(LinkId link) const = 0;
    /// Packets that were sent, and whose end has not been told to all yet.
    virtual std::size_t under_way() const = 0;
    /// Whoever watches is there as long as the engine runs, or takes itself off by a null.
    void watch(FaultWatch* watch) { watch_ = watch; }
    FaultWatch* watched_by() const { return watch_; }

  protected:
    explicit Network(const Parameters& parameters)
        : parameters_(parameters), tree_(parameters.dimension) {}

    const Parameters parameters_;
    const FatTree tree_;
    Counters counters_;
    FaultWatch* watch_ = nullptr;
};

/// At the level of detail that the parameters name. The engine must not run any more when it goes.
std::unique_ptr<Network> make_network(sim::Engine& engine, const Parameters& parameters);

}  // namespace railyard::elite
