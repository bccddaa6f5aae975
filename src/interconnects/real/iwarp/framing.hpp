#pragma once
/// MPA (RFC 5044): its frames (FPDUs) in the byte stream, cut out of what comes in and made for
/// what goes out.
///
///     [Marker] | length (2) | ULPDU | pad (0..3) | CRC (4)
///
/// Markers every 512 bytes, if asked for.

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "interconnects/real/iwarp/outbox.hpp"
#include "interconnects/real/iwarp/tags.hpp"

namespace railyard::iwarp::mpa {

inline constexpr std::size_t length_size = 2;
inline constexpr std::size_t crc_size = 4;
inline constexpr std::size_t marker_size = 4;
inline constexpr std::size_t marker_interval = 512;  ///< from one Marker's first byte to the next's
inline constexpr std::size_t least_ulpdu = 128;      ///< the least that an MULPDU may be
inline constexpr std::size_t most_ulpdu = 64768;     ///< the most that may be sent

/// What the two sides agreed on for one direction.
struct Framing {
    bool crc = true;
    bool markers = false;
    friend bool operator==(const Framing&, const Framing&) = default;
};

constexpr std::size_t pad_of(std::size_t ulpdu) {
    return (0 - (length_size + ulpdu)) % 4;
}
/// A frame without Markers.
constexpr std::size_t frame_size(std::size_t ulpdu) {
    return length_size + ulpdu + pad_of(ulpdu) + crc_size;
}
/// Markers inside a frame of `size` bytes (without them) whose length field is at `position` of the
/// stream. One right before the length field is not counted, nor one right after the CRC: that is
/// the next frame's.
constexpr std::size_t markers_inside(std::uint64_t position, std::size_t size) {
    const std::size_t room = marker_interval - position % marker_interval;
    if (size <= room) return 0;
    constexpr std::size_t between = marker_interval - marker_size;
    return (size - room + between - 1) / between;
}
/// The longest frame that a length field can announce, with all Markers.
inline constexpr std::size_t longest_frame = [] {
    const std::size_t plain = frame_size(65535);
    return marker_size + plain + (markers_inside(marker_size, plain) + 1) * marker_size;
}();

/// MULPDU: how long a ULPDU may be so that its frame fits into one TCP segment of `emss` bytes.
constexpr std::size_t ulpdu_for_segment(std::size_t emss, bool markers) {
    const std::size_t marker_bytes =
        markers ? marker_size * ((emss + marker_interval - 1) / marker_interval) : 0;
    const std::size_t overhead = length_size + crc_size + marker_bytes + emss % 4;
    return std::clamp(emss > overhead ? emss - overhead : 0, least_ulpdu, most_ulpdu);
}

/// What MPA itself finds wrong. Codes of a Terminate's layer 2, type 0.
enum class Fault : std::uint8_t {
    lost = 0x01,
    crc = 0x02,
    marker = 0x03,
    bad_startup = 0x04,
    local = 0x05,
    insufficient_ird = 0x06,
    no_matching_rtr = 0x07,
};

}  // namespace railyard::iwarp::mpa

namespace railyard::iwarp {

/// Where frames that came in part wait for their rest. Lent for as long as that takes, so that idle
/// connections hold none; kept for the next, so that a busy Nic does not allocate.
class StagingPool {
  public:
    using Buffer = std::array<std::byte, mpa::longest_frame>;
    using Handle = std::unique_ptr<Buffer>;

    Handle take() {
        if (spare_.empty()) return Handle(new Buffer);  // bytes are written before they are read
        Handle buffer = std::move(spare_.back());
        spare_.pop_back();
        return buffer;
    }
    void give_back(Handle buffer) {
        if (buffer && spare_.size() < most_spare) spare_.push_back(std::move(buffer));
    }
    std::size_t spare() const { return spare_.size(); }

  private:
    static constexpr std::size_t most_spare = 16;
    std::vector<Handle> spare_;
};

}  // namespace railyard::iwarp

