#pragma once
/// MPA's sending side: makes frames of ULPDUs, with padding, CRC, and Markers where the peer wants
/// them. Payload is not copied unless it is so short that a vector of its own would cost more.

#include <cstddef>
#include <cstdint>
#include <span>

#include "interconnects/real/iwarp/mpa.hpp"
#include "interconnects/real/iwarp/outbox.hpp"
#include "interconnects/real/iwarp/place.hpp"

namespace railyard::iwarp::mpa {

class Framer {
  public:
    /// Payload up to this is copied: it then travels in the vector of its header.
    static constexpr std::size_t copied_up_to = 512;
    /// A ULPDU that is not longer, with a list of not more places, always fits an empty Outbox.
    static constexpr std::size_t most_places = 64;
    static constexpr std::size_t longest_head = 80;

    explicit Framer(Framing framing) : framing_(framing) {}

    /// Adds a frame to `out`: `head`, then the next `length` bytes of `payload`, which moves on.
    /// The payload's memory is `out`'s until sent. False if there is no room: then nothing was
    /// done. Payload that `may_change` is copied if there is a CRC: that would be wrong otherwise.
    bool frame(Outbox& out, std::span<const std::byte> head, Cursor& payload, std::size_t length,
               bool may_change = false);

    const Framing& framing() const { return framing_; }

  private:
    class Writer;
    void frame_plain(Outbox& out, std::span<const std::byte> head, Cursor& payload,
                     std::size_t length, bool copies) const;
    void frame_marked(Outbox& out, std::span<const std::byte> head, Cursor& payload,
                      std::size_t length);

    Framing framing_;
    std::uint64_t position_ = 0;  ///< in the stream; counted only where there are Markers
};

}  // namespace railyard::iwarp::mpa
