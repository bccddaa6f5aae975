#include "launch/managers/card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "base/parse.hpp"

namespace railyard::managers {

namespace {

constexpr std::size_t most_addresses = 64;

std::uint64_t namespace_of(const char* path) {
    struct stat status {};
    return ::stat(path, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

Place Place::here() {
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    return {std::hash<std::string>()(boot), namespace_of("/proc/self/ns/pid"),
            namespace_of("/proc/self/ns/ipc")};
}

std::string Card::text() const {
    return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", place.boot, place.processes,
                       place.descriptors, node, share.pid, share.fd, share.inode, share.size,
                       listening.token, listening.port, fmt::join(listening.addresses, ","));
}

std::optional<Card> Card::parse(std::string_view text) {
    const auto words = split(text, ' ');
    Card card;
    if (words.size() != 11 || !parse_into(card.place.boot, words[0]) ||
        !parse_into(card.place.processes, words[1]) ||
        !parse_into(card.place.descriptors, words[2]) || !parse_into(card.node, words[3]) ||
        !parse_into(card.share.pid, words[4]) || !parse_into(card.share.fd, words[5]) ||
        !parse_into(card.share.inode, words[6]) || !parse_into(card.share.size, words[7]) ||
        !parse_into(card.listening.token, words[8]) || !parse_into(card.listening.port, words[9]))
        return std::nullopt;
    if (words[10].empty()) return card;
    for (const std::string_view address : split(words[10], ','))
        card.listening.addresses.emplace_back(address);
    if (card.listening.addresses.size() > most_addresses) return std::nullopt;
    return card;
}

}  // namespace railyard::managers
