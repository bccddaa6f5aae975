#pragma once
/// A process' place in an adapter: what stands in for its process number. It selects the page
/// tables, says which remote processes may reach them and where those are (CX).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "interconnects/quadrics/elan/event.hpp"
#include "interconnects/quadrics/elan/mmu.hpp"
#include "interconnects/quadrics/elite/routing.hpp"

namespace railyard::elan {

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
