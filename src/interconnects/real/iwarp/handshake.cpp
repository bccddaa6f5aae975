#include "interconnects/real/iwarp/handshake.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp::mpa {

namespace {

constexpr std::string_view request_key = "MPA ID Req Frame";
constexpr std::string_view reply_key = "MPA ID Rep Frame";
constexpr std::uint8_t markers_flag = 0x80;
constexpr std::uint8_t crc_flag = 0x40;
constexpr std::uint8_t reject_flag = 0x20;
constexpr std::uint8_t enhanced_flag = 0x10;
constexpr std::uint16_t high_flag = 0x8000;
constexpr std::uint16_t low_flag = 0x4000;
constexpr std::uint16_t count_mask = 0x3fff;

bool has_enhanced(const std::byte* frame) {
    return load8(frame + 17) >= 2 && (load8(frame + 16) & enhanced_flag) != 0;
}

Enhanced read_enhanced(const std::byte* from) {
    const std::uint16_t first = load16(from);
    const std::uint16_t second = load16(from + 2);
    Enhanced enhanced;
    enhanced.peer_to_peer = (first & high_flag) != 0;
    if (enhanced.peer_to_peer)  // otherwise they mean nothing
        enhanced.rtr = {.send = (first & low_flag) != 0,
                        .write = (second & high_flag) != 0,
                        .read = (second & low_flag) != 0};
    enhanced.ird = first & count_mask;
    enhanced.ord = second & count_mask;
    return enhanced;
}

void write_enhanced(std::byte* to, const Enhanced& enhanced) {
    const RtrKinds rtr = enhanced.peer_to_peer ? enhanced.rtr : RtrKinds{};
    store16(to,
            static_cast<std::uint16_t>((enhanced.peer_to_peer ? high_flag : 0) |
                                       (rtr.send ? low_flag : 0) | (enhanced.ird & count_mask)));
    store16(to + 2,
            static_cast<std::uint16_t>((rtr.write ? high_flag : 0) | (rtr.read ? low_flag : 0) |
                                       (enhanced.ord & count_mask)));
}

}  // namespace

void StartupFrame::set_private_data(std::span<const std::byte> data) {
    if (data.size() > most_private_data - (enhanced ? enhanced_size : 0))
        throw UsageError("iwarp: private data of a connection: at most 508 bytes");
    private_size = static_cast<std::uint16_t>(data.size());
    std::copy(data.begin(), data.end(), private_bytes.begin());
}

std::size_t StartupFrame::write(std::byte* to) const {
    std::memcpy(to, (reply ? reply_key : request_key).data(), request_key.size());
    store8(to + 16,
           static_cast<std::uint8_t>((markers ? markers_flag : 0) | (crc ? crc_flag : 0) |
                                     (reject ? reject_flag : 0) | (enhanced ? enhanced_flag : 0)));
    store8(to + 17, revision);
    const std::size_t extra = enhanced ? enhanced_size : 0;
    store16(to + 18, static_cast<std::uint16_t>(private_size + extra));
    if (enhanced) write_enhanced(to + startup_header_size, *enhanced);
    std::memcpy(to + startup_header_size + extra, private_bytes.data(), private_size);
    return startup_header_size + extra + private_size;
}

std::size_t StartupReader::feed(std::span<const std::byte> bytes) {
    std::size_t used = 0;
    while (used < bytes.size() && missing() > 0) {
        const std::size_t n = std::min(missing(), bytes.size() - used);
        std::memcpy(bytes_.data() + have_, bytes.data() + used, n);
        const bool header_was_complete = have_ >= startup_header_size;
        have_ += n;
        used += n;
        if (header_was_complete) continue;
        error_ = have_ < startup_header_size ? check_key() : check_header();
    }
    return used;
}

