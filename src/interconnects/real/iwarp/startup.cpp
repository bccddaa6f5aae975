#include "interconnects/real/iwarp/startup.hpp"

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

/// As far as it is there: a stranger who speaks something else is not waited for.
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

}  // namespace railyard::iwarp::mpa
