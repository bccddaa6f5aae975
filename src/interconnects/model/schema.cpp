#include "interconnects/model/schema.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace railyard::model {

namespace {

// A model adds such times up in picoseconds; within these bounds no sum can overflow.
constexpr std::uint64_t longest_time = 1'000'000'000'000;       // 1 s
constexpr std::uint64_t fastest_rate = 1'000'000'000'000;       // 1 TB/s
constexpr std::uint64_t largest_size = std::uint64_t{1} << 40;  // 1 TiB
constexpr std::uint64_t largest_count = 1U << 24;

// The words of each enumeration, in its order.
template <class Enum>
constexpr std::array<std::string_view, 0> words_of{};
template <>
constexpr std::array<std::string_view, 2> words_of<Duplex>{"half", "full"};
template <>
constexpr std::array<std::string_view, 2> words_of<Engines>{"separate", "shared"};
template <>
constexpr std::array<std::string_view, 2> words_of<Topology>{"crossbar", "fat_tree"};
template <>
constexpr std::array<std::string_view, 2> words_of<Detection>{"ends", "hops"};
template <>
constexpr std::array<std::string_view, 2> words_of<fabric::Placement>{"none", "last_byte_last"};
template <>
constexpr std::array<std::string_view, 3> words_of<fabric::Bulk>{"read", "write", "send"};
template <>
constexpr std::array<std::string_view, 3> words_of<fabric::Progress>{"hardware", "thread", "calls"};

template <>
constexpr std::array<std::string_view, 3> words_of<MpiConnections>{"on-demand", "static-peer",
                                                                   "static-client-server"};
template <>
constexpr std::array<std::string_view, 2> words_of<MpiMatching>{"hashed", "list"};
template <>
constexpr std::array<std::string_view, 3> words_of<MpiBulk>{"stream", "read", "write"};
template <>
constexpr std::array<std::string_view, 2> words_of<MpiRails>{"striping", "binding"};

template <class T>
constexpr Allowed allowed_of() {
    if constexpr (std::is_same_v<T, Duration>)
        return {Unit::time, 0, longest_time, {}};
    else if constexpr (std::is_same_v<T, Rate>)
        return {Unit::rate, 0, fastest_rate, {}};
    else if constexpr (std::is_same_v<T, Bytes>)
        return {Unit::size, 0, largest_size, {}};
    else if constexpr (std::is_same_v<T, unsigned>)
        return {Unit::count, 0, largest_count, {}};
    else if constexpr (std::is_same_v<T, double>)
        return {.unit = Unit::share, .words = {}};
    else if constexpr (std::is_same_v<T, bool>)
        return {.unit = Unit::flag, .words = {}};
    else if constexpr (std::is_enum_v<T>)
        return {.unit = Unit::word, .words = words_of<T>};
    else
        return {.unit = Unit::text, .words = {}};
}

/// Goes down from Parameters, one member after the other.
template <auto... Members>
constexpr auto& member(auto& parameters) {
    return (parameters.*....*Members);
}

template <auto... Members>
using MemberType =
    std::remove_reference_t<decltype(member<Members...>(std::declval<Parameters&>()))>;

template <auto... Members>
void set(Parameters& parameters, const Value& value) {
    using T = MemberType<Members...>;
    if constexpr (std::is_enum_v<T>)
        member<Members...>(parameters) = static_cast<T>(std::get<Word>(value).index);
    else
        member<Members...>(parameters) = std::get<T>(value);
}

template <auto... Members>
Value get(const Parameters& parameters) {
    using T = MemberType<Members...>;
    if constexpr (std::is_enum_v<T>)
        return Word{static_cast<unsigned>(member<Members...>(parameters))};
    else
        return member<Members...>(parameters);
}

/// A row of the table.
struct Row : Key {
    constexpr Row from(std::uint64_t least) const {
        Row row = *this;
        row.allowed.least = least;
        return row;
    }
    constexpr Row to(std::uint64_t most) const {
        Row row = *this;
        row.allowed.most = most;
        return row;
    }
    /// Without it there is no model. Never nought.
    constexpr Row needed() const {
        Row row = from(1);
        row.required = true;
        return row;
    }
};

template <auto... Members>
constexpr Row row(std::string_view part, std::string_view name, std::string_view explanation) {
    return {{part, name, explanation, allowed_of<MemberType<Members...>>(), false, set<Members...>,
             get<Members...>}};
}

using P = Parameters;

constexpr std::array rows{
    row<&P::name>("", "name", "what it is called"),
    row<&P::description>("", "description", "one line on what it is"),
    row<&P::placement>("", "placement", "whether a receiver may watch the last byte of a buffer"),
    row<&P::bulk>("", "bulk", "the fastest way to move a large message"),
    row<&P::bulk_threshold>("", "bulk_threshold",
                            "the size from which that way beats a send through buffers"),
    row<&P::host, &Host::post>("host", "post", "making one request and ringing the doorbell"),
    row<&P::host, &Host::post_receive>("host", "post_receive", "posting one receive"),
    row<&P::host, &Host::detect>("host", "detect",
                                 "from data in memory until a spinning rank has seen them"),
    row<&P::host, &Host::interrupt>("host", "interrupt", "the same for a rank that sleeps"),
    row<&P::host, &Host::reap_send>("host", "reap_send", "taking the completion of an own request"),
    row<&P::host, &Host::reap_receive>("host", "reap_receive",
                                       "taking the completion of a receive"),
    row<&P::host, &Host::poll_empty>("host", "poll_empty",
                                     "looking at a completion queue that has nothing"),
    row<&P::host, &Host::request>("host", "request", "software's work for one request"),
    row<&P::host, &Host::match_entry>("host", "match_entry",
                                      "software's look at one entry of a queue"),
    row<&P::host, &Host::copy>("host", "copy", "how fast software copies"),
    row<&P::host, &Host::register_memory>("host", "register_memory", "registering a region ..."),
    row<&P::host, &Host::register_page>("host", "register_page", "... and each page of it"),
    row<&P::host, &Host::deregister_memory>("host", "deregister_memory", "undoing that ..."),
    row<&P::host, &Host::deregister_page>("host", "deregister_page", "... and each page of it"),
    row<&P::host, &Host::connect>("host", "connect",
                                  "the system's work for one side of a connection"),
    row<&P::bus, &Bus::duplex>("bus", "duplex", "half: reads and writes take turns"),
    row<&P::bus, &Bus::read_rate>("bus", "read_rate", "how fast a DMA read goes over it").needed(),
    row<&P::bus, &Bus::write_rate>("bus", "write_rate", "how fast a DMA write goes over it")
        .needed(),
    row<&P::bus, &Bus::read_stream>("bus", "read_stream",
                                    "what one stream of split reads reaches, gaps included"),
    row<&P::bus, &Bus::write_stream>("bus", "write_stream", "what one stream of writes reaches"),
    row<&P::bus, &Bus::doorbell>("bus", "doorbell", "a processor's store to the adapter"),
    row<&P::bus, &Bus::read_latency>(
        "bus", "read_latency", "from a DMA read's start to its first data, the bus left free"),
    row<&P::bus, &Bus::write_latency>("bus", "write_latency",
                                      "until a DMA write can be seen in memory"),
    row<&P::bus, &Bus::opposite>(
        "bus", "opposite", "full duplex: share of its time that a transfer takes of the other way"),
    row<&P::adapter, &Adapter::ports>("adapter", "ports", "links to the network").from(1).to(8),
    row<&P::adapter, &Adapter::engines>("adapter", "engines",
                                        "shared: one processor sends, receives and acknowledges"),
    row<&P::adapter, &Adapter::waits_for_bus>(
        "adapter", "waits_for_bus",
        "an engine idles while it waits for a descriptor or first data"),
    row<&P::adapter, &Adapter::send_reads>("adapter", "send_reads",
                                           "descriptor reads over the bus before a message leaves")
        .to(64),
    row<&P::adapter, &Adapter::receive_reads>("adapter", "receive_reads",
                                              "the same for a message that takes a receive")
        .to(64),
    row<&P::adapter, &Adapter::send>("adapter", "send",
                                     "engine time until a message can leave ..."),
    row<&P::adapter, &Adapter::send_rest>("adapter", "send_rest",
                                          "... and for which the engine stays busy after that"),
    row<&P::adapter, &Adapter::receive>("adapter", "receive",
                                        "engine time until data can go to memory ..."),
    row<&P::adapter, &Adapter::receive_rest>("adapter", "receive_rest",
                                             "... and for which the engine stays busy after that"),
    row<&P::adapter, &Adapter::completion>("adapter", "completion",
                                           "... and further, for the completion of a receive"),
    row<&P::adapter, &Adapter::write_extra>("adapter", "write_extra",
                                            "what sending a write takes more than a send"),
    row<&P::adapter, &Adapter::acknowledge>(
        "adapter", "acknowledge", "engine time for an acknowledgment; yields to all else"),
    row<&P::adapter, &Adapter::packet>("adapter", "packet",
                                       "engine time of each packet that is read from memory"),
    row<&P::adapter, &Adapter::respond>("adapter", "respond", "serving a read or an atomic ..."),
    row<&P::adapter, &Adapter::respond_reads>(
        "adapter", "respond_reads", "... with so many reads over the bus, one after the other")
        .to(64),
    row<&P::adapter, &Adapter::scan>(
        "adapter", "scan", "firmware's look at each open queue pair, before every message"),
    row<&P::adapter, &Adapter::buffer>("adapter", "buffer",
                                       "packets that can be read ahead of the link")
        .from(1),
    row<&P::adapter, &Adapter::internal>("adapter", "internal",
                                         "a data bus inside that all packets cross, either way"),
    row<&P::adapter, &Adapter::max_inline>("adapter", "max_inline",
                                           "data that can come with the doorbell"),
    row<&P::memory, &Memory::size>("memory", "size", "how much there is"),
    row<&P::memory, &Memory::rate>("memory", "rate", "reads and writes together"),
    row<&P::translation, &Translation::entries>("translation", "entries",
                                                "pages it holds; 0: never misses"),
    row<&P::translation, &Translation::page>("translation", "page", "size of a page").from(1),
    row<&P::translation, &Translation::miss>("translation", "miss", "fetching an entry"),
    row<&P::translation, &Translation::first_use>(
        "translation", "first_use", "of a page never seen before: the system fills its table"),
    row<&P::contexts, &Contexts::entries>("contexts", "entries",
                                          "connections it holds; 0: never misses"),
    row<&P::contexts, &Contexts::miss>("contexts", "miss", "fetching an entry"),
    row<&P::link, &Link::rate>("link", "rate", "how fast bytes go over it, each way").needed(),
    row<&P::link, &Link::packet>("link", "packet", "payload of a full packet").needed(),
    row<&P::link, &Link::header>("link", "header", "what each packet takes beside its payload"),
    row<&P::link, &Link::block>("link", "block", "payloads are moved in whole blocks of this"),
    row<&P::link, &Link::gap>("link", "gap", "between two packets"),
    row<&P::link, &Link::acknowledgment>("link", "acknowledgment",
                                         "what acknowledging one packet takes of the way back"),
    row<&P::network, &Network::topology>("network", "topology", "how the switches are joined"),
    row<&P::network, &Network::latency>(
        "network", "latency", "adapter to adapter through one switch, without contention"),
    row<&P::network, &Network::hop>("network", "hop", "of each further switch"),
    row<&P::network, &Network::dimension>(
        "network", "dimension", "of a quaternary fat tree: 4^dimension nodes; more make it grow")
        .from(1)
        .to(8),
    row<&P::reliability, &Reliability::detection>("reliability", "detection",
                                                  "who finds that a packet is lost"),
    row<&P::reliability, &Reliability::attempts>(
        "reliability", "attempts", "hops: retries at once on one way, then another way")
        .to(1000),
    row<&P::reliability, &Reliability::timeout>("reliability", "timeout",
                                                "so long without an acknowledgment: send again")
        .from(1'000'000),
    row<&P::reliability, &Reliability::backoff>(
        "reliability", "backoff", "each further one in a row is so many times as long")
        .from(1)
        .to(16),
    row<&P::reliability, &Reliability::retries>("reliability", "retries",
                                                "of them in a row; then the peer is given up")
        .to(1000),
    row<&P::reliability, &Reliability::gap>(
        "reliability", "gap", "packets out of order until the receiver asks; 0: it never does")
        .to(1000),
    row<&P::completion, &Completion::write>("completion", "write", "the entry's way into memory"),
    row<&P::completion, &Completion::with_data>(
        "completion", "with_data", "messages up to this size bring it along for nothing"),
    row<&P::completion, &Completion::of_writes>("completion", "of_writes",
                                                "a write can tell the target (rdma_write_imm)"),
    row<&P::connection, &Connection::connectionless>("connection", "connectionless",
                                                     "connecting is local and costs nothing"),
    row<&P::connection, &Connection::client_server>(
        "connection", "client_server", "a side may listen, not only ask a peer that asks, too"),
    row<&P::connection, &Connection::setup>(
        "connection", "setup", "one message of the connection protocol, system to system"),
    row<&P::tagged, &Tagged::present>("tagged", "present", "the adapter matches tags"),
    row<&P::tagged, &Tagged::inline_limit>("tagged", "inline_limit",
                                           "comes with the doorbell, placed with its envelope"),
    row<&P::tagged, &Tagged::eager_limit>("tagged", "eager_limit",
                                          "sent at once; larger messages go after the match"),
    row<&P::tagged, &Tagged::copied_from>(
        "tagged", "copied_from", "eager messages from this size on are copied by both hosts"),
    row<&P::tagged, &Tagged::piece>(
        "tagged", "piece", "... piece by piece while others are under way: one is waited for"),
    row<&P::tagged, &Tagged::thread>(
        "tagged", "thread", "waking the thread that answers a match, and the one that sends data"),
    row<&P::tagged, &Tagged::match>("tagged", "match", "adapter time to match a message ..."),
    row<&P::tagged, &Tagged::posted_entry>("tagged", "posted_entry",
                                           "... per posted receive passed over"),
    row<&P::tagged, &Tagged::unexpected_entry>("tagged", "unexpected_entry",
                                               "... per unexpected message passed over"),
    row<&P::tagged, &Tagged::implicit_registration>("tagged", "implicit_registration",
                                                    "large buffers are registered inside"),
    row<&P::tagged, &Tagged::registration_cache>("tagged", "registration_cache",
                                                 "buffers kept registered"),
    row<&P::tagged, &Tagged::progress>("tagged", "progress", "who moves large transfers on"),
    row<&P::mpi, &Mpi::name>("mpi", "name", "what it was called"),
    row<&P::mpi, &Mpi::connections>("mpi", "connections", "when connections are made"),
    row<&P::mpi, &Mpi::wildcard_connects>("mpi", "wildcard_connects",
                                          "a receive from any source connects to every rank"),
    row<&P::mpi, &Mpi::matching>("mpi", "matching", "how receives and messages find each other"),
    row<&P::mpi, &Mpi::tagged>("mpi", "tagged", "let the adapter match, where it can"),
    row<&P::mpi, &Mpi::eager_limit>("mpi", "eager_limit", "larger messages are offered first"),
    row<&P::mpi, &Mpi::watched_rings>("mpi", "watched_rings",
                                      "peers that write into rings; further ones send mail"),
    row<&P::mpi, &Mpi::ring_cells>("mpi", "ring_cells", "packets that a ring holds"),
    row<&P::mpi, &Mpi::ring_bytes>("mpi", "ring_bytes", "four packets of the largest size"),
    row<&P::mpi, &Mpi::piece>("mpi", "piece", "size of the pieces of a streamed message"),
    row<&P::mpi, &Mpi::mail_buffers>("mpi", "mail_buffers",
                                     "receive buffers for all peers that send mail"),
    row<&P::mpi, &Mpi::mail_credits>("mpi", "mail_credits",
                                     "packets that one peer may have under way by mail"),
    row<&P::mpi, &Mpi::bulk>("mpi", "bulk", "how the bytes of a large message get across"),
    row<&P::mpi, &Mpi::rails>("mpi", "rails", "what becomes of a large message on several ports"),
    row<&P::mpi, &Mpi::ports>("mpi", "ports", "how many ports it uses; 0: all"),
    row<&P::mpi, &Mpi::striping_threshold>("mpi", "striping_threshold",
                                           "larger messages are cut over the ports"),
    row<&P::mpi, &Mpi::registration_cache>("mpi", "registration_cache",
                                           "registered memory that is kept"),
    row<&P::mpi, &Mpi::shared_memory>("mpi", "shared_memory",
                                      "collectives of one node go through its memory"),
    row<&P::mpi, &Mpi::algorithms>("mpi", "algorithms", "of collectives"),
    row<&P::mpi, &Mpi::send_overhead>("mpi", "send_overhead",
                                      "its own work for each message, before it leaves ..."),
    row<&P::mpi, &Mpi::send_rest>("mpi", "send_rest", "... and after it has left"),
    row<&P::mpi, &Mpi::receive_start>("mpi", "receive_start",
                                      "its own work for each receive that is asked for"),
    row<&P::mpi, &Mpi::receive_overhead>("mpi", "receive_overhead",
                                         "its own work for each message that has come"),
    row<&P::mpi, &Mpi::posted_entry>("mpi", "posted_entry",
                                     "a look at one posted receive, by its own matching"),
    row<&P::mpi, &Mpi::unexpected_entry>("mpi", "unexpected_entry",
                                         "a look at one unexpected message, likewise"),
    row<&P::mpi, &Mpi::rendezvous_overhead>("mpi", "rendezvous_overhead",
                                            "its own work at each step of a rendezvous"),
};

constexpr std::array all_parts{
    Part{"host", "what the rank's processor is busy with"},
    Part{"bus", "between host memory and adapter"},
    Part{"adapter", "its engines, and what they spend on a message"},
    Part{"memory", "the adapter's own, where regions can live"},
    Part{"translation", "the adapter's cache of page addresses"},
    Part{"contexts", "the adapter's cache of connections"},
    Part{"link", "what a packet takes of the wire"},
    Part{"network", "switches and how they are joined"},
    Part{"reliability", "what is done about packets that faults take"},
    Part{"completion", "how the adapter tells the rank"},
    Part{"connection", "how two queue pairs meet"},
    Part{"tagged", "matching by the adapter"},
    Part{"mpi", "the MPI library of its time, as settings of ours (railyard mpi-info)"},
};

constexpr auto all_keys = [] {
    std::array<Key, rows.size()> keys{};
    std::ranges::copy(rows, keys.begin());
    return keys;
}();

}  // namespace

std::string Key::path() const {
    return part.empty() ? std::string(name) : std::string(part) + "." + std::string(name);
}

std::span<const Key> keys() {
    return all_keys;
}

std::span<const Part> parts() {
    return all_parts;
}

const Key* find_key(std::string_view part, std::string_view name) {
    for (const Key& key : keys())
        if (key.part == part && key.name == name) return &key;
    return nullptr;
}

const Part* find_part(std::string_view name) {
    for (const Part& part : parts())
        if (part.name == name) return &part;
    return nullptr;
}

}  // namespace railyard::model
