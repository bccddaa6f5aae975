#include "interconnects/real/iwarp/framing.hpp"

#include <algorithm>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/crc32c.hpp"
#include "interconnects/real/iwarp/headers.hpp"

namespace railyard::iwarp::mpa {

/// Bytes of the Marker right before the length field.
std::size_t Deframer::lead() const {
    return framing_.markers && position_ % marker_interval == 0 ? marker_size : 0;
}

std::size_t Deframer::raw_size(std::size_t ulpdu) const {
    const std::size_t plain = frame_size(ulpdu);
    if (!framing_.markers) return plain;
    return lead() + plain + marker_size * markers_inside(position_ + lead(), plain);
}

/// How much of a frame's beginning is needed to go on; more once its first bytes are known.
std::size_t Deframer::head_needed() const {
    const std::size_t announced = lead() + length_size;
    if (whole_frames() || head_have_ < announced) return announced;
    const std::size_t ulpdu = load16(head_.data());
    if (head_have_ == announced) return announced + std::min<std::size_t>(ulpdu, 1);
    return announced + std::min(ulpdu, ddp::header_size(head_[announced]));
}

std::size_t Deframer::feed(std::span<const std::byte> bytes) {
    const std::size_t offered = bytes.size();
    if (waiting_) {
        waiting_ = false;
        if (state_ == State::staging) {
            staging_complete();
        } else if (head_have_ > 0) {
            begin_payload();
        }
    }
    while (!bytes.empty() && !waiting_ && !stopped()) {
        if (state_ == State::head) {
            const bool in_place =
                !framing_.markers && head_have_ == 0 && bytes.size() >= length_size &&
                (framing_.crc || bytes.size() >= frame_size(load16(bytes.data())));
            bytes = in_place ? take_in_place(bytes) : take_head(bytes);
            continue;
        }
        const std::span<const std::byte> part = bytes.first(std::min(left_, bytes.size()));
        bytes = bytes.subspan(part.size());
        if (state_ == State::staging) {
            std::memcpy(staged_->data() + staged_size_ - left_, part.data(), part.size());
            direct_filled(part.size());
        } else if (state_ == State::tail) {
            left_ -= part.size();
            if (left_ == 0) finish(consumer_.end());
        } else if (payload_.write(part)) {
            left_ -= part.size();
            if (left_ == 0) finish_payload();
        } else {
            lose_place();
        }
    }
    return stopped() ? offered : offered - bytes.size();
}

std::span<const std::byte> Deframer::take_head(std::span<const std::byte> bytes) {
    std::size_t needed = head_needed();
    while (head_have_ < needed && !bytes.empty()) {
        const std::size_t n = std::min(needed - head_have_, bytes.size());
        std::memcpy(head_.data() + head_have_, bytes.data(), n);
        head_have_ += n;
        bytes = bytes.subspan(n);
        needed = head_needed();
    }
    if (head_have_ == needed) head_complete();
    return bytes;
}

void Deframer::head_complete() {
    if (!whole_frames()) return begin_payload();
    staged_ = pool_.take();
    std::memcpy(staged_->data(), head_.data(), head_have_);
    staged_size_ = raw_size(load16(head_.data() + lead()));
    left_ = staged_size_ - head_have_;
    state_ = State::staging;
}

/// A frame that is all there needs no staging: it is checked where it lies. If it is not, it has a
/// CRC, and the rest of it must be waited for.
std::span<const std::byte> Deframer::take_in_place(std::span<const std::byte> bytes) {
    const std::size_t size = frame_size(load16(bytes.data()));
    if (bytes.size() >= size) {
        const std::span<const std::byte> frame = bytes.first(size);
        const std::size_t covered = size - crc_size;
        if (framing_.crc && crc32c(frame.first(covered)) != load_crc(frame.data() + covered)) {
            stop(Fault::crc);
            return bytes;
        }
        return deliver(frame) ? bytes.subspan(size) : bytes;
    }
    staged_ = pool_.take();
    std::memcpy(staged_->data(), bytes.data(), bytes.size());
    staged_size_ = size;
    left_ = size - bytes.size();
    state_ = State::staging;
    return {};
}

void Deframer::begin_payload() {
    const std::size_t ulpdu = load16(head_.data());
    const std::span<const std::byte> head(head_.data() + length_size, head_have_ - length_size);
    switch (consumer_.begin(head, ulpdu, payload_)) {
        case Verdict::wait:
            waiting_ = true;
            return;
        case Verdict::stop:
            state_ = State::stopped;
            return;
        case Verdict::go:
            state_ = State::payload;
            left_ = ulpdu - head.size();
            if (left_ == 0) finish_payload();
    }
}

void Deframer::finish_payload() {
    state_ = State::tail;
    left_ = pad_of(load16(head_.data())) + crc_size;
}

void Deframer::staging_complete() {
    const std::span<std::byte> raw(staged_->data(), staged_size_);
    if (!checked_) {
        const std::size_t covered = raw.size() - crc_size;
        if (framing_.crc && crc32c(raw.first(covered)) != load_crc(raw.data() + covered))
            return stop(Fault::crc);
        if (framing_.markers && !check_markers(raw)) return stop(Fault::marker);
        checked_ = true;
        stripped_ = framing_.markers ? strip_markers(raw).size() : raw.size();
    }
    const std::uint64_t next = position_ + staged_size_;
    if (!deliver(raw.first(stripped_))) return;
    position_ = next;
    checked_ = false;
    pool_.give_back(std::move(staged_));
}

/// A checked frame without Markers. False if the consumer waits.
bool Deframer::deliver(std::span<const std::byte> frame) {
    const std::size_t length = load16(frame.data());
    const std::span<const std::byte> ulpdu = frame.subspan(length_size, length);
    const std::size_t head = length == 0 ? 0 : std::min(length, ddp::header_size(ulpdu[0]));
    switch (consumer_.begin(ulpdu.first(head), length, payload_)) {
        case Verdict::wait:
            waiting_ = true;
            return false;
        case Verdict::stop:
            finish(Verdict::stop);
            return true;
        case Verdict::go:
            break;
    }
    if (payload_.write(ulpdu.subspan(head))) {
        finish(consumer_.end());
    } else {
        lose_place();
    }
    return true;
}

/// Calls `chunk(offset, size)` for the parts of a raw frame between Markers and
/// `marker(offset, distance from the length field)` for the Markers after it.
template <class Chunk, class Marker>
static void walk(std::size_t raw_size, std::size_t lead, std::uint64_t position, const Chunk& chunk,
                 const Marker& marker) {
    for (std::size_t at = lead; at < raw_size;) {
        const std::size_t phase = (position + at) % marker_interval;
        if (phase == 0) {
            marker(at, at - lead);
            at += marker_size;
            continue;
        }
        const std::size_t n = std::min(marker_interval - phase, raw_size - at);
        chunk(at, n);
        at += n;
    }
}

bool Deframer::check_markers(std::span<const std::byte> raw) const {
    constexpr std::uint16_t mask = 0xfffc;  // the low two bits mean nothing
    bool good = lead() == 0 || (load16(raw.data() + 2) & mask) == 0;
    walk(
        raw.size(), lead(), position_, [](std::size_t, std::size_t) {},
        [&](std::size_t at, std::size_t distance) {
            if ((load16(raw.data() + at + 2) & mask) != (distance & mask)) good = false;
        });
    return good;
}

std::span<const std::byte> Deframer::strip_markers(std::span<std::byte> raw) const {
    std::size_t kept = 0;
    walk(
        raw.size(), lead(), position_,
        [&](std::size_t at, std::size_t n) {
            std::memmove(raw.data() + kept, raw.data() + at, n);
            kept += n;
        },
        [](std::size_t, std::size_t) {});
    return raw.first(kept);
}

std::size_t Deframer::direct(std::span<iovec> out) {
    if (waiting_ || out.empty()) return 0;
    if (state_ == State::staging) {
        out[0] = {staged_->data() + staged_size_ - left_, left_};
        return 1;
    }
    if (state_ != State::payload) return 0;
    if (!payload_.holds(left_)) {
        lose_place();
        return 0;
    }
    return payload_.list(out, watched_ ? left_ - 1 : left_);
}

void Deframer::direct_filled(std::size_t n) {
    if (n == 0) return;
    left_ -= n;
    if (state_ == State::staging) {
        if (left_ == 0) staging_complete();
        return;
    }
    payload_.advance(n);
    if (left_ == 0) finish_payload();
}

void Deframer::finish(Verdict verdict) {
    ++frames_;
    head_have_ = 0;
    state_ = verdict == Verdict::stop ? State::stopped : State::head;
}

void Deframer::stop(Fault fault) {
    state_ = State::stopped;
    pool_.give_back(std::move(staged_));
    consumer_.broken(fault);
}

void Deframer::lose_place() {
    state_ = State::stopped;
    consumer_.place_lost();
}

}  // namespace railyard::iwarp::mpa
