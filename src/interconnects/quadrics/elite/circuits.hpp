#pragma once
/// What both levels of detail share: circuits are opened link by link, arbitrated for in switches,
/// held until the token is back, and cut where a part breaks. How data streams along them is the
/// level's own (PacketNetwork, FlitNetwork).

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "interconnects/quadrics/elite/network.hpp"
#include "railyard/base/time.hpp"
#include "sim/event_queue.hpp"
#include "sim/random.hpp"
#include "sim/trace.hpp"

namespace railyard::elite {

/// When the bits of a link go wrong: the distances between errors are drawn one by one, so that a
/// flit costs nothing, and depend on nothing but the seed and what the link has carried.
class BitErrors {
  public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    explicit BitErrors(sim::Random random) : random_(random) {}

    void set_rate(double rate) {
        rate_ = rate;
        if (rate_ > 0) next_ = draw();
    }
    /// Of so many flits that now pass: the number of the first that is hit, or none.
    std::uint32_t pass(std::uint32_t flits, unsigned bits_a_flit) {
        if (!(rate_ > 0)) return none;
        const double bits = static_cast<double>(flits) * bits_a_flit;
        std::uint32_t hit = none;
        for (; next_ < bits; next_ += draw())
            if (hit == none) hit = static_cast<std::uint32_t>(next_ / bits_a_flit);
        next_ -= bits;
        return hit;
    }

  private:
    double draw() { return random_.exponential() / rate_; }

    sim::Random random_;
    double rate_ = 0;
    double next_ = 0;  ///< bits until the next error
};

/// Who holds one virtual channel of a link, or from when on it is free: one word, so that the links
/// a group may choose from lie in one cache line.
class Hold {
  public:
    bool held() const { return word_ >> 63 != 0; }
    /// If it is held.
    std::uint32_t circuit() const { return static_cast<std::uint32_t>(word_ >> 32) & 0x7fff'ffff; }
    std::uint32_t leg() const { return static_cast<std::uint32_t>(word_); }
    /// If it is not.
    Time free_at() const { return Time::at(Duration::ps(static_cast<std::int64_t>(word_))); }

    void take(std::uint32_t circuit, std::uint32_t leg) {
        word_ = std::uint64_t{1} << 63 | std::uint64_t{circuit} << 32 | leg;
    }
    void free(Time from) { word_ = static_cast<std::uint64_t>(from.since_start().picoseconds()); }

  private:
    std::uint64_t word_ = 0;
};

constexpr std::uint32_t nothing = ~std::uint32_t{0};

/// One link that a circuit holds, on the circuit's virtual channel.
struct Leg {
    LinkId link = 0;
    std::uint32_t parent = nothing;
    std::uint32_t first_child = nothing;
    std::uint16_t children = 0;
    std::uint16_t tokens = 0;  ///< that children still owe
    std::uint8_t depth = 0;    ///< switches passed before this link
    bool left = true;          ///< a broadcast's copy on the left edge of its range
    bool right = true;
    bool waiting = false;    ///< at the far end, for an output
    bool announced = false;  ///< the destination has seen its header
    bool complete = false;   ///< all of it is at the destination
    bool answered = false;
    std::uint32_t corrupt = BitErrors::none;  ///< the first flit that is hit on this link
    Time granted;
    Time header = Time::never();  ///< when the header is at the far end
    Time token;                   ///< a broadcast's: when the one from beyond passes its near end
};

/// A packet on its way, and the links that it holds: a chain of legs, or, for a broadcast, a tree.
struct alignas(64) Circuit {
    std::uint64_t stamp = 0;  ///< new whenever events that were meant for it are void
    std::vector<Leg> legs;
    PacketId id;
    std::uint32_t flits = 0;         ///< behind the tags
    std::uint32_t destinations = 0;  ///< reached
    std::uint32_t tails = 0;         ///< arrived in full
    std::uint32_t notices = 0;       ///< still to be given, after a failure
    bool refused = false;
    bool token_back = false;
    bool failed = false;
    bool meets = false;  ///< or has met another, on the other channel of some link
    Outcome outcome;
    Time answered;         ///< by the one destination
    Time end;              ///< when its last flit is there, packet by packet; else 0
    Duration shared;       ///< by how much links shared with others put that off
    Duration with_sharer;  ///< of that, the last one's doing
    std::uint64_t sharer = 0;
    Time slow_until;  ///< until then it has half of some link
    sim::Event ending;
    Packet packet;

