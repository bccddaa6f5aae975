#pragma once
/// What a fabric can do and how it likes to be used. Software above asks here; it never asks which
/// fabric it runs on.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/bytes.hpp"
#include "railyard/datasheet.hpp"

namespace railyard::fabric {

enum class Clock : std::uint8_t { real, virtual_time };
/// May a receiver watch the last byte of a buffer to learn that a write is complete?
enum class Placement : std::uint8_t { none, last_byte_last };
/// Who carries out a peer's request on this side.
enum class Progress : std::uint8_t {
    hardware,  ///< nobody here needs to do anything
    thread,    ///< a thread of the fabric's
    calls,     ///< this rank, inside its calls: poll, wait, progress
};
/// The fastest way to move a large message.
enum class Bulk : std::uint8_t { read, write, send };

/// A section of a fabric's profile that belongs to software above, which knows what its keys mean:
/// handed on as it stands, with the place of each line for complaints.
struct Section {
    struct Entry {
        std::string key;
        std::string value;
        bool quoted = false;  ///< a text; else a number, or true or false
        Source source;        ///< with file and line
        unsigned column = 1;
    };

    std::string name;
    std::vector<Entry> entries;
};

struct Traits {
    std::string name{};
    std::string description{};
    Clock clock = Clock::real;
    Placement placement = Placement::none;
    Progress progress = Progress::calls;
    Bulk bulk = Bulk::write;
    bool coherent_atomics = false;  ///< atomic with the CPU's own atomics on the same word
    bool connectionless = false;    ///< connecting is local and costs nothing
    bool client_server = true;      ///< connections by listening and accepting are there
    /// Receives can serve several queue pairs (ReceiveQueue::Sharing::shared). Else each has a
    /// queue of its own, or none.
    bool shared_receives = true;
    /// A message that finds no receive posted waits for one, for as long as its sender allows
    /// (QueuePairOptions::receiver_not_ready_timeout). Else it breaks the connection, as in VIA.
    bool waits_for_receives = true;
    bool crosses_nodes = false;
    bool write_immediate = true;   ///< rdma_write_imm is there: a write can tell the peer of itself
    bool tagged = false;           ///< Nic::tagged_port() gives one
    bool network_barrier = false;  ///< Nic::make_barrier() gives one, at least for some groups
    bool network_broadcast = false;  ///< likewise Nic::make_broadcast()
    bool adapter_memory = false;     ///< Home::adapter is available
    bool maps_allocated = false;     ///< peers reach allocated memory better than registered memory
    unsigned ports = 1;

    Bytes max_message{};
    Bytes max_inline{};
    std::uint32_t max_slices = 1;
    std::uint32_t max_send_depth = 0;
    std::uint32_t max_queue_pairs = 0;
    /// From this size on, `bulk` beats a send through intermediate buffers.
    Bytes bulk_threshold{};

    /// What the fabric's profile says to software above.
    std::vector<Section> sections{};

    /// Null if there is none of that name.
    const Section* section(std::string_view wanted) const {
        const auto found = std::ranges::find(sections, wanted, &Section::name);
        return found != sections.end() ? &*found : nullptr;
    }
};

}  // namespace railyard::fabric
