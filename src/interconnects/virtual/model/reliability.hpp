#pragma once
/// Sees to it that what a lane sends gets there once and in order, whatever faults take: the one
/// mechanism that all interconnects share, with the parameters of Reliability.
///
/// Packets to one node are a stream and carry numbers. The target takes the one that comes next and
/// drops all others; it acknowledges what it has. The sender goes back to the first packet that is
/// not acknowledged
///
///     ends   when no acknowledgment has come for a time, or the target has seen a gap and says so
///     hops   as soon as the part that lost a packet has told it; after some attempts on one way,
///            it takes another way around that part, and waits for the time only if there is none
///
/// When it has gone back too often in a row, it gives the peer up.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interconnects/virtual/hardware/parameters.hpp"
#include "interconnects/virtual/model/fault_plan.hpp"
#include "interconnects/virtual/model/lane.hpp"
#include "interconnects/virtual/model/topology.hpp"
#include "sim/action.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

/// What an acknowledgment, or a packet that asks for one, takes of a link at least.
inline constexpr Bytes small_packet{32};

/// How long to wait the next time, after so many times in vain.
Duration patience(const hardware::Reliability& reliability, unsigned in_vain);

class Resender final : public PacketWatch {
  public:
    /// What it needs of others.
    struct Setup {
        sim::Engine& engine;
        const hardware::Parameters& parameters;
        Switches& switches;
        FaultPlan& plan;
        Lane& lane;
        Switches::Place from;
        /// The route that leads to the same target by that detour.
        std::function<Route&(const Route& route, unsigned detour)> route_by;
    };
    explicit Resender(Setup setup) : setup_(std::move(setup)) {}

    void submitted(Message& message) override;
    void injected(Message& message) override;
    bool crosses(Message& message, std::uint8_t round, Fifo& part, Bytes size) override;
    bool accepts(Message& message, std::uint32_t index) override;

    /// The way around faults that packets to that node take now; 0: none.
    unsigned detour(fabric::NodeId to) const;
    /// A part on the way to that node, or back, is bad: takes another way if there is one.
    bool avoid(fabric::NodeId to, const Fifo* part);

  private:
    struct Stream {
        fabric::NodeId to = 0;
        unsigned to_port = 0;
        // Numbers of packets. At the sender: the next new one, the furthest sent, and the first
        // that is not acknowledged.
        std::uint64_t next = 0;
        std::uint64_t sent = 0;
        std::uint64_t acknowledged = 0;
        std::deque<Message*> open;  ///< not wholly acknowledged, oldest first
        std::uint8_t round = 1;     ///< one more whenever it goes back; never 0
        unsigned in_vain = 0;       ///< time-outs in a row
        unsigned failures = 0;      ///< hops: losses in a row on this way
        bool waits = false;         ///< hops: no way is left, so the time decides
        sim::Event timer;           ///< none: nothing is to be acknowledged
        Time timer_at;
        Time deadline;  ///< not before the timer, mostly: it is put off rather than set anew
        unsigned detour = 0;
        std::vector<const Fifo*> avoided;
        std::vector<Fifo*> back;  ///< the parts that acknowledgments pass
        // At the target.
        std::uint64_t expected = 0;
        unsigned out_of_order = 0;  ///< since the last one that was taken
    };

    Stream& stream(const Message& message);
    void set_back(Stream& stream) const;
    void acknowledge(Stream& stream);
    void ask_again(Stream& stream);
    void acknowledged(Stream& stream, std::uint64_t before);
    void set_timer(Stream& stream);
    void set_deadline(Stream& stream);
    void timer_ran_out(Stream& stream);
    void lost(Stream& stream, std::uint8_t round, const Fifo* part);
    bool take_another_way(Stream& stream, const Fifo* around);
    void go_back(Stream& stream);
    void give_up(Stream& stream);

    const hardware::Reliability& reliability() const { return setup_.parameters.reliability; }
    fabric::FaultReport& report() const { return setup_.plan.report(); }
    Duration way_back(const Stream& stream) const {
        return setup_.switches.latency(stream.to, setup_.from.node);
    }

    const Setup setup_;
    std::unordered_map<fabric::NodeId, Stream>
        streams_;  ///< looked up only; they stay where they are
};

/// Verdicts on requests, on their way back where faults can take them: each is told once, and in
/// order. One that is lost is made up for by the next that gets through; if none does, the asker
/// sends its last packet again until it is answered anew, or gives the peer up.
class Answers {
  public:
    using Place = Switches::Place;
    /// `resender`: of what an asker sends, which knows its way around faults.
    Answers(sim::Engine& engine, const hardware::Parameters& parameters, Switches& switches,
            FaultPlan& plan, std::function<Resender&(Place asker)> resender)
        : engine_(engine),
          parameters_(parameters),
          switches_(switches),
          plan_(plan),
          resender_(std::move(resender)) {}

    /// `heard` runs when the asker has it; or never.
    void tell(Place from, Place asker, sim::Action heard);
    /// Something later has come from there: what was lost before it is known by that.
    void tell_now(fabric::NodeId from, fabric::NodeId asker);
    /// Drops all that is still held.
    void stop();

  private:
    struct Line {
        Place from;
        Place asker;
        std::deque<sim::Action> unheard;
        std::uint64_t first = 0;  ///< the number of the oldest of them
        unsigned tries = 0;       ///< in a row, and ...
        unsigned in_vain = 0;     ///< ... those after which time had to pass
        bool asks = false;        ///< sends again until it hears
        unsigned detour = ~0U;    ///< that these are for:
        std::vector<Fifo*> forth;
        std::vector<Fifo*> back;
    };
    void find_way(Line& line);
    void heard(Line& line, std::uint64_t last);
    void lost_at(Line& line, const Fifo* part);
    void ask(Line& line);

    sim::Engine& engine_;
    const hardware::Parameters& parameters_;
    Switches& switches_;
    FaultPlan& plan_;
    const std::function<Resender&(Place)> resender_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Line> lines_;
};

}  // namespace railyard::model
