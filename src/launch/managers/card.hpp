#pragma once
/// What a rank tells the others of itself by its process manager: where it runs, and what ranks of
/// its node and of others need to watch over it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_memory.hpp"

namespace railyard::managers {

/// Where a process runs: those who have the same can share memory. Neither a host's name nor what a
/// launcher says of nodes tells that, as there are containers.
struct Place {
    std::uint64_t boot = 0;         ///< of this start of this kernel
    std::uint64_t processes = 0;    ///< namespace of process numbers
    std::uint64_t descriptors = 0;  ///< namespace of inter-process communication

    static Place here();
    friend auto operator<=>(const Place&, const Place&) = default;
};

/// Where the first rank of a node listens for that of another. Whoever connects shows the token.
struct Listening {
    std::uint64_t token = 0;
    int port = 0;  ///< 0: it does not
    std::vector<std::string> addresses{};
    friend bool operator==(const Listening&, const Listening&) = default;
};

struct Card {
    Place place;
    int node = 0;                  ///< by the launcher's variables, where it has any
    SharedMemory::Handle share{};  ///< of the node's first rank: node_share.hpp
    Listening listening{};

    std::string text() const;
    /// None if it is not such a text.
    static std::optional<Card> parse(std::string_view text);
    friend bool operator==(const Card&, const Card&) = default;
};

}  // namespace railyard::managers