    /// Flits that cross that leg: a switch keeps the tag it acts on.
    std::uint32_t flits_on(const Leg& leg) const { return flits + packet.route.size() - leg.depth; }
    bool older_than(const Circuit& other) const {
        if (packet.priority != other.packet.priority)
            return packet.priority > other.packet.priority;
        return id.sequence < other.id.sequence;
    }
};

class Circuits : public Network {
  public:
    void attach(NodeId node, Adapter* adapter) override;
    PacketId send(const Packet& packet) override;
    void answer(const Delivery& delivery, Answer answer) override;
    void break_part(Part part, Time from, Time until) override;
    void set_bit_errors(CableId cable, double rate) override;
    void set_link_errors(LinkId link, double rate, const sim::Random& random) override;
    bool is_dead(Part part) const override;
    void set_dead(Part part, bool dead) override;
    Duration busy(LinkId link) const override {
        return flit_time_ * static_cast<std::int64_t>(crossed_[link]);
    }
    std::size_t under_way() const override { return circuits_.size() - free_circuits_.size(); }

  protected:
    /// Ahead: a circuit may take links before its header is there, where nobody else waits.
    Circuits(sim::Engine& engine, const Parameters& parameters, bool ahead);

    /// The circuit holds that leg from its `granted` on; its header is to advance().
    virtual void started(Circuit& circuit, std::uint32_t leg) = 0;
    /// The header is at a node, now; the rest is to follow, and then tail() or corrupted().
    virtual void reached(Circuit& circuit, std::uint32_t leg) = 0;
    /// The circuit gives that leg back; what is on it is gone. Not called where links are taken
    /// ahead: nothing is on them.
    virtual void closed(Circuit&, std::uint32_t /*leg*/) {}

    /// A new leg of the circuit, which now holds that link.
    std::uint32_t open(Circuit& circuit, std::uint32_t parent, LinkId link, Time granted);
    /// The leg's header is at its far end, or will be, at the leg's `header`.
    void advance(Circuit& circuit, std::uint32_t leg);
    void tail(Circuit& circuit, std::uint32_t leg);
    /// The far end of the leg finds the CRC wrong, now.
    void corrupted(Circuit& circuit, std::uint32_t leg);

    /// What a switch is asked most often, together.
    struct SwitchState {
        std::array<std::uint8_t, channels> waiting{};  ///< a bit an input whose header waits
        std::uint8_t turn = 0;                         ///< where the choice in a group begins
        std::uint8_t dead = 0;                         ///< a bit an output that leads nowhere
    };

    bool has_bit_errors() const { return !errors_.empty(); }
    Circuit& circuit(std::uint32_t slot) { return *circuits_[slot]; }
    static std::uint32_t channel(LinkId link, unsigned vc) { return link * channels + vc; }
    Hold& hold(LinkId link, unsigned vc) { return holds_[channel(link, vc)]; }
    /// The circuit has taken a channel whose link has this other one.
    void meet(Circuit& circuit, const Hold& other) {
        if (other.held()) circuit.meets = circuits_[other.circuit()]->meets = true;
    }
    /// Whose name what happens there has: switches come behind all nodes.
    std::uint32_t party(End end) const { return end.node ? end.id : tree_.nodes() + end.id; }
    /// Does so then, in the name of the source, unless the circuit has been cut or is gone.
    template <class Do>
    sim::Event later(Circuit& circuit, Time at, Do what) {
        // The circuit comes first: an event queue fetches what that points to in good time.
        return engine_.schedule_on(circuit.packet.source, at,
                                   [circuit = &circuit, stamp = circuit.stamp, what] {
                                       if (circuit->stamp == stamp) what(*circuit);
                                   });
    }

    sim::Engine& engine_;
    std::vector<std::unique_ptr<Circuit>> circuits_;
    const Duration flit_time_;
    const Duration hop_;                  ///< a switch and the cable behind it
    std::vector<Hold> holds_;             ///< by channel
    std::vector<std::uint64_t> crossed_;  ///< flits, by link; of circuits that have ended
    std::vector<SwitchState> states_;

