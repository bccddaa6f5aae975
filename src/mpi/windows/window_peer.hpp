#pragma once
/// What one rank of a window knows of another: its memory, and what is under way between the two.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/types/error.hpp"
#include "mpi/windows/attachments.hpp"
#include "mpi/windows/rma_packet.hpp"
#include "mpi/windows/shared_words.hpp"
#include "railyard/memory.hpp"

namespace railyard::mpi {

struct ImportedMemory {
    std::uint64_t version = 0;  ///< of an attachment
    std::unique_ptr<fabric::RemoteRegion> region;
};

/// What this rank and another have to do with each other.
struct WindowPeer {
    bool is_direct = false;
    std::uintptr_t base = 0;  ///< of its memory, as its displacements count from
    std::uint64_t size = 0;
    std::uint64_t unit = 1;
    SharedWords* words = nullptr;      ///< its own; null: they are out of reach
    fabric::RegionBlob remote_memory;  ///< for RDMA, or the kernel's copies
    fabric::RegionBlob remote_words;
    /// For the kernel's copies, imported when first used: of a created window, the first.
    std::vector<ImportedMemory> kernel_memory;
    Attachments* attachments = nullptr;  ///< to a dynamic window, for the kernel's copies
    std::size_t last_attachment = 0;     ///< the one that was used last
    Visits* ours = nullptr;              ///< our visits to it; null: we make none
    Visits* theirs = nullptr;            ///< its visits to us

    // As a target of ours.
    bool is_touched = false;          ///< in touched_
    bool is_unflushed = false;        ///< operations were sent since the last flush
    bool is_granted = false;          ///< our lock
    bool has_unacknowledged = false;  ///< an unlock that nobody waited for
    std::uint32_t flushes = 0;
    std::uint32_t acks = 0;
    std::uint32_t fetching = 0;  ///< operations whose data have not come yet
    std::uint32_t leaving = 0;   ///< puts whose data have not left yet
    std::uint32_t visits = 0;    ///< begun
    std::uint32_t posts = 0;     ///< exposures to us that no start has met yet

    // As an origin of operations on our memory.
    std::uint32_t visited = 0;               ///< visits of its that are done
    std::uint32_t arriving = 0;              ///< puts whose data have not come yet
    std::vector<RmaHeader> held;             ///< what must wait for them
    std::uint32_t completes = 0;             ///< epochs of its that no wait has met yet
    ErrorClass fault = ErrorClass::success;  ///< of its operations, not yet told
};

}  // namespace railyard::mpi