/// As far as it is there: a client that speaks something else is not waited for.
StartupError StartupReader::check_key() const {
    const std::size_t n = std::min(have_, request_key.size());
    const auto begins_with = [&](std::string_view key) {
        return std::memcmp(bytes_.data(), key.data(), n) == 0;
    };
    if (begins_with(expects_reply_ ? reply_key : request_key)) return StartupError::none;
    if (!begins_with(expects_reply_ ? request_key : reply_key)) return StartupError::wrong_key;
    if (n < request_key.size()) return StartupError::none;  // the other kind's, so far
    return expects_reply_ ? StartupError::both_asked : StartupError::nobody_asked;
}

StartupError StartupReader::check_header() {
    if (const StartupError key = check_key(); key != StartupError::none) return key;
    const std::uint8_t revision = load8(bytes_.data() + 17);
    if (revision < 1 || revision > 2) return StartupError::revision;
    const std::size_t size = load16(bytes_.data() + 18);
    if (size > most_private_data || (has_enhanced(bytes_.data()) && size < enhanced_size))
        return StartupError::private_data;
    needed_ = startup_header_size + size;
    return StartupError::none;
}

StartupFrame StartupReader::frame() const {
    StartupFrame frame;
    const std::uint8_t flags = load8(bytes_.data() + 16);
    frame.reply = expects_reply_;
    frame.markers = (flags & markers_flag) != 0;
    frame.crc = (flags & crc_flag) != 0;
    frame.reject = expects_reply_ && (flags & reject_flag) != 0;
    frame.revision = load8(bytes_.data() + 17);
    std::size_t at = startup_header_size;
    if (has_enhanced(bytes_.data())) {
        frame.enhanced = read_enhanced(bytes_.data() + at);
        at += enhanced_size;
    }
    frame.set_private_data({bytes_.data() + at, needed_ - at});
    return frame;
}

namespace {

/// The first of these that both know: a Write costs the least, a Send costs a receive.
Rtr choose(const RtrKinds& ours, const RtrKinds& theirs) {
    if (ours.write && theirs.write) return Rtr::write;
    if (ours.read && theirs.read) return Rtr::read;
    if (ours.send && theirs.send) return Rtr::send;
    return Rtr::none;
}

RtrKinds only(Rtr rtr) {
    return {.send = rtr == Rtr::send, .write = rtr == Rtr::write, .read = rtr == Rtr::read};
}

/// What one side may have under way, if the other serves `served`.
std::uint16_t limited_by(std::uint16_t wanted, std::uint16_t served) {
    return served == not_negotiated ? wanted : std::min(wanted, served);
}

void set_framing(Agreement& agreement, bool crc, bool we_want_markers, bool they_want_markers) {
    agreement.in = {crc, we_want_markers};
    agreement.out = {crc, they_want_markers};
}

}  // namespace

Initiator::Initiator(const Wishes& wishes, std::span<const std::byte> private_data)
    : wishes_(wishes) {
    StartupFrame request;
    request.markers = wishes.markers;
    request.crc = wishes.crc;
    request.revision = wishes.revision;
    if (wishes.revision >= 2)
        request.enhanced = Enhanced{.peer_to_peer = wishes.peer_to_peer,
                                    .rtr = wishes.rtr,
                                    .ird = wishes.ird,
                                    .ord = wishes.ord};
    request.set_private_data(private_data);
    output_.set(request);
}

std::size_t Initiator::feed(std::span<const std::byte> bytes) {
    const std::size_t used = reader_.feed(bytes);
    if (state_ != State::asking) return used;
    if (reader_.error() != StartupError::none) {
        fail(reader_.error());
    } else if (reader_.complete()) {
        understand();
    }
    return used;
}

