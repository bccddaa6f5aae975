#include "interconnects/real/ofi/module/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::ofi {

NicName::NicName(std::uint64_t number, std::string_view provider, std::string_view host,
                 std::span<const std::vector<std::byte>> ports)
    : id(number) {
    std::size_t needed = provider.size() + 2;
    for (const std::vector<std::byte>& port : ports)
        needed += 1 + port.size();
    if (needed > room)
        throw Error(fmt::format(
            "ofi: provider {}: the addresses of {} domains have {} bytes, and there is "
            "room for {}; use fewer (RAILYARD_OFI_DOMAINS)",
            provider, ports.size(), needed - provider.size() - 2, room - provider.size() - 2));
    char* next = std::ranges::copy(provider, text_.begin()).out + 1;
    next = std::ranges::copy(host.substr(0, room - needed), next).out + 1;
    ends_ = static_cast<std::uint16_t>(next - text_.data());
    ports_ = static_cast<std::uint8_t>(ports.size());
    for (const std::vector<std::byte>& port : ports) {
        *next++ = static_cast<char>(port.size());
        std::memcpy(next, port.data(), port.size());
        next += port.size();
    }
}

/// What came from elsewhere may be anything.
bool NicName::is_valid() const {
    if (magic_ != right_magic || version_ != 2 || ports_ == 0 || ends_ > room) return false;
    const std::span text(text_.data(), ends_);
    if (ends_ == 0 || text.back() != '\0' || std::ranges::count(text, '\0') != 2) return false;
    std::size_t at = ends_;
    for (unsigned port = 0; port < ports_; ++port) {
        if (at >= room) return false;
        at += 1 + static_cast<unsigned char>(text_[at]);
    }
    return at <= room;
}

std::span<const std::byte> NicName::where(unsigned port) const {
    if (port >= ports_) return {};
    std::size_t at = ends_;
    for (unsigned other = 0; other < port; ++other)
        at += 1 + static_cast<unsigned char>(text_[at]);
    const std::size_t size = static_cast<unsigned char>(text_[at]);
    return std::as_bytes(std::span(text_).subspan(at + 1, size));
}

}  // namespace railyard::ofi
