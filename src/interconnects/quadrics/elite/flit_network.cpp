#include <algorithm>
#include <array>
#include <vector>

#include "interconnects/quadrics/elite/circuits.hpp"
#include "railyard/base/error.hpp"

namespace railyard::elite {

/// The network, flit by flit: every flit waits for a turn on its link and for room in the FIFO at
/// the far end, whose credits come back with a delay.
class FlitNetwork final : public Circuits {
  public:
    FlitNetwork(sim::Engine& engine, const Parameters& parameters);

  private:
    /// Departures so far back have certainly been heard of.
    static constexpr std::uint32_t remembered = 64;

    /// The flits of one circuit on one virtual channel of a link, and in the FIFO at its far end.
    /// A circuit has the channel to itself, so counting them is enough.
    struct Stream {
        std::uint32_t circuit = nothing;
        std::uint32_t leg = 0;
        std::uint32_t generation = 0;  ///< flits of earlier ones are void
        std::uint32_t total = 0;
        std::uint32_t sent = 0;
        std::uint32_t arrived = 0;
        std::uint32_t left = 0;        ///< of those arrived, how many have left the FIFO
        std::uint32_t from = nothing;  ///< the channel whose FIFO feeds this; nothing: the source
        std::array<std::uint32_t, ports_down> to{};  ///< channels that this FIFO feeds
        std::uint8_t fed = 0;                        ///< how many of them
        std::uint8_t feeds = 0;                      ///< how many there will be
        bool at_node = false;
        bool stalled = false;  ///< the sender waits for credit
        std::array<Time, remembered> departures;
    };
    /// A link: a flit at a time, the channels in turn.
    struct Line {
        Time free_at;
        std::uint8_t last = 0;
        bool scheduled = false;
    };
    static_assert(ports_down <= 4, "a broadcast forks to ports down");

    void started(Circuit& circuit, std::uint32_t leg) override;
    void reached(Circuit&, std::uint32_t) override {}
    void closed(Circuit& circuit, std::uint32_t leg) override;

    void pump(LinkId link);
    void pump_at(LinkId link, Time at);
    bool has_flit(const Stream& stream) const;
    bool has_credit(std::uint32_t channel);
    void move(LinkId link, unsigned vc);
    void arrive(std::uint32_t channel, std::uint32_t generation);
    void drain(std::uint32_t channel);
    void leave(std::uint32_t channel);

