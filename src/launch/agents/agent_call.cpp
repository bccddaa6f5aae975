#include "launch/agents/agent_call.hpp"

#include <fmt/format.h>

#include <charconv>

#include "railyard/base/error.hpp"

namespace railyard::cluster {

namespace {

constexpr std::string_view first_line = "railyard agent 1";

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

template <class Number>
bool read(std::string_view line, Number& into) {
    const char* end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data(), end, into);
    return error == std::errc{} && stop == end;
}

}  // namespace

std::string AgentCall::text() const {
    std::string lines = fmt::format("{}\n{}\n{}\n{}\n{}\n", first_line, secret.hex(), host, name,
                                    heartbeat.picoseconds());
    for (const std::string& address : addresses)
        lines += address + '\n';
    return lines + '\n';
}

std::optional<AgentCall> AgentCall::parse(std::string_view text) {
    if (take_line(text) != first_line) return std::nullopt;
    std::optional<AgentCall> read_secret;
    try {
        read_secret = AgentCall{
            .secret = channel::Secret::parse(take_line(text)), .name = {}, .addresses = {}};
    } catch (const UsageError&) {
        return std::nullopt;
    }
    AgentCall& call = *read_secret;
    std::int64_t picoseconds = 0;
    if (!read(take_line(text), call.host)) return std::nullopt;
    call.name = take_line(text);
    if (!read(take_line(text), picoseconds)) return std::nullopt;
    call.heartbeat = Duration::ps(picoseconds);
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.empty()) return call;
        call.addresses.emplace_back(line);
    }
    return std::nullopt;
}

}  // namespace railyard::cluster
