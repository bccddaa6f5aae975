#include "launch/agents/host_messages.hpp"

#include <fmt/format.h>

#include "base/frames.hpp"
#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::agents {

namespace {

/// What was read, if it was all there.
template <class T>
std::optional<T> if_complete(const FieldReader& fields, T value) {
    if (!fields.complete()) return std::nullopt;
    return value;
}

void write(FieldWriter& out, const job::Program& program) {
    out.number(static_cast<std::uint64_t>(program.ranks)).texts(program.arguments);
    out.number(program.environment.size());
    for (const auto& [name, value] : program.environment)
        out.text(name).text(value);
    out.text(program.directory).texts(program.folders);
}

job::Program read_program(FieldReader& in) {
    constexpr std::size_t two_numbers = 16;
    job::Program program;
    // Nobody has so many; but a number of ours must not become negative by somebody else's mistake.
    program.ranks = static_cast<int>(in.small_number() & 0x7fff'ffff);
    program.arguments = in.texts();
    for (std::size_t n = in.count(two_numbers); n > 0; --n) {
        std::string name = in.text();
        program.environment.emplace_back(std::move(name), in.text());
    }
    program.directory = in.text();
    program.folders = in.texts();
    return program;
}

constexpr std::string_view first_line = "railyard agent 1";

std::string_view take_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

}  // namespace

std::string Here::text() const {
    return FieldWriter().number(host).text(machine).take();
}

std::optional<Here> Here::parse(std::string_view text) {
    FieldReader in(text);
    Here found;
    found.host = in.small_number();
    found.machine = in.text();
    return if_complete(in, std::move(found));
}

std::string Start::text() const {
    FieldWriter out;
    out.number(host).number(nodes.size());
    for (const fabric::NodeId node : nodes)
        out.number(node);
    out.number(programs.size());
    for (const job::Program& program : programs)
        write(out, program);
    out.text(fabric).text(address).number(pin ? 1 : 0);
    out.number(first_on_machine).number(ranks_on_machine).texts(environment);
    out.number(kept.size.count()).text(kept.begins_with);
    return out.take();
}

std::optional<Start> Start::parse(std::string_view text) {
    FieldReader in(text);
    Start found;
    found.host = in.small_number();
    for (std::size_t n = in.count(8); n > 0; --n)
        found.nodes.push_back(in.small_number());
    for (std::size_t n = in.count(8); n > 0; --n)
        found.programs.push_back(read_program(in));
    found.fabric = in.text();
    found.address = in.text();
    found.pin = in.number() != 0;
    found.first_on_machine = in.small_number();
    found.ranks_on_machine = in.small_number();
    found.environment = in.texts();
    found.kept.size = Bytes(in.number());
    found.kept.begins_with = in.text();
    return if_complete(in, std::move(found));
}

std::string RankPut::text() const {
    return FieldWriter().number(rank).text(key).text(value).take();
}

std::optional<RankPut> RankPut::parse(std::string_view text) {
    FieldReader in(text);
    RankPut found;
    found.rank = in.small_number();
    found.key = in.text();
    found.value = in.text();
    return if_complete(in, std::move(found));
}

std::string Printed::text() const {
    return FieldWriter().number(rank).number(is_error ? 1 : 0).text(bytes).take();
}

std::optional<Printed> Printed::parse(std::string_view text) {
    FieldReader in(text);
    Printed found;
    found.rank = in.small_number();
    found.is_error = in.number() != 0;
    found.bytes = in.text();
    return if_complete(in, std::move(found));
}

std::string Failure::text() const {
    return FieldWriter()
        .text(ending.failure)
        .number(static_cast<std::uint64_t>(ending.exit_code))
        .number(static_cast<std::uint64_t>(ending.cause))
        .take();
}

std::optional<Failure> Failure::parse(std::string_view text) {
    FieldReader in(text);
    Failure found;
    found.ending.failure = in.text();
    found.ending.exit_code = static_cast<int>(in.number() & 0xff);
    const std::uint64_t cause = in.number();
    if (cause > static_cast<std::uint64_t>(job::Ending::Cause::signal)) return std::nullopt;
    found.ending.cause = static_cast<job::Ending::Cause>(cause);
    return if_complete(in, std::move(found));
}

std::string number_text(std::uint64_t number) {
    return FieldWriter().number(number).take();
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
    FieldReader in(text);
    const std::uint32_t number = in.small_number();
    return if_complete(in, number);
}

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
        read_secret =
            AgentCall{.secret = tls::Secret::parse(take_line(text)), .name = {}, .addresses = {}};
    } catch (const UsageError&) {
        return std::nullopt;
    }
    AgentCall& call = *read_secret;
    std::int64_t picoseconds = 0;
    if (!parse_into(call.host, take_line(text))) return std::nullopt;
    call.name = take_line(text);
    if (!parse_into(picoseconds, take_line(text))) return std::nullopt;
    call.heartbeat = Duration::ps(picoseconds);
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.empty()) return call;
        call.addresses.emplace_back(line);
    }
    return std::nullopt;
}

}  // namespace railyard::agents