    const Duration credit_;
    std::vector<Stream> streams_;  ///< by channel
    std::vector<Line> lines_;      ///< by link
};

FlitNetwork::FlitNetwork(sim::Engine& engine, const Parameters& parameters)
    : Circuits(engine, parameters, false),
      credit_(flit_time_ + parameters.wire),
      streams_(std::size_t{tree_.link_numbers()} * channels),
      lines_(tree_.link_numbers()) {
    if (credit_ > flit_time_ * (remembered - 1))
        throw UsageError("flit by flit, a cable may be as long as 62 flits, and no longer");
}

void FlitNetwork::started(Circuit& circuit, std::uint32_t index) {
    const Leg& leg = circuit.legs[index];
    const unsigned vc = circuit.packet.channel;
    const std::uint32_t here = channel(leg.link, vc);
    Stream& stream = streams_[here];
    stream.circuit = circuit.id.slot;
    stream.leg = index;
    stream.total = circuit.flits_on(leg);
    stream.sent = stream.arrived = stream.left = 0;
    stream.fed = stream.feeds = 0;
    stream.from = nothing;
    stream.at_node = tree_.far(leg.link).node;
    stream.stalled = false;
    if (leg.parent != nothing) {
        const Leg& parent = circuit.legs[leg.parent];
        stream.from = channel(parent.link, vc);
        Stream& feeder = streams_[stream.from];
        feeder.to[feeder.fed++] = here;
        feeder.feeds = static_cast<std::uint8_t>(parent.children);
        if (feeder.fed == 1) leave(stream.from);  // the tag
    }
    pump(leg.link);
}

void FlitNetwork::closed(Circuit& circuit, std::uint32_t index) {
    Stream& stream = streams_[channel(circuit.legs[index].link, circuit.packet.channel)];
    ++stream.generation;
    stream.circuit = nothing;
}

bool FlitNetwork::has_flit(const Stream& stream) const {
    if (stream.circuit == nothing || stream.sent == stream.total) return false;
    return stream.from == nothing || streams_[stream.from].arrived > stream.sent + 1;
}

/// Where there is none, asks again when one will have come.
bool FlitNetwork::has_credit(std::uint32_t channel) {
    Stream& stream = streams_[channel];
    if (stream.sent < parameters_.fifo) return true;
    const std::uint32_t needed = stream.sent - parameters_.fifo;
    if (stream.left <= needed) {
        stream.stalled = true;
        return false;
    }
    if (stream.left - needed >= remembered) return true;
    const Time heard = stream.departures[needed % remembered] + credit_;
    if (heard <= engine_.now()) return true;
    pump_at(channel / channels, heard);
    return false;
}

void FlitNetwork::pump_at(LinkId link, Time at) {
    engine_.schedule_on(party(tree_.near(link)), at, [this, link] { pump(link); });
}

void FlitNetwork::pump(LinkId link) {
    Line& line = lines_[link];
    const Time now = engine_.now();
    if (now >= line.free_at) {
        for (unsigned turn = 1; turn <= channels; ++turn) {
            const unsigned vc = (line.last + turn) % channels;
            if (!has_flit(streams_[channel(link, vc)]) || !has_credit(channel(link, vc))) continue;
            move(link, vc);
            break;
        }
        if (now >= line.free_at) return;
    }
    if (line.scheduled) return;
    if (!has_flit(streams_[channel(link, 0)]) && !has_flit(streams_[channel(link, 1)])) return;
    line.scheduled = true;
    engine_.schedule_on(party(tree_.near(link)), line.free_at, [this, link] {
        lines_[link].scheduled = false;
        pump(link);
    });
}

void FlitNetwork::move(LinkId link, unsigned vc) {
    const std::uint32_t here = channel(link, vc);
    Stream& stream = streams_[here];
    Line& line = lines_[link];
    ++stream.sent;
    ++counters_.flit_hops;
    line.last = static_cast<std::uint8_t>(vc);
    line.free_at = engine_.now() + flit_time_;
    const Duration way = stream.from == nothing ? flit_time_ + parameters_.wire : hop_;
    engine_.schedule_on(party(tree_.far(link)), engine_.now() + way,
                        [this, here, generation = stream.generation] { arrive(here, generation); });
    if (stream.from != nothing) drain(stream.from);
}

void FlitNetwork::arrive(std::uint32_t here, std::uint32_t generation) {
    Stream& stream = streams_[here];
    if (stream.generation != generation) return;
    ++stream.arrived;
    counters_.fullest = std::max<std::uint64_t>(counters_.fullest, stream.arrived - stream.left);
    Circuit& owner = circuit(stream.circuit);
    if (stream.at_node) leave(here);
    if (stream.arrived == 1) {
        owner.legs[stream.leg].header = engine_.now();
        advance(owner, stream.leg);
        if (stream.generation != generation) return;
    }
    for (unsigned i = 0; i < stream.fed; ++i)
        pump(stream.to[i] / channels);
    if (stream.arrived < stream.total) return;
    if (owner.legs[stream.leg].corrupt != BitErrors::none)
        corrupted(owner, stream.leg);
    else if (stream.at_node)
        tail(owner, stream.leg);
}

/// A flit leaves the FIFO when the last of the copies has.
void FlitNetwork::drain(std::uint32_t here) {
    Stream& stream = streams_[here];
    if (stream.fed < stream.feeds) return;
    std::uint32_t all = stream.total;
    for (unsigned i = 0; i < stream.fed; ++i)
        all = std::min(all, streams_[stream.to[i]].sent + 1);
    while (stream.left < all)
        leave(here);
}

void FlitNetwork::leave(std::uint32_t here) {
    Stream& stream = streams_[here];
    stream.departures[stream.left++ % remembered] = engine_.now();
    if (!stream.stalled) return;
    stream.stalled = false;
    pump_at(here / channels, engine_.now() + credit_);
}

std::unique_ptr<Network> make_flit_network(sim::Engine& engine, const Parameters& parameters) {
    return std::make_unique<FlitNetwork>(engine, parameters);
}

}  // namespace railyard::elite
