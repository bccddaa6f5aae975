#pragma once
/// A network of Elite switches, in virtual time: packets go in with a route, circuits are held
/// until the acknowledgment is back, parts break and are mended. Knows nothing of what packets
/// mean.

#include <cstdint>
#include <memory>

#include "interconnects/quadrics/elite/fat_tree.hpp"
#include "interconnects/quadrics/elite/fault_watch.hpp"
#include "interconnects/quadrics/elite/packet.hpp"
#include "interconnects/quadrics/elite/parameters.hpp"
#include "railyard/base/time.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace railyard::elite {

struct Counters {
    std::uint64_t sent = 0;  ///< packets handed in
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t failed = 0;
    std::uint64_t delivered = 0;  ///< arrivals without fault: one a destination
    std::uint64_t broken = 0;     ///< arrivals that were announced and then cut off or corrupt
    std::uint64_t blocked = 0;    ///< times that a header found no output free
    std::uint64_t flit_hops = 0;  ///< flits that crossed a link; nought where packets move whole
    std::uint64_t fullest = 0;    ///< the most flits that any FIFO has held; nought likewise
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
