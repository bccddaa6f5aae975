#pragma once
/// The command processor: a thread of the microcode that does what user processes ask for, by a
/// write to a port of the adapter and with no system call (EL-6).

#include "interconnects/quadrics/elan/dma_engine.hpp"

namespace railyard::elan {

struct Command {
    enum class Kind : std::uint8_t {
        run_dma,    ///< the descriptor at that address
        set_event,  ///< of that process
        arm,        ///< an own event
        interrupt,  ///< when that own event has fired
    };
    Kind kind = Kind::run_dma;
    Address address = null_address;
    Vpid vpid = 0;
};

class CommandProcessor {
  public:
    CommandProcessor(Chip& chip, DmaEngine& dma, Events& events)
        : chip_(chip), dma_(dma), events_(events) {}

    /// As it arrives over the bus.
    void command(Context& context, const Command& command, DmaId id = 0);
    /// What a chained DMA asks for, without a process.
    void run(Context& context, Address descriptor, DmaId id);

  private:
    Status check(const Context& context, const Descriptor& descriptor) const;

    Chip& chip_;
    DmaEngine& dma_;
    Events& events_;
};

}  // namespace railyard::elan
