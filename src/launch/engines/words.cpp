#include "launch/engines/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::engines {

std::string host_list(const std::vector<HostSlots>& hosts) {
    std::string list;
    for (const HostSlots& host : hosts) {
        if (host.name.find(':') != std::string::npos)
            throw UsageError(fmt::format(
                "--hosts: launchers take no address with colons in their lists of hosts; give {} a "
                "name (in /etc/hosts)",
                host.name));
        list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host.name, host.slots);
    }
    return list;
}

std::string shell_quoted(std::string_view word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos)
        return std::string(word);
    std::string quoted = "'";
    for (const char c : word)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace railyard::engines
