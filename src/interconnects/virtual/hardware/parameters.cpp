#include "interconnects/virtual/hardware/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/quantity.hpp"
#include "railyard/base/error.hpp"

// The words of each enumeration, in its order.
namespace railyard::profiles {

template <>
inline constexpr std::array<std::string_view, 2> words_of<hardware::Duplex>{"half", "full"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<hardware::Engines>{"separate", "shared"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<hardware::Topology>{"crossbar",
                                                                              "fat_tree"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<hardware::Detection>{"ends", "hops"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<fabric::Placement>{"none",
                                                                             "last_byte_last"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<fabric::Bulk>{"read", "write", "send"};
template <>
inline constexpr std::array<std::string_view, 3> words_of<fabric::Progress>{"hardware", "thread",
                                                                            "calls"};

}  // namespace railyard::profiles

namespace railyard::hardware {

namespace {

using profiles::row;
using P = Parameters;

constexpr std::array<profiles::Section, 14> sections{{
    {"host", "what the rank's processor is busy with"},
    {"cache", "the host's, where buffers are that were used lately"},
    {"tlb", "pages whose addresses the host's processor knows"},
    {"bus", "between host memory and adapter"},
    {"adapter", "its engines, and what they spend on a message"},
    {"memory", "the adapter's own, where regions can live"},
    {"translation", "the adapter's cache of page addresses"},
    {"contexts", "the adapter's cache of connections"},
    {"link", "what a packet takes of the wire"},
    {"network", "switches and how they are joined"},
    {"reliability", "what is done about packets that faults take, and messages without a receive"},
    {"completion", "how the adapter tells the rank"},
    {"connection", "how two queue pairs meet"},
    {"tagged", "matching by the adapter"},
}};

// Every packet and every page of a message is an event or a look-up of its own: of a byte each, a
// message of 4 MiB would be four million. No network had less than these.
constexpr std::uint64_t smallest_packet = 16;
constexpr std::uint64_t smallest_page = 256;

constexpr std::array all_rows{
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
    row<&P::host, &Host::copy>("host", "copy", "how fast software copies from cache to cache"),
    row<&P::host, &Host::register_memory>("host", "register_memory", "registering a region ..."),
    row<&P::host, &Host::register_page>("host", "register_page", "... and each page of it"),
    row<&P::host, &Host::deregister_memory>("host", "deregister_memory", "undoing that ..."),
    row<&P::host, &Host::deregister_page>("host", "deregister_page", "... and each page of it"),
    row<&P::host, &Host::create_queue_pair>("host", "create_queue_pair", "making a queue pair"),
    row<&P::host, &Host::connect>("host", "connect",
                                  "the system's work for one side of a connection"),
    row<&P::host, &Host::disconnect>("host", "disconnect", "the same for ending it"),
    row<&P::host, &Host::destroy_queue_pair>("host", "destroy_queue_pair",
                                             "giving a queue pair back"),
    row<&P::cache, &Cache::size>("cache", "size", "buffers used lately fill it up to here"),
    row<&P::cache, &Cache::miss>("cache", "miss", "the first line that is read from a page ..."),
    row<&P::cache, &Cache::rate>("cache", "rate",
                                 "... and how fast lines go between memory and cache besides"),
    row<&P::cache, &Cache::fills>("cache", "fills",
                                  "lines under way while the processor goes on writing"),
    row<&P::tlb, &Tlb::entries>("tlb", "entries", "pages that it knows"),
    row<&P::tlb, &Tlb::walk>("tlb", "walk", "finding the address of another one"),
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
    row<&P::bus, &Bus::other>("bus", "other",
                              "half duplex: what other devices of the host move over it"),
    row<&P::bus, &Bus::other_burst>("bus", "other_burst", "what each turn of theirs moves").from(1),
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
    row<&P::adapter, &Adapter::receive_buffer>(
        "adapter", "receive_buffer",
        "what it holds of a link that comes in until the bus has taken it; 0: without limit"),
    row<&P::adapter, &Adapter::internal>("adapter", "internal",
                                         "a data bus inside that all packets cross, either way"),
    row<&P::adapter, &Adapter::max_inline>("adapter", "max_inline",
                                           "data that can come with the doorbell"),
    row<&P::memory, &Memory::size>("memory", "size", "how much there is"),
    row<&P::memory, &Memory::rate>("memory", "rate", "reads and writes together"),
    row<&P::translation, &Translation::entries>("translation", "entries",
                                                "pages it holds; 0: never misses"),
    row<&P::translation, &Translation::page>("translation", "page", "size of a page")
        .from(smallest_page),
    row<&P::translation, &Translation::miss>("translation", "miss", "fetching an entry"),
    row<&P::translation, &Translation::first_use>(
        "translation", "first_use", "of a page never seen before: the system fills its table"),
    row<&P::contexts, &Contexts::entries>("contexts", "entries",
                                          "connections it holds; 0: never misses"),
    row<&P::contexts, &Contexts::miss>("contexts", "miss", "fetching an entry"),
    row<&P::link, &Link::rate>("link", "rate", "how fast bytes go over it, each way").needed(),
    row<&P::link, &Link::packet>("link", "packet", "payload of a full packet")
        .needed()
        .from(smallest_packet),
    row<&P::link, &Link::header>("link", "header", "what each packet takes beside its payload"),
    row<&P::link, &Link::block>("link", "block", "payloads are moved in whole blocks of this"),
    row<&P::link, &Link::gap>("link", "gap", "between two packets"),
    row<&P::link, &Link::acknowledgment>("link", "acknowledgment",
                                         "what acknowledging one packet takes of the way back"),
    row<&P::network, &Network::topology>("network", "topology", "how the switches are joined"),
    row<&P::network, &Network::latency>(
        "network", "latency", "adapter to adapter through one switch, without contention"),
    row<&P::network, &Network::hop>("network", "hop", "of each further switch"),
    row<&P::network, &Network::buffer>(
        "network", "buffer", "what a switch holds of each link that comes in; 0: without limit"),
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
    row<&P::reliability, &Reliability::rnr_timer>(
        "reliability", "rnr_timer",
        "no receive for a message: the sender waits and sends again; off: the adapter holds it"),
    row<&P::reliability, &Reliability::rnr_retries>("reliability", "rnr_retries",
                                                    "... so often, then it fails; 7: for ever")
        .to(virtual_time::NotReady::for_ever),
    row<&P::reliability, &Reliability::rnr_breaks>(
        "reliability", "rnr_breaks", "or the connection breaks at once, at both ends"),
    row<&P::completion, &Completion::write>("completion", "write", "the entry's way into memory"),
    row<&P::completion, &Completion::with_data>(
        "completion", "with_data", "messages up to this size bring it along for nothing"),
    row<&P::completion, &Completion::of_writes>("completion", "of_writes",
                                                "a write can tell the target (rdma_write_imm)"),
    row<&P::connection, &Connection::connectionless>("connection", "connectionless",
                                                     "connecting is local and costs nothing"),
    row<&P::connection, &Connection::client_server>(
        "connection", "client_server", "a side may listen, not only ask a peer that asks, too"),
    row<&P::connection, &Connection::shared_receives>(
        "connection", "shared_receives", "several queue pairs may take from one receive queue"),
    row<&P::connection, &Connection::queue_pairs>("connection", "queue_pairs",
                                                  "that a process may have open at most")
        .from(1)
        .to(65'536),
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
};

constexpr auto all_keys = profiles::keys_of(all_rows);

}  // namespace

std::span<const profiles::Row<Parameters>> rows() {
    return all_rows;
}

profiles::Table table() {
    return {sections, all_keys};
}

namespace {

/// What no key can say by itself.
void check(const Parameters& parameters) {
    const Bus& bus = parameters.bus;
    if (bus.duplex == Duplex::half && bus.other > Rate{} && bus.other >= fastest(bus))
        throw UsageError(fmt::format("profile {}: bus.other: {} leave nothing of a bus of {}",
                                     parameters.name, to_string(bus.other),
                                     to_string(fastest(bus))));
    const Bytes packet = parameters.link.packet + parameters.link.header;
    const auto holds_a_packet = [&](std::string_view key, Bytes buffer) {
        if (buffer > Bytes() && buffer < packet)
            throw UsageError(fmt::format("profile {}: {}: {} do not hold a packet, which has {}",
                                         parameters.name, key, to_string(buffer),
                                         to_string(packet)));
    };
    holds_a_packet("network.buffer", parameters.network.buffer);
    holds_a_packet("adapter.receive_buffer", parameters.adapter.receive_buffer);
    if (parameters.reliability.rnr_breaks && parameters.reliability.rnr_timer > Duration{})
        throw UsageError(
            fmt::format("profile {}: reliability.rnr_breaks: nobody sends again after "
                        "reliability.rnr_timer; leave one of them out",
                        parameters.name));
}

}  // namespace

Parameters read(const profiles::Profile& profile) {
    Parameters parameters;
    parameters.name = profile.name;
    parameters.description = profile.description;
    parameters.sections = profile.sections;
    profiles::fill(parameters, profile, rows());
    check(parameters);
    return parameters;
}

Rate fastest(const Bus& bus) {
    return std::max(bus.read_rate, bus.write_rate);
}

fabric::Traits traits(const Parameters& parameters) {
    using namespace literals;
    return {
        .name = parameters.name,
        .description = parameters.description,
        .clock = fabric::Clock::virtual_time,
        .placement = parameters.placement,
        .progress = fabric::Progress::hardware,
        .bulk = parameters.bulk,
        // An adapter's atomics lock its own unit, not the host's memory.
        .coherent_atomics = false,
        .connectionless = parameters.connection.connectionless,
        .client_server = parameters.connection.client_server,
        .shared_receives = parameters.connection.shared_receives,
        .waits_for_receives = !parameters.reliability.rnr_breaks,
        .crosses_nodes = true,
        .write_immediate = parameters.completion.of_writes,
        .tagged = parameters.tagged.present,
        .adapter_memory = parameters.memory.size > Bytes(),
        .maps_allocated = false,
        .ports = parameters.adapter.ports,
        .max_message = 1_GiB,
        .max_inline = parameters.adapter.max_inline,
        .max_slices = 16,
        .max_send_depth = 4096,
        .max_queue_pairs = parameters.connection.queue_pairs,
        .bulk_threshold = parameters.bulk_threshold,
        .sections = parameters.sections,
    };
}

faults::Layout layout(const Parameters& parameters, fabric::NodeId nodes) {
    faults::Layout layout{.levels = 0, .ports = parameters.adapter.ports, .nodes = nodes};
    if (parameters.network.topology == Topology::crossbar) return layout;
    layout.levels = std::max(1U, parameters.network.dimension);
    while (faults::power_of_four(layout.levels) < nodes)
        ++layout.levels;
    return layout;
}

}  // namespace railyard::hardware
