#pragma once
/// What a job's launcher and the agents of its hosts tell each other. Every message is read back
/// whole or not at all.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/program_job.hpp"
#include "launch/job/rank_process.hpp"
#include "launch/tls/secret.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::agents {

enum class HostMessage : std::uint32_t {
    here,           ///< agent: which host it serves (Here)
    start,          ///< launcher: what to run (Start)
    cannot_start,   ///< agent: nothing runs there (Failure)
    put,            ///< both: a rank has put something (RankPut)
    fence,          ///< both: all ranks of a host have entered their next fence (a number)
    left,           ///< both: a rank has ended well (a number)
    failed,         ///< agent: a rank has failed (Failure)
    output,         ///< agent: what a rank printed (Printed)
    output_credit,  ///< launcher: so many bytes more may be sent (a number)
    input,          ///< launcher: standard input for rank 0; none: it has ended
    input_credit,   ///< agent: so many bytes more may be sent (a number)
    signal,         ///< launcher: to be passed on to all ranks (a number)
    end,            ///< launcher: all ranks are to end, by this signal (a number)
    kept,           ///< agent: a further part of what a rank left in its kept memory (Printed)
    done,           ///< agent: no rank runs there any more
    waiting,        ///< agent: what a rank waits for, or that it goes on (RankPut without a key)
};

/// How much of what ranks print, or of rank 0's input, may be under way. Less than a connection's
/// buffers take, so that a reader who takes a break is not taken for dead.
inline constexpr std::size_t stream_window = 32 << 10;

struct Here {
    std::uint32_t host = 0;
    std::string machine;  ///< the same for hosts that are one machine (namespaces, containers)

    std::string text() const;
    static std::optional<Here> parse(std::string_view text);
};

struct Start {
    std::uint32_t host = 0;
    std::vector<fabric::NodeId> nodes;  ///< one a rank
    std::vector<job::Program> programs;
    std::string fabric;     ///< see job::FabricPair
    std::string address{};  ///< of that host, where others find its ranks; empty: it knows better
    bool pin = true;
    /// Of all ranks on this host's machine, how many come before those of this host.
    std::uint32_t first_on_machine = 0;
    std::uint32_t ranks_on_machine = 0;
    std::vector<std::string> environment;  ///< the launcher's
    job::KeptMemoryOptions kept{};

    std::string text() const;
    static std::optional<Start> parse(std::string_view text);
};

struct RankPut {
    std::uint32_t rank = 0;
    std::string key;
    std::string value;

    std::string text() const;
    static std::optional<RankPut> parse(std::string_view text);
};

struct Printed {
    std::uint32_t rank = 0;
    bool is_error = false;
    std::string bytes;

    std::string text() const;
    static std::optional<Printed> parse(std::string_view text);
};

struct Failure {
    job::Ending ending;

    std::string text() const;
    static std::optional<Failure> parse(std::string_view text);
};

std::string number_text(std::uint64_t number);
std::optional<std::uint32_t> parse_number(std::string_view text);

/// What an agent must know before it can call its launcher: a few lines on its standard input,
/// where nobody else can read them.
struct AgentCall {
    tls::Secret secret = tls::Secret::make();
    std::uint32_t host = 0;
    std::string name;  ///< of the host, for messages
    Duration heartbeat = Duration::s(5);
    std::vector<std::string> addresses;  ///< of the launcher, likeliest first

    /// An empty line is its end.
    std::string text() const;
    static std::optional<AgentCall> parse(std::string_view text);
};

}  // namespace railyard::agents
