#pragma once
/// How a program becomes a rank: what its launcher tells it, in one environment variable, and how
/// it attaches to that launcher, or is a job of its own.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/shared_memory.hpp"
#include "launch/job/rank.hpp"

namespace railyard::job {

/// What a launcher tells a program that it starts as a rank, so that the program can find the
/// others.
struct Invitation {
    static constexpr const char* variable = "RAILYARD_JOB";

    int rank = 0;
    SharedMemory::Handle board;
    int frames_fd = -1;              ///< inherited
    std::uint64_t frames_inode = 0;  ///< guards against a descriptor that was closed and used again
    bool shares_core = false;
    SharedMemory::Handle kept{};  ///< kept_memory.hpp; none: an empty handle
    std::string fabric;

    std::string text() const;
    /// None if it is not such a text.
    static std::optional<Invitation> parse(std::string_view text);

    friend bool operator==(const Invitation&, const Invitation&) = default;
};

/// Which file a descriptor is; 0 if it is none.
std::uint64_t inode_of(int fd);

/// Once in a process. Without a launcher, a job of one rank. The rank takes leave of the others
/// when it is destroyed; to end the process before that is a failure of the job. Whatever this
/// process starts is no rank any more. Throws Error.
std::unique_ptr<Rank> join();

/// The same for a process that another process manager has started, and that has its bootstrap by
/// now. `fabrics`: the one inside a node, and after a plus the one between nodes where the first
/// does not cross them ("shm+iwarp"). Nobody gets what the rank delivers. Throws UsageError.
std::unique_ptr<Rank> join_by(std::unique_ptr<Bootstrap> bootstrap, std::string_view fabrics,
                              bool shares_core);

}  // namespace railyard::job