void Initiator::understand() {
    reply_ = reader_.frame();
    if (reply_->reject) {
        state_ = State::rejected;
        return;
    }
    // What was asked for in revision 2 is answered so; what was not is not.
    const bool asked_enhanced = wishes_.revision >= 2;
    if (asked_enhanced != reply_->enhanced.has_value() || reply_->revision > wishes_.revision)
        return fail(StartupError::wrong_answer);
    set_framing(agreement_, wishes_.crc || reply_->crc, wishes_.markers, reply_->markers);
    agreement_.ird = wishes_.ird;
    agreement_.ord = wishes_.ord;
    agreement_.enhanced = asked_enhanced;
    if (asked_enhanced) {
        const Enhanced& theirs = *reply_->enhanced;
        if (theirs.peer_to_peer != wishes_.peer_to_peer) return fail(StartupError::wrong_answer);
        agreement_.ord = limited_by(wishes_.ord, theirs.ird);
        if (theirs.ord != not_negotiated && theirs.ord > wishes_.ird)
            return fail(StartupError::wrong_answer, Fault::insufficient_ird);
        if (wishes_.peer_to_peer) {
            agreement_.rtr = choose(wishes_.rtr, theirs.rtr);
            if (agreement_.rtr == Rtr::none)
                return fail(StartupError::wrong_answer, Fault::no_matching_rtr);
            // The Read that says "ready" takes a place, too; the peer has one for it.
            if (agreement_.rtr == Rtr::read)
                agreement_.ord = std::max<std::uint16_t>(agreement_.ord, 1);
        }
    }
    state_ = State::agreed;
}

void Initiator::fail(StartupError error, std::optional<Fault> terminate) {
    state_ = State::failed;
    error_ = error;
    terminate_ = terminate;
}

std::size_t Answerer::feed(std::span<const std::byte> bytes) {
    const std::size_t used = reader_.feed(bytes);
    if (state_ != State::listening) return used;
    if (reader_.error() != StartupError::none) {
        state_ = State::failed;
    } else if (reader_.complete()) {
        request_ = reader_.frame();
        state_ = State::asked;
    }
    return used;
}

const Agreement& Answerer::accept(const Wishes& wishes, std::span<const std::byte> private_data) {
    StartupFrame reply;
    reply.reply = true;
    reply.revision = request_->revision;
    reply.crc = wishes.crc || request_->crc;
    reply.markers = wishes.markers;
    set_framing(agreement_, reply.crc, wishes.markers, request_->markers);
    agreement_.ird = wishes.ird;
    agreement_.ord = wishes.ord;
    if (request_->enhanced) {
        const Enhanced& theirs = *request_->enhanced;
        Enhanced ours{.peer_to_peer = theirs.peer_to_peer};
        agreement_.enhanced = true;
        if (theirs.peer_to_peer) {
            agreement_.rtr = choose(wishes.rtr, theirs.rtr);
            // Nothing in common: what we know, so that the other side can say that it does not.
            ours.rtr = agreement_.rtr == Rtr::none ? wishes.rtr : only(agreement_.rtr);
        }
        agreement_.ord = limited_by(wishes.ord, theirs.ird);
        ours.ord = theirs.ird == not_negotiated ? not_negotiated : agreement_.ord;
        if (theirs.ord == not_negotiated) {
            ours.ird = not_negotiated;
        } else {  // no more than is asked for, but room for a Read that says "ready"
            const std::uint16_t needed = agreement_.rtr == Rtr::read ? 1 : 0;
            agreement_.ird = std::max(needed, std::min(wishes.ird, theirs.ord));
            ours.ird = agreement_.ird;
        }
        reply.enhanced = ours;
    }
    reply.set_private_data(private_data);
    output_.set(reply);
    state_ = State::accepted;
    return agreement_;
}

void Answerer::reject(std::span<const std::byte> private_data) {
    StartupFrame reply;
    reply.reply = true;
    reply.reject = true;
    reply.revision = request_->revision;
    reply.crc = request_->crc;
    if (request_->enhanced)
        reply.enhanced = Enhanced{.peer_to_peer = request_->enhanced->peer_to_peer,
                                  .rtr = request_->enhanced->rtr,
                                  .ird = request_->enhanced->ord,
                                  .ord = request_->enhanced->ird};
    reply.set_private_data(private_data);
    output_.set(reply);
    state_ = State::rejected;
}

}  // namespace railyard::iwarp::mpa
