#pragma once
/// An adapter's way out of one port: messages leave it one after the other, cut into packets, and
/// every packet passes the parts of its route, first come first served at each.
///
/// Packets are followed one by one, an event for each at each part, only where that is needed:
/// where several lanes meet at a part. A lane that has all parts of its routes to itself knows the
/// future: the times of its packets follow from each other, so they are worked out in one go (the
/// same arithmetic, without events) and only the moments that others must hear of become events.
/// When another lane comes to one of the parts, the lane is brought up to that moment and goes on
/// packet by packet. The times are the same either way.
///
/// A packet that is followed needs no event where nothing else can come before it: at a link out of
/// the adapter that nobody loads on the side (Path::link_is_foreseen), at a part to which it comes
/// at once, and where nothing at all happens until it comes.
///
/// What happens up to the target's first part happens in the name of the lane's node, and the rest
/// in that of the target.
///
///     lane.cpp        what both ways share, and what is done where faults can take packets
///     lookahead.cpp   a lane alone
///     followed.cpp    packet by packet, and with switches and adapters that hold so much only

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "interconnects/virtual/model/route.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "sim/action.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// One message on its way. Its owner fills in the first part and hands it to a lane.
struct Message {
    virtual ~Message() = default;
    /// `done` has run, and the lane has no more business with it.
    virtual void retired() = 0;

    // What every packet needs of it comes first.
    Route* route = nullptr;
    Bytes size;
    std::uint32_t packets = 0;  ///< from here on, the lane's ...
    std::uint32_t injected = 0;
    std::uint32_t finished = 0;  ///< past all stages
    bool seen = false;           ///< its first packet has come to the target
    bool admitted = false;       ///< by the target's engine
    bool dropped = false;        ///< by the target, as it comes
    bool placed = false;         ///< all of it will be in memory by `done_at`
    bool complete = false;       ///< all of it is in memory
    bool delivered = false;      ///< ... and `done` has run
    std::uint8_t round = 0;      ///< the watch's: how often it was begun anew; 0: not watched
    /// What a packet is held up at its first stage, and at the target; empty: nothing.
    std::vector<Duration> read_extra;
    std::vector<Duration> write_extra;
    /// For which its first stage stays busy after its last packet (reading the next descriptor).
    Duration read_rest;

    std::uint64_t id = 0;        ///< for the trace, like ...
    std::string_view what = "";  ///< ... its name, which lives as long as the program
    sim::Action first;           ///< its first packet is at the target
    sim::Action done;            ///< all of it is in memory, and so is all before it to that node

    std::uint64_t sequence = 0;  ///< the watch's: the number of its first packet
    std::uint32_t held = 0;      ///< reasons to keep it, of which the watch is one

    // The lane's.
    Message* behind = nullptr;  ///< see Deliveries
    Time turn_at;               ///< its packets may be read from then on
    Time admitted_at;
    Time done_at;
    sim::Event first_event;
    sim::Event done_event;

    Bytes payload(std::uint32_t index) const {
        const Path& path = route->path;
        if (index + 1 < packets) return path.packet;
        const Bytes rest = size - path.packet * (packets - 1);
        const std::uint64_t block = path.block.count();
        return block < 2 ? rest : Bytes((rest.count() + block - 1) / block * block);
    }
};

/// What a lane tells of its packets where faults can take them, and asks: may this one go on?
class PacketWatch {
  public:
    virtual ~PacketWatch() = default;

    /// It is the lane's from now on. Its packets are watched in the round that is set in it.
    virtual void submitted(Message& message) = 0;
    /// One more packet of it, that numbered Message::injected, is read from memory.
    virtual void injected(Message& message) = 0;
    /// A packet, injected in that round, crosses that part of the network. False: it is lost.
    virtual bool crosses(Message& message, std::uint8_t round, Fifo& part, Bytes size) = 0;
    /// A packet has come to the target. False: it is not the one that comes next, and is dropped.
    virtual bool accepts(Message& message, std::uint32_t index) = 0;
};

class Lane {
  public:
    /// Out of that node. `buffer`: packets between memory and link.
    Lane(sim::Engine& engine, fabric::NodeId node, unsigned buffer);
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// It leaves, behind those before it. Its `first` runs later, never within the call.
    void submit(Message* message);
    /// The target's engine has seen the first packet: into memory with it. Messages to one node are
    /// admitted in the order in which they came.
    void admit(Message* message);
    /// What has not left of it stays. Where some has, it is dropped at the target, and retires as
    /// others do; else it retires now. Its `done` never runs.
    void stop(Message& message);

