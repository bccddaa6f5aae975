#pragma once
/// What adapters, buses, links, switches and the software of hosts are like, in numbers: what tells
/// one modelled interconnect from another, whichever engine runs it. A profile is one set of them;
/// the comments here say what a part does with each, and the profile says where the value comes
/// from. A value of 0 switches that part's cost or limit off.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/rate.hpp"
#include "faults/script.hpp"
#include "hosts/virtual_host.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "profiles/profile.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/traits.hpp"

namespace railyard::hardware {

/// [host]: what the rank's processor is busy with.
struct Host {
    Duration post;          ///< making one request and ringing the doorbell
    Duration post_receive;  ///< posting one receive
    Duration detect;        ///< from data in memory until a spinning rank has seen them
    Duration interrupt;     ///< the same for a rank that sleeps
    Duration reap_send;     ///< taking the completion of an own request
    Duration reap_receive;  ///< taking the completion of a receive
    Duration poll_empty;    ///< looking at a completion queue that has nothing
    Duration request;       ///< one unit of fabric::Work each
    Duration match_entry;
    Rate copy;                 ///< from cache to cache
    Duration register_memory;  ///< per region ...
    Duration register_page;    ///< ... and page
    Duration deregister_memory;
    Duration deregister_page;
    Duration create_queue_pair;
    Duration connect;     ///< the system's work for one side of a connection
    Duration disconnect;  ///< ... and for ending it
    Duration destroy_queue_pair;
};

/// [cache] and [tlb]: the host's, which buffers that were not used lately are not in.
struct Cache {
    Bytes size;          ///< off: everything is always in it
    Duration miss;       ///< the first line that is read from a page ...
    Rate rate;           ///< ... and how fast lines go between memory and cache besides
    unsigned fills = 0;  ///< lines under way while the processor goes on writing
};
struct Tlb {
    unsigned entries = 0;  ///< off: it knows all pages
    Duration walk;         ///< finding the address of one that it does not know
};

enum class Duplex : std::uint8_t { half, full };

/// [bus]: between host memory and adapter.
struct Bus {
    Duplex duplex = Duplex::full;  ///< half: reads and writes take turns
    Rate read_rate;                ///< how long a DMA read occupies it
    Rate write_rate;
    Rate read_stream;   ///< what one stream of split reads reaches, gaps included; off: read_rate
    Rate write_stream;  ///< likewise
    Duration doorbell;  ///< a processor's store to the adapter
    Duration read_latency;   ///< from a DMA read's start to its first data; does not occupy the bus
    Duration write_latency;  ///< until a DMA write can be seen in memory
    /// Full duplex: a transfer's requests and acknowledgments take this share of its own time of
    /// the other way, too.
    double opposite = 0;
    /// What other devices of the host move, in bursts of that size. On half duplex they take turns
    /// with the adapter; full duplex is point to point, and they have links of their own.
    Rate other;
    Bytes other_burst{512};
};

/// What a bus carries at most.
Rate fastest(const Bus& bus);

enum class Engines : std::uint8_t { separate, shared };

/// [adapter]
struct Adapter {
    unsigned ports = 1;
    Engines engines = Engines::separate;  ///< shared: one processor sends, receives, acknowledges
    /// The engine does nothing else while it waits for a descriptor or the first data of a message.
    bool waits_for_bus = false;
    unsigned send_reads = 1;     ///< descriptor reads over the bus before a message leaves
    unsigned receive_reads = 1;  ///< the same for a message that takes a receive
    Duration send;               ///< engine time until a message can leave ...
    Duration send_rest;          ///< ... and for which it stays busy after that
    Duration receive;            ///< engine time until data can go to memory ...
    Duration receive_rest;       ///< ... and after that
    Duration completion;         ///< ... and further, for the completion of a receive
    Duration write_extra;        ///< what sending a write takes more than a send
    Duration acknowledge;        ///< for an acknowledgment that came; yields to all else
    Duration packet;             ///< of each packet, while it is read from memory
    Duration respond;            ///< serving a read or an atomic ...
    unsigned respond_reads = 0;  ///< ... with so many reads over the bus, one after the other
    Duration scan;               ///< firmware looks at every open queue pair before each message
    unsigned buffer = 8;         ///< packets that can be read ahead of the link
    Bytes receive_buffer;  ///< for each link that comes in, until the bus has taken it; 0: any
    Rate internal;         ///< a data bus inside that all packets cross, either way
    Bytes max_inline;      ///< data that can come with the doorbell
};

/// [memory]: the adapter's own, where regions can live. A size of 0: none.
struct Memory {
    Bytes size;
    Rate rate;  ///< reads and writes together
};

/// [translation]: the adapter's cache of page addresses, least recently used out first.
struct Translation {
    unsigned entries = 0;  ///< off: never misses
    Bytes page{4096};
    Duration miss;
    Duration first_use;  ///< of a page that the adapter never saw: the system fills its table
};

/// [contexts]: the adapter's cache of connections.
struct Contexts {
    unsigned entries = 0;
    Duration miss;
};

/// [link]
struct Link {
    Rate rate;
    Bytes packet;          ///< payload of a full one
    Bytes header;          ///< what each packet takes of the link beside its payload
    Bytes block;           ///< payloads are moved in whole blocks of this
    Duration gap;          ///< between two packets
    Bytes acknowledgment;  ///< what acknowledging one packet takes of the way back
};

enum class Topology : std::uint8_t { crossbar, fat_tree };

/// [network]
struct Network {
    Topology topology = Topology::crossbar;
    Duration latency;        ///< adapter to adapter through one switch, without contention
    Duration hop;            ///< of each further switch
    Bytes buffer = {};       ///< that a switch has for each link that comes in; 0: without limit
    unsigned dimension = 2;  ///< of a quaternary fat tree: 4^dimension nodes; it grows for more
};

enum class Detection : std::uint8_t { ends, hops };

/// [reliability]: what is done about packets that faults take (model/reliability.hpp), and about
/// a receiver that is not ready. Without faults, nobody asks for the former.
struct Reliability {
    /// ends: the sender misses an acknowledgment. hops: who loses a packet tells the sender at
    /// once, and where.
    Detection detection = Detection::ends;
    unsigned attempts = 3;               ///< hops: retries at once on one way, then another way
    Duration timeout = Duration::ms(4);  ///< so long without an acknowledgment: send again
    unsigned backoff = 1;                ///< each further one in a row is so many times as long
    unsigned retries = 7;                ///< of them in a row; then the peer is given up
    unsigned gap = 1;  ///< packets out of order, and the receiver asks for what is missing
    // A message that finds no receive, which needs no faults (virtual_time::NotReady).
    Duration rnr_timer;
    unsigned rnr_retries = virtual_time::NotReady::for_ever;
    bool rnr_breaks = false;
};

/// [completion]: how the adapter tells the rank.
struct Completion {
    Duration write;         ///< the entry's way into memory
    Bytes with_data;        ///< messages up to this size bring it along for nothing
    bool of_writes = true;  ///< a write can tell the target (rdma_write_imm)
};

/// [connection]
struct Connection {
    bool connectionless = false;
    bool client_server = true;      ///< beside peer to peer; the model itself can do both
    bool shared_receives = true;    ///< several queue pairs may take from one receive queue
    unsigned queue_pairs = 65'536;  ///< that a process may have open
    Duration setup;  ///< one message of the connection protocol, from system to system
};

/// [tagged]: matching by the adapter.
struct Tagged {
    bool present = false;
    Bytes inline_limit;     ///< comes with the doorbell, placed with its envelope
    Bytes eager_limit;      ///< sent at once; larger ones after the match
    Bytes copied_from;      ///< eager messages from this size on are copied by the host, both sides
    Bytes piece;            ///< ... piece by piece while others are under way: one is waited for
    Duration match;         ///< adapter time to match a message ...
    Duration posted_entry;  ///< ... per posted receive passed over
    Duration unexpected_entry;  ///< ... per unexpected message passed over
    Duration thread;  ///< waking the thread that answers a match, and the one that sends data
    bool implicit_registration = false;  ///< large buffers are registered inside
    unsigned registration_cache = 0;     ///< buffers kept registered
    fabric::Progress progress = fabric::Progress::hardware;
};

struct Parameters {
    std::string name;
    std::string description;
    std::vector<fabric::Section> sections;  ///< of software above, handed on
    Host host;
    Cache cache;
    Tlb tlb;
    Bus bus;
    Adapter adapter;
    Memory memory;
    Translation translation;
    Contexts contexts;
    Link link;
    Network network;
    Reliability reliability;
    Completion completion;
    Connection connection;
    Tagged tagged;
    fabric::Placement placement = fabric::Placement::last_byte_last;
    fabric::Bulk bulk = fabric::Bulk::write;
    Bytes bulk_threshold{8192};
};

/// All keys of profiles for them, for tests that go through them one by one ...
std::span<const profiles::Row<Parameters>> rows();
/// ... and for those who read profiles.
profiles::Table table();
/// What a profile says, which was read with that table.
Parameters read(const profiles::Profile& profile);

/// What software above may know of such an interconnect.
fabric::Traits traits(const Parameters& parameters);
/// What its software costs a host, and the rules of its tagged port, whatever carries the messages.
Duration host_cost(const Parameters& parameters, virtual_time::HostStep step, Bytes size);
hosts::VirtualHost::Costs host_costs(const Parameters& parameters);
virtual_time::TaggedRules tagged_rules(const Parameters& parameters);
/// The network of so many nodes that faults can strike. A tree has as many levels as they need, and
/// at least the profile's.
faults::Layout layout(const Parameters& parameters, fabric::NodeId nodes);

}  // namespace railyard::hardware
