#pragma once
/// What a profile can say of the machine of Quadrics: the keys of [elan].

#include "interconnects/virtual/model/schema_row.hpp"

namespace railyard::model::schema {

// A packet of five blocks and its framing is then still counted in 32 bits of flits.
inline constexpr std::uint64_t largest_framing = 4096;

inline constexpr std::array of_elan{
    row<&P::elan, &Elan::present>("elan", "present", "the machine of Quadrics runs this profile"),
    row<&P::elan, &Elan::descriptor>("elan", "descriptor",
                                     "the processor writes one into the adapter's memory ..."),
    row<&P::elan, &Elan::command>("elan", "command",
                                  "... and gives its address to the command processor"),
    row<&P::elan, &Elan::tport_post>("elan", "tport_post",
                                     "a library's work for a tagged send or receive"),
    row<&P::elan, &Elan::pci_burst>("elan", "pci_burst",
                                    "how fast a burst of a block goes over PCI")
        .from(1),
    row<&P::elan, &Elan::pci_read>("elan", "pci_read", "each burst's address and waits, reading"),
    row<&P::elan, &Elan::pci_write>("elan", "pci_write", "the same, writing"),
    row<&P::elan, &Elan::pci_first_read>("elan", "pci_first_read",
                                         "of a stream, before the bridge reads ahead"),
    row<&P::elan, &Elan::check>("elan", "check",
                                "microcode: the command processor checks a command"),
    row<&P::elan, &Elan::enqueue>("elan", "enqueue",
                                  "microcode: a descriptor is put on the DMA queue"),
    row<&P::elan, &Elan::dma_start>("elan", "dma_start",
                                    "microcode: it is loaded, for the first or next slice"),
    row<&P::elan, &Elan::packet>("elan", "packet", "microcode: the DMA engine, each packet"),
    row<&P::elan, &Elan::input>("elan", "input", "microcode: the inputter, each packet"),
    row<&P::elan, &Elan::notify>("elan", "notify",
                                 "microcode: the inputter tells its DMA engine ..."),
    row<&P::elan, &Elan::acknowledge>("elan", "acknowledge",
                                      "microcode: ... which acknowledges to the source"),
    row<&P::elan, &Elan::event>("elan", "event", "microcode: setting an event"),
    row<&P::elan, &Elan::block_copy>("elan", "block_copy",
                                     "microcode: starting the copy of an event's block"),
    row<&P::elan, &Elan::schedule>("elan", "schedule", "microcode: scheduling a thread"),
    row<&P::elan, &Elan::thread_packet>("elan", "thread_packet", "a thread builds a packet"),
    row<&P::elan, &Elan::thread_receive>("elan", "thread_receive",
                                         "the matching thread takes a receive into its list"),
    row<&P::elan, &Elan::transaction>("elan", "transaction",
                                      "type, address and CRC of each transaction of a packet")
        .to(largest_framing),
    row<&P::elan, &Elan::slice>("elan", "slice", "packets of one DMA before others have their turn")
        .from(1),
    row<&P::elan, &Elan::buffers>("elan", "buffers", "packets that the DMA engine holds").from(1),
    row<&P::elan, &Elan::queue_slots>("elan", "queue_slots", "messages that an input queue holds")
        .from(1),
    row<&P::elan, &Elan::fault_delay>("elan", "fault_delay",
                                      "before the first retry; each next one waits twice that"),
    row<&P::elan, &Elan::backoff>("elan", "backoff",
                                  "before what was refused for now is sent again")
        .from(1000),
    row<&P::elan, &Elan::detail>("elan", "detail", "how closely switches are followed"),
    row<&P::elan, &Elan::flit>("elan", "flit", "what moves on a link at a time").from(1).to(64),
    row<&P::elan, &Elan::fifo>("elan", "fifo", "flits that a virtual channel's input holds")
        .from(1),
    row<&P::elan, &Elan::wire>("elan", "wire", "the way through a cable"),
};

}  // namespace railyard::model::schema
