#include "interconnects/quadrics/fabric/machine_parameters.hpp"

#include <fmt/format.h>

#include <array>

#include "base/quantity.hpp"
#include "interconnects/quadrics/elanlib/envelope.hpp"
#include "railyard/base/error.hpp"

template <>
inline constexpr std::array<std::string_view, 2>
    railyard::profiles::words_of<railyard::elite::Detail>{"packets", "flits"};

namespace railyard::quadrics {

namespace {

using profiles::row;

constexpr std::array<profiles::Section, 1> sections{
    {{"elan", "the machine of Quadrics: what the other parts do not say of it"}}};

// A packet of five blocks and its framing is then still counted in 32 bits of flits.
constexpr std::uint64_t largest_framing = 4096;

constexpr std::array all_rows{
    row<&Elan::descriptor>("elan", "descriptor",
                           "the processor writes one into the adapter's memory ..."),
    row<&Elan::command>("elan", "command", "... and gives its address to the command processor"),
    row<&Elan::tport_post>("elan", "tport_post", "a library's work for a tagged send or receive"),
    row<&Elan::pci_burst>("elan", "pci_burst", "how fast a burst of a block goes over PCI").from(1),
    row<&Elan::pci_read>("elan", "pci_read", "each burst's address and waits, reading"),
    row<&Elan::pci_write>("elan", "pci_write", "the same, writing"),
    row<&Elan::pci_first_read>("elan", "pci_first_read",
                               "of a stream, before the bridge reads ahead"),
    row<&Elan::check>("elan", "check", "microcode: the command processor checks a command"),
    row<&Elan::enqueue>("elan", "enqueue", "microcode: a descriptor is put on the DMA queue"),
    row<&Elan::dma_start>("elan", "dma_start",
                          "microcode: it is loaded, for the first or next slice"),
    row<&Elan::packet>("elan", "packet", "microcode: the DMA engine, each packet"),
    row<&Elan::input>("elan", "input", "microcode: the inputter, each packet"),
    row<&Elan::notify>("elan", "notify", "microcode: the inputter tells its DMA engine ..."),
    row<&Elan::acknowledge>("elan", "acknowledge",
                            "microcode: ... which acknowledges to the source"),
    row<&Elan::event>("elan", "event", "microcode: setting an event"),
    row<&Elan::block_copy>("elan", "block_copy",
                           "microcode: starting the copy of an event's block"),
    row<&Elan::schedule>("elan", "schedule", "microcode: scheduling a thread"),
    row<&Elan::thread_packet>("elan", "thread_packet", "a thread builds a packet"),
    row<&Elan::thread_receive>("elan", "thread_receive",
                               "the matching thread takes a receive into its list"),
    row<&Elan::transaction>("elan", "transaction",
                            "type, address and CRC of each transaction of a packet")
        .to(largest_framing),
    row<&Elan::slice>("elan", "slice", "packets of one DMA before others have their turn").from(1),
    row<&Elan::buffers>("elan", "buffers", "packets that the DMA engine holds").from(1),
    row<&Elan::queue_slots>("elan", "queue_slots", "messages that an input queue holds").from(1),
    row<&Elan::fault_delay>("elan", "fault_delay",
                            "before the first retry; each next one waits twice that"),
    row<&Elan::backoff>("elan", "backoff", "before what was refused for now is sent again")
        .from(1000),
    row<&Elan::detail>("elan", "detail", "how closely switches are followed"),
    row<&Elan::flit>("elan", "flit", "what moves on a link at a time").from(1).to(64),
    row<&Elan::fifo>("elan", "fifo", "flits that a virtual channel's input holds").from(1),
    row<&Elan::wire>("elan", "wire", "the way through a cable"),
};

constexpr auto all_keys = profiles::keys_of(all_rows);

/// Above it lie the page tables, in the 28 bits of an address of the SDRAM.
constexpr Bytes largest_sdram{192 << 20};
constexpr Bytes largest_header{4096};

void need(const Parameters& profile, bool right, std::string_view key, std::string_view what) {
    if (right) return;
    throw UsageError(fmt::format(
        "profile {}: {}: the machine of [elan] {}; or choose another, with 'engine = \"model\"'",
        profile.name, key, what));
}

void check(const Parameters& profile) {
    const auto same = [&](Bytes found, std::uint32_t built, std::string_view key) {
        need(profile, found == Bytes(built), key,
             fmt::format("has {}, not {}", to_string(Bytes(built)), to_string(found)));
    };
    same(profile.link.packet, elan::packet_data, "link.packet");
    same(profile.link.block, elan::block_size, "link.block");
    same(profile.translation.page, elan::page_size, "translation.page");
    need(profile, profile.link.header <= largest_header, "link.header",
         fmt::format("has at most {}", to_string(largest_header)));
    need(profile, profile.network.topology == hardware::Topology::fat_tree, "network.topology",
         "is a 'fat_tree'");
    need(profile, profile.adapter.ports == 1, "adapter.ports", "has one link a node");
    need(profile, profile.reliability.rnr_timer == Duration{}, "reliability.rnr_timer",
         "holds a message until there is a receive");
    need(profile, !profile.reliability.rnr_breaks, "reliability.rnr_breaks",
         "holds a message until there is a receive");
    need(profile, profile.network.buffer == Bytes(), "network.buffer", "has elan.fifo for it");
    need(profile, profile.adapter.receive_buffer == Bytes(), "adapter.receive_buffer",
         "holds acknowledgments back instead");
    need(profile, profile.bus.other == Rate(), "bus.other", "has its bus to itself");
    need(profile,
         !profile.tagged.present || profile.tagged.eager_limit <= Bytes(elanlib::inline_below),
         "tagged.eager_limit",
         fmt::format("sends at most {} with an envelope", to_string(Bytes(elanlib::inline_below))));
    need(profile, profile.translation.entries > 0, "translation.entries", "has at least 1");
    need(profile, profile.memory.size > Bytes() && profile.memory.size <= largest_sdram,
         "memory.size", fmt::format("has some, at most {}", to_string(largest_sdram)));
}

/// What a profile does not limit.
Rate limit(Rate rate) {
    return rate == Rate() ? Rate::fastest() : rate;
}

elite::Parameters network_of(const Parameters& profile, fabric::NodeId nodes) {
    elite::Parameters network;
    // As many levels as the names of places have (faults/script.hpp).
    network.dimension = hardware::layout(profile, nodes).levels;
    network.detail = profile.elan.detail;
    network.rate = profile.link.rate;
    network.flit = profile.elan.flit;
    network.flow_through = profile.network.hop;
    network.wire = profile.elan.wire;
    network.fifo = profile.elan.fifo;
    network.framing = profile.link.header;
    return network;
}

elan::HostCosts host_of(const Parameters& profile) {
    return {.descriptor = profile.elan.descriptor,
            .command = profile.elan.command,
            .detect = profile.host.detect,
            .interrupt = profile.host.interrupt,
            .trap = profile.translation.first_use,
            .copy = limit(profile.host.copy)};
}

elan::MicrocodeTimes microcode_of(const Elan& elan) {
    return {.check = elan.check,
            .enqueue = elan.enqueue,
            .dma_start = elan.dma_start,
            .packet = elan.packet,
            .input = elan.input,
            .notify = elan.notify,
            .acknowledge = elan.acknowledge,
            .event = elan.event,
            .block_copy = elan.block_copy,
            .schedule = elan.schedule};
}

}  // namespace

std::span<const profiles::Row<Elan>> elan_rows() {
    return all_rows;
}

profiles::Table elan_table() {
    return {sections, all_keys};
}

Parameters read(const profiles::Profile& profile) {
    Parameters parameters{hardware::read(profile), {}};
    profiles::fill(parameters.elan, profile, elan_rows());
    return parameters;
}

elan::Parameters machine_parameters(const Parameters& profile, fabric::NodeId nodes) {
    check(profile);
    const Elan& elan = profile.elan;
    elan::Parameters machine;
    machine.network = network_of(profile, nodes);
    machine.host = host_of(profile);
    machine.pci = {.burst = elan.pci_burst,
                   .read = elan.pci_read,
                   .write = elan.pci_write,
                   .first_read = elan.pci_first_read};
    machine.microcode = microcode_of(elan);
    machine.tports = {.post = elan.tport_post,
                      .match = profile.tagged.match,
                      .entry = profile.tagged.posted_entry,
                      .receive = elan.thread_receive};
    machine.internal_bus = limit(profile.adapter.internal);
    machine.sdram = limit(profile.memory.rate);
    machine.sdram_size = profile.memory.size;
    machine.requests = profile.adapter.buffer;
    machine.tlb_entries = profile.translation.entries;
    machine.thread_packet = elan.thread_packet;
    machine.transaction = elan.transaction;
    machine.slice = elan.slice;
    machine.buffers = elan.buffers;
    machine.retries = profile.reliability.attempts;
    machine.rounds = profile.reliability.retries;
    machine.fault_delay = elan.fault_delay;
    machine.backoff = elan.backoff;
    machine.queue_slots = elan.queue_slots;
    return machine;
}

}  // namespace railyard::quadrics
