#pragma once
/// What a launcher tells a program that it starts as a rank, so that the program can find the
/// others: one environment variable.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/shared_memory.hpp"

namespace railyard::job {

struct Invitation {
    static constexpr const char* variable = "RAILYARD_JOB";

    int rank = 0;
    SharedMemory::Handle board;
    int frames_fd = -1;              ///< inherited
    std::uint64_t frames_inode = 0;  ///< guards against a descriptor that was closed and used again
    bool shares_core = false;
    std::string fabric;

    std::string text() const;
    /// None if it is not such a text.
    static std::optional<Invitation> parse(std::string_view text);

    friend bool operator==(const Invitation&, const Invitation&) = default;
};

/// Which file a descriptor is; 0 if it is none.
std::uint64_t inode_of(int fd);

}  // namespace railyard::job
