#pragma once
/// What a fabric can do and how it likes to be used. Software above asks here; it never asks which
/// fabric it runs on.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "railyard/base/bytes.hpp"

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

struct Traits {
    std::string name;
    std::string description;
    Clock clock = Clock::real;
    Placement placement = Placement::none;
    Progress progress = Progress::calls;
    Bulk bulk = Bulk::write;
    bool coherent_atomics = false;  ///< atomic with the CPU's own atomics on the same word
    bool connectionless = false;    ///< connecting is local and costs nothing
    bool client_server = true;      ///< connections by listening and accepting are there
    bool crosses_nodes = false;
    bool write_immediate = true;  ///< rdma_write_imm is there: a write can tell the peer of itself
    bool tagged = false;          ///< Nic::tagged_port() gives one
    bool adapter_memory = false;  ///< Home::adapter is available
    bool maps_allocated = false;  ///< peers reach allocated memory better than registered memory
    unsigned ports = 1;

    Bytes max_message;
    Bytes max_inline;
    std::uint32_t max_slices = 1;
    std::uint32_t max_send_depth = 0;
    std::uint32_t max_queue_pairs = 0;
    /// From this size on, `bulk` beats a send through intermediate buffers.
    Bytes bulk_threshold;

    /// The MPI library that the interconnect's users had, as settings of ours, by name. Empty: none
    /// is known.
    std::vector<std::pair<std::string, std::string>> mpi_settings{};
};

}  // namespace railyard::fabric
