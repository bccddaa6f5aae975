#pragma once
/// The network, packet by packet: a header takes its whole way at once as far as it is free, and
/// the data behind it is one interval of time on each link. A packet costs three events however
/// long its way is, and more only where it is blocked.

#include "interconnects/quadrics/elite/circuits.hpp"

namespace railyard::elite {

class PacketNetwork final : public Circuits {
  public:
    PacketNetwork(sim::Engine& engine, const Parameters& parameters)
        : Circuits(engine, parameters, true) {}

  private:
    void started(Circuit& circuit, std::uint32_t leg) override;
    void reached(Circuit& circuit, std::uint32_t leg) override;

    std::uint32_t run_ahead(Circuit& circuit, std::uint32_t leg);
    static unsigned the_one(unsigned wanted, const Hold* outputs, unsigned vc, Time header);
    static unsigned any(unsigned wanted, const Hold* outputs, unsigned vc, Time header,
                        SwitchState& state);
    Duration share(Circuit& circuit, const Leg& leg);
    void put_off(Circuit& circuit, const Circuit& by_whom, Duration by);
    void schedule_end(Circuit& circuit, std::uint32_t leg);
};

}  // namespace railyard::elite