    /// Always packet by packet.
    void never_look_ahead() { follows_ = always_follows_ = true; }
    /// ... and every packet an event at every part, whatever is known beforehand: the measure of
    /// all other ways.
    void foresee_nothing() {
        never_look_ahead();
        foresees_ = false;
    }

    // Where faults can take packets.

    /// Faults can strike: from now on that watch is told and asked. It outlives the lane's
    /// messages.
    void watch(PacketWatch& watch);
    /// Of one peer, oldest first: packets from Message::injected on are read and sent once more.
    void send_again(std::span<Message* const> messages);
    /// Packets before that one need not be sent (again).
    void skip_to(Message& message, std::uint32_t index);
    /// It will never get there, and what is behind it does not wait for it. It never retires, as
    /// some of it may be anywhere.
    void abandon(Message& message);
    /// What is sent of it from now on goes that way, which leads to the same node.
    void reroute(Message& message, Route& route);
    /// One reason less to keep it (Message::held).
    void let_go(Message& message);

  private:
    struct Packet {
        Packet() = default;
        Packet(Message& its_message, std::uint32_t its_index, Time at)
            : message(&its_message),
              route(its_message.route),
              index(its_index),
              round(its_message.round),
              last(its_index + 1 == its_message.packets),
              full(!last || its_message.payload(its_index) == route->path.packet),
              ready(at),
              injected(at) {}
        bool past_all() const { return stage == route->path.stages.size(); }
        void drop() { stage = static_cast<std::uint8_t>(route->path.stages.size()); }

        Message* message = nullptr;
        Route* route = nullptr;
        std::uint32_t index = 0;
        std::uint8_t stage = 0;
        std::uint8_t round = 0;  ///< Message::round, until it is accepted
        bool last = false;
        bool full = false;
        Time ready;  ///< to be served at that stage
        Time injected;
    };
    /// A packet between two events, as small as can be. What it will look at comes first, so that
    /// it is fetched ahead of time (sim::Action::fetch): with many nodes, all of it has gone cold.
    struct Resting {
        Resting(Lane& its_lane, const Packet& packet)
            : message(packet.message),
              route(packet.route),
              lane(&its_lane),
              index(packet.index),
              stage(packet.stage),
              round(packet.round),
              last(packet.last),
              full(packet.full) {}
        /// It goes on now.
        Packet awake() const;

        Message* message;
        Route* route;
        Lane* lane;
        std::uint32_t index;
        std::uint8_t stage;
        std::uint8_t round;
        bool last;
        bool full;
    };
    /// Where a lane that looks ahead stands, or would stand.
    struct State {
        std::vector<Packet> packets;  ///< injected and not past all stages, oldest first
        std::uint32_t injected = 0;   ///< of the message that has its turn
        std::uint64_t sequence = 0;   ///< packets injected by this lane ...
        std::uint64_t departed = 0;   ///< ... and served by its link
        std::vector<Time> left;       ///< when the last ones have left the link
        Time at_link;                 ///< when the last one came to the link
    };
    enum class Mode : std::uint8_t { real, dry };
    class Pace;
    /// How far a lane is brought.
    struct Until {
        Time time;
        /// Of what happens at that very time: all that comes before the present event, if any.
        const sim::Engine* engine = nullptr;

        static Until ever() { return {Time::never()}; }
        bool reaches(Time at, fabric::NodeId by) const {
            return at < time || (at == time && (!engine || engine->is_past(by)));
        }
    };

    // lane.cpp
    void join(Route& route);
    void leave(Route& route);
    template <Mode mode>
    Time serve(Packet& packet);
    [[gnu::noinline]] static void use_credit(const Packet& packet, Bytes payload, Time begin,
                                             Time end);
    static InputBuffer* buffer_behind(const Packet& packet, std::size_t link);
    static void leave_adapter(const Packet& packet, Bytes payload, Time end);
    void reached_target(Message* message);
    void completed(Message* message);
    static void not_delivered(Message& message);
    void retire(Message* message);

    // lookahead.cpp
    void begin_turn();
    bool inject(State& state, Message* message, Until until, Packet& packet);
    template <Mode mode>
    void run(State& state, Packet& packet, Until until);
    template <Mode mode, class Done>
    void inject_all(State& state, Message* message, Until until, Done&& done);
    std::uint32_t period(const Message& message) const;
    std::uint32_t skip(State& state, const Message& message, const Pace& pace, Until until);
    void count_as_busy(const Message& message, std::uint32_t first, std::uint32_t packets);
    void load_by_skipped(const Message& message, const Pace& pace, std::uint32_t packets);
    /// As far as its packets would have come by events of their own.
    Until so_far() const { return {engine_.now(), &engine_}; }
    /// In whose name it is served at its stage, and in whose it was sent there.
    fabric::NodeId where(const Packet& packet) const {
        return packet.stage >= packet.route->path.target ? packet.route->to : node_;
    }
    fabric::NodeId sent_by(const Packet& packet) const {
        return packet.stage > packet.route->path.target ? packet.route->to : node_;
    }
    void catch_up(Until until);
    void begin_rehearsal(const Route& route);
    void end_rehearsal();
    void foresee_departure(Message* message);
    void foresee_delivery(Message* message);
    void delivered(Message* message);

