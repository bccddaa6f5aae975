#pragma once
/// What an agent must know before it can call its launcher: a few lines on its standard input,
/// where nobody else can read them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/channel/secret.hpp"
#include "railyard/base/time.hpp"

namespace railyard::cluster {

struct AgentCall {
    channel::Secret secret = channel::Secret::make();
    std::uint32_t host = 0;
    std::string name;  ///< of the host, for messages
    Duration heartbeat = Duration::s(5);
    std::vector<std::string> addresses;  ///< of the launcher, likeliest first

    /// An empty line is its end.
    std::string text() const;
    static std::optional<AgentCall> parse(std::string_view text);
};

}  // namespace railyard::cluster