namespace railyard::iwarp::mpa {

/// MPA's sending side: makes frames of ULPDUs, with padding, CRC, and Markers where the peer wants
/// them. Payload is not copied unless it is so short that a vector of its own would cost more.
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

/// What DDP tells MPA about a frame.
enum class Verdict : std::uint8_t {
    go,    ///< place it
    wait,  ///< not now: ask again when fed again
    stop,  ///< an error: drop this and all that comes
};

/// The layer above.
class Consumer {
  public:
    virtual ~Consumer() = default;
    /// A ULPDU of `length` bytes begins with `head`: its DDP header, or less if it is shorter than
    /// that. Every check is made here; on `go`, `payload` says where the rest is to go. Nothing is
    /// placed before.
    virtual Verdict begin(std::span<const std::byte> head, std::size_t length, Cursor& payload) = 0;
    /// All of it is in place.
    virtual Verdict end() = 0;
    /// The memory it was going to has gone in the meantime. No more of it will be placed.
    virtual void place_lost() = 0;
    /// CRC or Markers are wrong. Nothing of the frame was placed, unless without CRC.
    virtual void broken(Fault fault) = 0;
};

/// MPA's receiving side: finds frames in the byte stream, however that is cut, checks CRC and
/// Markers, and brings each payload to where the layer above says.
///
/// With CRC or Markers a frame is first whole and checked, then placed. Without them payload is on
/// its way to its place from the moment its header was understood; direct() then says where the
/// bytes that come next belong, so that the socket can be read straight into it:
///
///     vectors = direct() + own buffer;  n = readv(vectors)
///     direct_filled(part of n that went there);  feed(the rest)
class Deframer {
  public:
    /// Pool and consumer must outlive it. `watched`: another thread may look for the last byte of
    /// a payload, which then is never read straight into its place: the kernel's copy is in no
    /// order that another processor could rely on.
    Deframer(Framing framing, StagingPool& pool, Consumer& consumer, bool watched = false)
        : framing_(framing), watched_(watched), pool_(pool), consumer_(consumer) {}
    ~Deframer() { pool_.give_back(std::move(staged_)); }
    Deframer(const Deframer&) = delete;
    Deframer& operator=(const Deframer&) = delete;

    /// Takes bytes of the stream and says how many. Fewer than there are only if the consumer
    /// waits: the rest, which may be nothing, is the caller's to keep and to feed again.
    std::size_t feed(std::span<const std::byte> bytes);

    /// Where the next bytes of the stream belong; none if that is not known yet.
    std::size_t direct(std::span<iovec> out);
    /// The first `n` bytes of direct() have been filled.
    void direct_filled(std::size_t n);

    bool waiting() const { return waiting_; }
    bool stopped() const { return state_ == State::stopped; }
    /// Between frames: the only place where a stream may end.
    bool at_boundary() const { return state_ == State::head && head_have_ == 0; }
    std::uint64_t frames() const { return frames_; }

  private:
    enum class State : std::uint8_t { head, payload, tail, staging, stopped };

    bool whole_frames() const { return framing_.crc || framing_.markers; }
    std::size_t head_needed() const;
    std::size_t lead() const;
    std::size_t raw_size(std::size_t ulpdu) const;

    std::span<const std::byte> take_head(std::span<const std::byte> bytes);
    std::span<const std::byte> take_in_place(std::span<const std::byte> bytes);
    void head_complete();
    void begin_payload();
    void finish_payload();
    void staging_complete();
    bool deliver(std::span<const std::byte> raw);
    bool check_markers(std::span<const std::byte> raw) const;
    std::span<const std::byte> strip_markers(std::span<std::byte> raw) const;
    void finish(Verdict verdict);
    void stop(Fault fault);
    void lose_place();

    Framing framing_;
    bool watched_;
    State state_ = State::head;
    bool waiting_ = false;
    bool checked_ = false;  ///< the staged frame, which waits
    StagingPool& pool_;
    Consumer& consumer_;

    std::array<std::byte, 24> head_;  ///< Marker, length field, DDP header
    std::size_t head_have_ = 0;
    Cursor payload_;
    std::size_t left_ = 0;  ///< bytes to come in this state
    StagingPool::Handle staged_;
    std::size_t staged_size_ = 0;
    std::size_t stripped_ = 0;
    std::uint64_t position_ = 0;  ///< of this frame in the stream; counted only with Markers
    std::uint64_t frames_ = 0;
};

}  // namespace railyard::iwarp::mpa
