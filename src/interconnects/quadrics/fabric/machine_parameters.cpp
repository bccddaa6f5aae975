#include "interconnects/quadrics/fabric/machine_parameters.hpp"

#include <fmt/format.h>

#include "base/quantity.hpp"
#include "interconnects/virtual/model/fault_script.hpp"
#include "railyard/base/error.hpp"

namespace railyard::quadrics {

namespace {

/// Above it lie the page tables, in the 28 bits of an address of the SDRAM.
constexpr Bytes largest_sdram{192 << 20};
constexpr Bytes largest_header{4096};

void need(const model::Parameters& profile, bool right, std::string_view key,
          std::string_view what) {
    if (right) return;
    throw UsageError(fmt::format(
        "profile {}: {}: the machine of [elan] {}; or leave it out, with 'present = false'",
        profile.name, key, what));
}

void check(const model::Parameters& profile) {
    const auto same = [&](Bytes found, std::uint32_t built, std::string_view key) {
        need(profile, found == Bytes(built), key,
             fmt::format("has {}, not {}", to_string(Bytes(built)), to_string(found)));
    };
    same(profile.link.packet, elan::packet_data, "link.packet");
    same(profile.link.block, elan::block_size, "link.block");
    same(profile.translation.page, elan::page_size, "translation.page");
    need(profile, profile.link.header <= largest_header, "link.header",
         fmt::format("has at most {}", to_string(largest_header)));
    need(profile, profile.network.topology == model::Topology::fat_tree, "network.topology",
         "is a 'fat_tree'");
    need(profile, profile.adapter.ports == 1, "adapter.ports", "has one link a node");
    need(profile,
         !profile.tagged.present ||
             profile.tagged.eager_limit <= Bytes(elan::packet_data) - envelope_size,
         "tagged.eager_limit",
         fmt::format("sends at most {} with an envelope",
                     to_string(Bytes(elan::packet_data) - envelope_size)));
    need(profile, profile.translation.entries > 0, "translation.entries", "has at least 1");
    need(profile, profile.memory.size > Bytes() && profile.memory.size <= largest_sdram,
         "memory.size", fmt::format("has some, at most {}", to_string(largest_sdram)));
}

/// What a profile does not limit.
Rate limit(Rate rate) {
    return rate == Rate() ? Rate::fastest() : rate;
}

elite::Parameters network_of(const model::Parameters& profile, fabric::NodeId nodes) {
    elite::Parameters network;
    // As many levels as the names of places have (fault_place.hpp).
    network.dimension = model::Ground::of(profile, nodes).dimension;
    network.detail =
        profile.elan.detail == model::Detail::flits ? elite::Detail::flits : elite::Detail::packets;
    network.rate = profile.link.rate;
    network.flit = profile.elan.flit;
    network.flow_through = profile.network.hop;
    network.wire = profile.elan.wire;
    network.fifo = profile.elan.fifo;
    network.framing = profile.link.header;
    return network;
}

elan::HostCosts host_of(const model::Parameters& profile) {
    return {.descriptor = profile.elan.descriptor,
            .command = profile.elan.command,
            .detect = profile.host.detect,
            .interrupt = profile.host.interrupt,
            .trap = profile.translation.first_use,
            .copy = limit(profile.host.copy)};
}

elan::MicrocodeTimes microcode_of(const model::Elan& elan) {
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

elan::Parameters machine_parameters(const model::Parameters& profile, fabric::NodeId nodes) {
    check(profile);
    const model::Elan& elan = profile.elan;
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
