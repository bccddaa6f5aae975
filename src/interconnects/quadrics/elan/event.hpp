#pragma once
/// An event: a word in Elan memory, where an update is atomic (EV-1), and what the adapter does
/// when it has been set often enough.

#include <cstdint>
#include <functional>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/quadrics/elan/journal.hpp"
#include "railyard/base/status.hpp"

namespace railyard::elan {

class Thread;

/// On firing, a prepared block of Elan memory is copied to one of main memory, where a process
/// polls for it without a look across the bus (EV-5).
struct BlockCopy {
    Address from = null_address;
    Address to = null_address;
    std::uint32_t size = 0;
};

/// A further operation that firing starts.
struct Chained {
    enum class Kind : std::uint8_t { dma, set_event };
    Kind kind = Kind::dma;
    Vpid vpid = 0;                   ///< whose event
    Address address = null_address;  ///< of a descriptor, or of the event
};

struct EventState {
    std::uint32_t threshold = 1;  ///< sets that make it fire
    std::uint32_t count = 0;      ///< sets since it last fired; none is lost (EV-4)
    bool armed = true;            ///< else it counts, and fires when armed again
    bool rearms = false;          ///< by itself: for threads, which take firings one by one
    std::uint32_t ready = 0;      ///< firings that nobody has taken
    std::uint64_t fired = 0;      ///< ever
    Status status;                ///< of the last firing: the first failure among its sets
    Status failure;               ///< among the sets since it last fired
    BlockCopy copy;
    std::vector<Chained> chain;
    bool interrupts = false;  ///< a process blocks on it
    Thread* thread = nullptr;
    /// Told of each firing, when its block is in main memory or at once if it has none: for
    /// software that has no process of its own to wait in. It takes the firing.
    std::function<void(Status)> listener;
};

/// Which steps of which DMA an event's setting is, if any.
struct Note {
    DmaId dma = 0;
    Step set = Step::none;  ///< the two behind it are the copy's
};

}  // namespace railyard::elan