  private:
    struct Choice {
        enum class Kind : std::uint8_t { take, wait, dead };
        Kind kind = Kind::wait;
        unsigned mask = 0;  ///< ports taken, or that are dead
        Time at;            ///< taken from then; or when it makes sense to ask again
    };

    // circuits.cpp: from the source to the destination.
    Circuit& take_circuit(const Packet& packet);
    void free_circuit(Circuit& circuit);
    void start_next(NodeId node, unsigned vc);
    void reach_node(Circuit& circuit, std::uint32_t leg);
    Delivery delivery(const Circuit& circuit, std::uint32_t leg) const;

    // arbitration.cpp: which header gets which output.
    Choice choose(const Circuit& circuit, const Leg& leg, SwitchId at_switch, Time at,
                  unsigned reserved, bool ahead);
    Choice choose_all(unsigned wanted, unsigned vc, SwitchId at_switch, Time at, unsigned reserved,
                      bool ahead);
    bool comes_later(const Hold& held, Time at) const;
    void grant(Circuit& circuit, std::uint32_t leg, SwitchId at_switch, const Choice& choice);
    void no_output(Circuit& circuit, std::uint32_t leg, SwitchId at_switch, unsigned mask);
    void request(Circuit& circuit, std::uint32_t leg);
    void arbitrate(SwitchId at_switch, unsigned vc);
    void wake(SwitchId at_switch, unsigned vc, Time at);

    // How one ends: tokens back, links given back.
    void settle_if_done(Circuit& circuit);
    void release(Circuit& circuit, std::uint32_t leg, Time at);
    void record(const Circuit& circuit, const Leg& leg, Time until);
    void fail(Circuit& circuit, unsigned finder, unsigned cut, const Fault& fault);
    void notice_given(Circuit& circuit);

    // faults.cpp: parts that break and are mended.
    void change(Part part, bool dead);
    void kill(CableId cable);
    void mend(CableId cable);
    void cut(Circuit& circuit, std::uint32_t leg);
    bool token_passed(const Circuit& circuit, const Leg& leg) const;
    void retract(Circuit& circuit, std::uint32_t leg);
    void check(Part part) const;
    Part blame(CableId cable) const;

    const bool ahead_;
    std::vector<Adapter*> adapters_;
    std::vector<std::uint32_t> free_circuits_;
    std::uint64_t sequence_ = 0;
    std::uint64_t stamps_ = 0;

    std::vector<std::vector<std::uint32_t>> queues_;  ///< at sources, by node and channel
    std::vector<Time> wakes_;  ///< by switch and channel: the next arbitration, or never
    // Counts of faults, as many as a script has that overlap.
    std::vector<std::uint32_t> cable_faults_;   ///< by cable, its ends included
    std::vector<std::uint32_t> broken_cables_;  ///< by cable: itself, not its ends
    std::vector<std::uint32_t> broken_switches_;
    std::vector<std::unique_ptr<BitErrors>> errors_;  ///< by link; empty as long as there are none
    std::vector<sim::Trace::Lane> lanes_;             ///< by channel, plus one; 0: none yet
};

// The two levels of detail, each in its own file.
std::unique_ptr<Network> make_packet_network(sim::Engine& engine, const Parameters& parameters);
std::unique_ptr<Network> make_flit_network(sim::Engine& engine, const Parameters& parameters);

/// Once a link of every packet: here, so that it is no call.
inline void Circuits::release(Circuit& circuit, std::uint32_t index, Time at) {
    const Leg& leg = circuit.legs[index];
    const unsigned vc = circuit.packet.channel;
    if (!ahead_) closed(circuit, index);
    if (engine_.trace()) record(circuit, leg, at);
    hold(leg.link, vc).free(at);
    crossed_[leg.link] += circuit.flits_on(leg);
    const End near = tree_.near(leg.link);
    if (near.node) {
        if (!queues_[near.id * channels + vc].empty())
            engine_.schedule_on(near.id, at, [this, node = near.id, vc] { start_next(node, vc); });
    } else if (states_[near.id].waiting[vc] != 0) {
        wake(near.id, vc, at);
    }
}

}  // namespace railyard::elite
