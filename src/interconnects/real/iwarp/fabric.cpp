#include "interconnects/real/iwarp/fabric.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "interconnects/real/common/nic.hpp"
#include "interconnects/real/iwarp/framing.hpp"
#include "interconnects/real/iwarp/handshake.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "railyard/base/error.hpp"

namespace railyard::iwarp {

using namespace literals;

namespace {

/// Calls `take(value)` if the variable is set and not empty; what that throws names it.
template <class Take>
void from_variable(const char* variable, const Take& take) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return;
    try {
        take(std::string_view(value));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", variable, error.what()));
    }
}

bool parse_switch(std::string_view text) {
    if (text == "on" || text == "1" || text == "yes") return true;
    if (text == "off" || text == "0" || text == "no") return false;
    throw UsageError(fmt::format("expected on or off, found '{}'", text));
}

template <class Number>
Number number_within(std::string_view text, Number least, Number most) {
    const auto number = parse_number<Number>(text);
    if (!number || *number < least || *number > most)
        throw UsageError(
            fmt::format("expected a number from {} to {}, found '{}'", least, most, text));
    return *number;
}

PortRange parse_ports(std::string_view text) {
    const std::size_t dash = text.find('-');
    PortRange range;
    try {
        range.first = number_within<std::uint16_t>(text.substr(0, dash), 1, 65535);
        range.last = dash == text.npos
                         ? range.first
                         : number_within<std::uint16_t>(text.substr(dash + 1), range.first, 65535);
    } catch (const UsageError&) {
        throw UsageError(
            fmt::format("expected a port or a range such as 5000-5100, found '{}'", text));
    }
    return range;
}

bool parse_progress(std::string_view text) {
    if (text == "calls") return false;
    if (text == "thread") return true;
    throw UsageError(fmt::format("expected calls or thread, found '{}'", text));
}

Duration parse_positive(std::string_view text) {
    const Duration duration = parse_duration(text);
    if (duration < Duration::ms(1))
        throw UsageError(fmt::format("expected at least '1 ms', found '{}'", text));
    return duration;
}

Bytes parse_frame(std::string_view text) {
    const Bytes bytes = parse_bytes(text);
    if (bytes.count() < mpa::least_ulpdu || bytes.count() > mpa::most_ulpdu)
        throw UsageError(fmt::format("expected {} to {} bytes, found '{}'", mpa::least_ulpdu,
                                     mpa::most_ulpdu, text));
    return bytes;
}

fabric::Traits traits_for(const Settings& settings) {
    fabric::Traits t;
    t.name = "iwarp";
    t.description = "RDMA over TCP in user space, on the wire as RFC 5040 to 5044 have it";
    t.clock = fabric::Clock::real;
    t.placement = fabric::Placement::last_byte_last;
    t.progress = settings.progress_thread ? fabric::Progress::thread : fabric::Progress::calls;
    // Answers to Reads leave from where they lie, but with a CRC they are copied first.
    t.bulk = settings.crc ? fabric::Bulk::write : fabric::Bulk::read;
    t.coherent_atomics = true;
    t.crosses_nodes = true;
    t.max_message = 4_GiB - 1_B;  // DDP counts a message's bytes in 32 bits
    t.max_inline = Bytes(max_inline);
    t.max_slices = max_slices;
    t.max_send_depth = 4096;
    t.max_queue_pairs = 8192;
    t.bulk_threshold = 64_KiB;
    return t;
}

}  // namespace

Settings settings_from_environment() {
    Settings settings;
    const auto text = [](auto& member, auto parse) {
        return [&member, parse](std::string_view value) { member = parse(value); };
    };
    const auto requests = [](std::string_view value) {
        return number_within<std::uint16_t>(value, 1, mpa::most_requests);
    };
    const auto service = [](std::string_view value) {
        return number_within<std::uint64_t>(value, 0, std::numeric_limits<std::uint64_t>::max());
    };
    from_variable("RAILYARD_IWARP_ADDRESS",
                  [&](std::string_view value) { settings.address = value; });
    from_variable("RAILYARD_IWARP_PORTS", text(settings.ports, parse_ports));
    from_variable("RAILYARD_IWARP_CRC", text(settings.crc, parse_switch));
    from_variable("RAILYARD_IWARP_MARKERS", text(settings.markers, parse_switch));
    from_variable("RAILYARD_IWARP_PROGRESS", text(settings.progress_thread, parse_progress));
    from_variable("RAILYARD_IWARP_IRD", text(settings.ird, requests));
    from_variable("RAILYARD_IWARP_ORD", text(settings.ord, requests));
    from_variable("RAILYARD_IWARP_FRAME", text(settings.frame, parse_frame));
    from_variable("RAILYARD_IWARP_PLAIN", text(settings.plain_service, service));
    from_variable("RAILYARD_IWARP_PATIENCE", text(settings.patience, parse_positive));
    from_variable("RAILYARD_IWARP_HEARTBEAT", text(settings.heartbeat, parse_positive));
    from_variable("RAILYARD_IWARP_HANDSHAKE", text(settings.handshake, parse_positive));
    return settings;
}

const fabric::Traits& traits() {
    static const fabric::Traits traits = traits_for(settings_from_environment());
    return traits;
}

std::unique_ptr<fabric::Fabric> open() {
    return open(settings_from_environment());
}

std::unique_ptr<fabric::Fabric> open(const Settings& settings) {
    return real::make_fabric(traits_for(settings),
                             [settings](hosts::RealHost& host, const fabric::Traits& traits) {
                                 return std::make_unique<Nic>(host, traits, settings);
                             });
}

}  // namespace railyard::iwarp
