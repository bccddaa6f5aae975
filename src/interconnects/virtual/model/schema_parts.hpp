#pragma once
/// What a profile can say of the parts of an interconnect: the keys of every table but those that
/// have a file of their own.

#include "interconnects/virtual/model/schema_row.hpp"

namespace railyard::model::schema {

inline constexpr std::array of_parts{
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
};

}  // namespace railyard::model::schema