    // followed.cpp
    void disturb();
    void inject_now(bool last_act);
    Message* next_to_inject();
    void inject_at(Time at);
    void follow(Packet& packet, bool last_act);
    void rest(const Packet& packet);
    void go_on(Packet& packet, bool last_act);
    bool pass(Packet& packet, bool last_act);
    bool link_is_foreseen(const Packet& packet) const;
    void serve_at_link(Packet& packet);
    bool may_leave_switch(const Packet& packet);
    bool has_credit(const Packet& packet);
    [[gnu::always_inline]] bool cross(Packet& packet, bool last_act);
    bool survives(Packet& packet);
    void complete_at_its_time(Message* message);

    sim::Engine& engine_;
    const fabric::NodeId node_;
    const unsigned buffer_;
    bool follows_ = false;  ///< packet by packet
    bool always_follows_ = false;
    bool foresees_ = true;  ///< what becomes of a packet at the link (Path::link_is_foreseen)
    PacketWatch* watch_ = nullptr;  ///< null: no faults

    std::deque<Message*> waiting_;  ///< not all injected; the front one has its turn
    std::vector<Message*> active_;  ///< submitted and not retired

    // Looking ahead.
    State state_;
    sim::Event turn_event_;
    State rehearsal_;
    struct Before {
        Fifo* part;
        Fifo::State was;
    };
    std::vector<Before> before_rehearsal_;

    // Following.
    std::vector<Packet> parked_;      ///< at the target, not yet admitted
    unsigned before_link_ = 0;        ///< packets read, or being read, on their way to the link
    Time at_link_;                    ///< when the last of those behind them comes to it
    std::vector<Time> leaving_;       ///< when they will have left it, in order
    Time inject_at_ = Time::never();  ///< an event is to see to it then
};

/// Serves a packet at its stage, and moves it on to the next one. When the stage is done with it.
template <Lane::Mode mode>
inline Time Lane::serve(Packet& packet) {
    Message& message = *packet.message;
    const Path& path = packet.route->path;
    const Stage& stage = path.stages[packet.stage];
    Fifo& fifo = packet.route->part(packet.stage);
    const bool full = packet.full;
    const Bytes payload = full ? path.packet : message.payload(packet.index);
    if (fifo.has_loads()) fifo.merge(packet.ready, mode == Mode::real);
    Time begin = std::max(packet.ready, fifo.free_at);
    const Time taken = begin;
    if (packet.stage == 0 && !message.read_extra.empty())
        begin = begin + message.read_extra[packet.index];
    if (packet.stage == path.target && !message.write_extra.empty())
        begin = begin + message.write_extra[packet.index];
    const Time end = begin + (full ? stage.full : stage.time(payload));
    fifo.free_at = end + stage.rest;
    if (packet.stage == 0 && packet.last && path.reads())
        fifo.free_at = fifo.free_at + message.read_rest;
    if constexpr (mode == Mode::real) {
        fifo.busy += fifo.free_at - taken;
        if (fifo.traced()) fifo.show(message.what, taken, end, message.id);
        if (path.credits > 0) [[unlikely]]
            use_credit(packet, payload, begin, end);
        for (std::size_t i = 0; i < path.loads.size(); ++i)
            if (const SideLoad& load = path.loads[i]; load.stage == packet.stage)
                packet.route->loaded()[i]->load({end, load.time(payload), load.what, message.id},
                                                engine_.now());
    }

    ++packet.stage;
    packet.ready = end;
    if (packet.last && packet.past_all() && packet.stage > path.target) {
        message.done_at = end + path.visible;
        if constexpr (mode == Mode::real) message.placed = true;
    }
    if (packet.stage < path.stages.size()) {
        // Cut through: the next part may begin as soon as it will not run dry.
        const Stage& next = path.stages[path.stages[packet.stage].paced_by];
        const Duration next_time = full ? next.full : next.time(payload);
        packet.ready = std::max(begin, Time::at(end.since_start() - next_time)) + stage.latency;
    } else {
        packet.ready = end + stage.latency;
    }
    return end;
}

}  // namespace railyard::model
