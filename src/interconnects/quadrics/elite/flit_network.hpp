#pragma once
/// The network, flit by flit: every flit waits for a turn on its link and for room in the FIFO at
/// the far end, whose credits come back with a delay.

#include <array>
#include <vector>

#include "interconnects/quadrics/elite/circuits.hpp"

namespace railyard::elite {

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

}  // namespace railyard::elite
