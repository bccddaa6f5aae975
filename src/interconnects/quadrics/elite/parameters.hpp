#pragma once
/// The numbers of a network of Elite switches, and how closely it is to be followed.

#include <cstdint>

#include "base/rate.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard::elite {

/// Packets: a circuit is set up, used and given back as a whole, in few events. Flits: every flit
/// moves through every FIFO. Where nothing blocks, both give the same times.
enum class Detail : std::uint8_t { packets, flits };

struct Parameters {
    unsigned dimension = 2;  ///< of the quaternary fat tree: 4^dimension nodes
    Detail detail = Detail::packets;
    Rate rate = Rate::bytes_per_second(400'000'000);  ///< of a link, each way
    Bytes flit{2};
    Duration flow_through = Duration::ns(35);  ///< of a switch
    Duration wire;                             ///< of every cable
    unsigned fifo = 128;                       ///< flits that a virtual channel's input holds
    /// Command and CRC of a packet, beside its tags of a flit each: with the three tags of the
    /// largest way among 16 nodes, 20 bytes.
    Bytes framing{14};

    friend bool operator==(const Parameters&, const Parameters&) = default;

    Duration flit_time() const { return flit / rate; }
    /// Those of a payload and its framing, without tags.
    std::uint32_t flits(Bytes payload) const {
        const std::uint64_t bytes = payload.count() + framing.count();
        return static_cast<std::uint32_t>((bytes + flit.count() - 1) / flit.count());
    }
    /// A token, of one flit, over that many switches. It travels beside the data and waits for
    /// nothing.
    Duration token_time(unsigned switches) const {
        return flit_time() + wire + (flow_through + wire) * switches;
    }
};

}  // namespace railyard::elite
