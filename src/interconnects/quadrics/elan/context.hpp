#pragma once
/// A process' context in an adapter: what stands in for its process number. It selects the page
/// tables, says which remote processes may reach them and where those are (CX), and holds the
/// process' events and input queues.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/quadrics/elan/mmu.hpp"
#include "interconnects/quadrics/elan/parcel.hpp"
#include "interconnects/quadrics/elite/routing.hpp"
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

/// An event: a word in Elan memory, where an update is atomic (EV-1), and what the adapter does
/// when it has been set often enough.
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
    bool revoked = false;     ///< remote reads that would set it are refused
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

/// The processes of a parallel program. A VPID is a place in the list (CX-4).
struct Job {
    struct Process {
        elite::NodeId node = 0;
        ContextId context = 0;
    };
    std::uint64_t key = 0;  ///< no two jobs have the same
    std::vector<Process> processes;
    /// Those of the processes, in the form that routing tables share.
    std::shared_ptr<const std::vector<elite::NodeId>> nodes;
};

/// Small messages wait here, in Elan memory, until a thread takes them.
struct InputQueue {
    struct Message {
        Vpid from = 0;
        std::vector<std::byte> bytes;
    };
    std::deque<Message> messages;
    unsigned slots = 0;
    unsigned coming = 0;           ///< slots that are being written
    bool open = true;              ///< else it takes no more
    Address event = null_address;  ///< set for each message
};

class Context {
  public:
    Context(ContextId number, std::shared_ptr<const Job> its_job, Vpid its_vpid, Frames& frames,
            std::uint64_t host_offset)
        : id(number), job(std::move(its_job)), self(its_vpid), space(frames, host_offset) {}

    const ContextId id;
    const std::shared_ptr<const Job> job;
    const Vpid self;
    AddressSpace space;
    /// Several may be loaded; `table` is the one in use (EL-9).
    std::deque<elite::RoutingTable> tables;
    std::size_t table = 0;
    std::unordered_map<Address, EventState> events;
    std::map<std::uint32_t, InputQueue> queues;
    bool open = true;
    sim::Trace::Lane lane = 0;  ///< of what its process does, if there is a trace

    /// What went wrong and had no event to tell it: commands refused at step 3, and the like.
    std::vector<Status> troubles;
    /// The host's processor may find something new in main memory.
    std::function<void()> notify_host;
    /// Wakes a process that blocks on that event.
    std::function<void(Address event)> interrupt_host;

    elite::RoutingTable& routes() { return tables[table]; }
    bool knows(Vpid vpid) const { return vpid < job->processes.size(); }
};

}  // namespace railyard::elan
