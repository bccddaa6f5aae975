#pragma once
/// What an iWARP peer says on one connection, by a grammar: all of it legal, with what must come of
/// it, or spoilt in one place.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "interconnects/real/iwarp/handshake.hpp"
#include "interconnects/real/iwarp/names.hpp"
#include "interconnects/real/iwarp/support.hpp"
#include "soak/traffic/random.hpp"

namespace railyard::iwarp::testing {

/// Whom the script is for.
struct Victim {
    NicName name;
    std::uint64_t service = 0;
    bool takes_strangers = false;  ///< requests without our Hello
    bool wants_markers = false;
    bool wants_crc = true;
    TaggedBuffer open;              ///< memory that peers may read and write
    std::uint32_t closed_stag = 0;  ///< memory that they may not
};

struct Script {
    enum class End : std::uint8_t { half_closes, closes, resets };
    /// A message that arrives, if all is legal.
    struct Arrival {
        Buffer bytes;
        std::optional<std::uint32_t> immediate;
    };

    Buffer request;
    std::vector<Buffer> frames;          ///< once the reply is there
    std::size_t piece = ~std::size_t{};  ///< it says so many bytes at a time
    End end = End::half_closes;
    bool stays = false;  ///< it does not end by itself

    bool is_legal = false;  ///< then:
    Buffer memory;          ///< what the open memory holds in the end
    std::vector<Arrival> arrivals;
    std::vector<Buffer> answers;  ///< to its Reads and atomics, in order

    bool is_answered = false;  ///< the request is a good one
    bool must_fail = false;    ///< the connection fails, though the peer stays
};

/// `memory`: what the open memory holds now.
Script draw_script(std::uint64_t seed, const Victim& victim, const Buffer& memory);

/// Receives that a legal script needs at most, and how long its messages are.
inline constexpr std::size_t most_arrivals = 12;
inline constexpr std::size_t longest_arrival = 256;

}  // namespace railyard::iwarp::testing
