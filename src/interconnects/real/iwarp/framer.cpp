#include "interconnects/real/iwarp/framing.hpp"

#include <array>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/crc32c.hpp"

namespace railyard::iwarp::mpa {

namespace {

// One run of bytes is sent faster than three vectors. Of a frame that has others before it, this is
// no matter.
constexpr std::size_t copied_if_first = 4096;

std::size_t places_of(Cursor payload, std::size_t length) {
    std::size_t count = 0;
    for (; length > 0; ++count) {
        const std::size_t n = std::min(payload.here().size(), length);
        payload.advance(n);
        length -= n;
    }
    return count;
}

}  // namespace

bool Framer::frame(Outbox& out, std::span<const std::byte> head, Cursor& payload,
                   std::size_t length, bool may_change) {
    const std::size_t size = frame_size(head.size() + length);
    const bool alone = out.empty() && length <= copied_if_first && !framing_.markers;
    const std::size_t copied = alone || length <= copied_up_to ? length : 0;
    std::size_t bytes = size - length + copied;
    std::size_t vectors = 2 + (copied == length ? 0 : places_of(payload, length));
    if (framing_.markers) {
        const std::size_t markers =
            1 + markers_inside(position_ % marker_interval, size + marker_size);
        bytes += markers * marker_size;
        vectors += 2 * markers;
    }
    if (!out.has_room(bytes, vectors)) return false;
    // What frame_plain() copies has its CRC from the copy.
    if (may_change && framing_.crc && length > 0 && (copied < length || framing_.markers)) {
        const Place copy{out.keep(length), length, Lease()};
        payload.read({copy.data, length});
        Cursor copied_payload({&copy, 1});
        return frame(out, head, copied_payload, length);
    }
    if (framing_.markers) {
        frame_marked(out, head, payload, length);
    } else {
        frame_plain(out, head, payload, length, copied == length);
    }
    return true;
}

void Framer::frame_plain(Outbox& out, std::span<const std::byte> head, Cursor& payload,
                         std::size_t length, bool copies) const {
    const std::size_t ulpdu = head.size() + length;
    const std::size_t tail = pad_of(ulpdu) + crc_size;
    Crc32c crc;
    if (copies) {  // one run of bytes
        const std::size_t size = frame_size(ulpdu);
        std::byte* const at = out.add(size);
        store16(at, static_cast<std::uint16_t>(ulpdu));
        copy_bytes(at + length_size, head.data(), head.size());
        payload.read({at + length_size + head.size(), length});
        std::memset(at + size - tail, 0, tail);
        if (framing_.crc) {
            crc.add({at, size - crc_size});
            store_crc(at + size - crc_size, crc.value());
        }
        return;
    }
    std::byte* const at = out.add(length_size + head.size());
    store16(at, static_cast<std::uint16_t>(ulpdu));
    copy_bytes(at + length_size, head.data(), head.size());
    if (framing_.crc) crc.add({at, length_size + head.size()});
    while (length > 0) {
        const std::span<std::byte> here = payload.here();
        const std::size_t n = std::min(here.size(), length);
        out.refer(here.data(), n);
        if (framing_.crc) crc.add(here.first(n));
        payload.advance(n);
        length -= n;
    }
    std::byte* const end = out.add(tail);
    std::memset(end, 0, tail);
    if (!framing_.crc) return;
    crc.add({end, tail - crc_size});
    store_crc(end + tail - crc_size, crc.value());
}

/// Writes one frame and breaks it up with Markers, which the CRC covers.
class Framer::Writer {
  public:
    Writer(Framer& framer, Outbox& out) : framer_(framer), out_(out) {}

    void copy(std::span<const std::byte> bytes) {
        in_parts(bytes, [&](std::span<const std::byte> part) {
            std::memcpy(out_.add(part.size()), part.data(), part.size());
        });
    }
    void refer(std::span<const std::byte> bytes) {
        in_parts(bytes,
                 [&](std::span<const std::byte> part) { out_.refer(part.data(), part.size()); });
    }
    /// A Marker between pad and CRC belongs to this frame: the CRC covers it.
    std::uint32_t crc() {
        marker_if_due();
        return crc_.value();
    }

  private:
    template <class Emit>
    void in_parts(std::span<const std::byte> bytes, const Emit& emit) {
        while (!bytes.empty()) {
            marker_if_due();
            const std::size_t room = marker_interval - framer_.position_ % marker_interval;
            const std::span<const std::byte> part = bytes.first(std::min(room, bytes.size()));
            emit(part);
            if (framer_.framing_.crc) crc_.add(part);
            framer_.position_ += part.size();
            since_length_field_ += part.size();
            bytes = bytes.subspan(part.size());
        }
    }
    void marker_if_due() {
        if (framer_.position_ % marker_interval != 0) return;
        std::byte* const at = out_.add(marker_size);
        store16(at, 0);
        store16(at + 2, static_cast<std::uint16_t>(since_length_field_));
        if (framer_.framing_.crc) crc_.add({at, marker_size});
        framer_.position_ += marker_size;
        // One right before the length field is the frame's, but no part of the distance.
        if (since_length_field_ > 0) since_length_field_ += marker_size;
    }

    Framer& framer_;
    Outbox& out_;
    Crc32c crc_;
    std::size_t since_length_field_ = 0;
};

void Framer::frame_marked(Outbox& out, std::span<const std::byte> head, Cursor& payload,
                          std::size_t length) {
    const std::size_t ulpdu = head.size() + length;
    Writer writer(*this, out);
    std::array<std::byte, length_size> announced;
    store16(announced.data(), static_cast<std::uint16_t>(ulpdu));
    writer.copy(announced);
    writer.copy(head);
    const bool short_one = length <= copied_up_to;
    while (length > 0) {
        const std::span<std::byte> here = payload.here();
        const std::span<const std::byte> part = here.first(std::min(here.size(), length));
        if (short_one) {
            writer.copy(part);
        } else {
            writer.refer(part);
        }
        payload.advance(part.size());
        length -= part.size();
    }
    std::array<std::byte, 4> zeros{};
    writer.copy(std::span(zeros).first(pad_of(ulpdu)));
    const std::uint32_t crc = writer.crc();
    if (framing_.crc) store_crc(zeros.data(), crc);
    writer.copy(zeros);
}

}  // namespace railyard::iwarp::mpa
