#include "launch/engines/host_list.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <sstream>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::engines {

namespace {

constexpr int most_slots = 1 << 16;

std::optional<int> parse_slots(std::string_view text) {
    int slots = 0;
    if (!parse_into(slots, text) || slots < 1 || slots > most_slots) return std::nullopt;
    return slots;
}

/// A name goes to commands as a word: one that begins with a dash would be an option there.
bool is_name(std::string_view name) {
    return !name.empty() && name.front() != '-' &&
           std::ranges::none_of(name, [](unsigned char c) { return std::iscntrl(c) != 0; }) &&
           name.find_first_of(" '\"\\$`;&|<>()*?!~#[]") == std::string_view::npos;
}

/// The words between blanks.
std::vector<std::string> split_words(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

/// What stands behind a host in a file.
void read_slots(WrittenHost& host, const std::vector<std::string>& words) {
    constexpr std::string_view name = "slots=";
    const std::string_view word = words[1];
    const auto slots =
        word.starts_with(name) ? parse_slots(word.substr(name.size())) : std::nullopt;
    if (!slots || words.size() > 2)
        throw UsageError(fmt::format("expected slots=N behind a host and nothing more, found '{}'",
                                     words[slots ? 2 : 1]));
    if (host.slots)
        throw UsageError(fmt::format("'{}' has its number of ranks twice: {} and {}", host.name,
                                     *host.slots, *slots));
    host.slots = slots;
}

}  // namespace

std::vector<std::string> place_ranks(const std::vector<HostSlots>& hosts, int ranks) {
    std::vector<std::string> placed;
    const auto wanted = static_cast<std::size_t>(ranks);
    while (placed.size() < wanted)
        for (const HostSlots& host : hosts)
            placed.insert(placed.end(),
                          std::min(static_cast<std::size_t>(host.slots), wanted - placed.size()),
                          host.name);
    return placed;
}

bool is_here(const std::string& host) {
    std::array<char, 256> own{};
    return host == "localhost" ||
           (::gethostname(own.data(), own.size() - 1) == 0 && host == own.data());
}

WrittenHost parse_host(std::string_view text) {
    const auto found = split_host(text);
    std::optional<int> slots;
    if (found && found->number) slots = parse_slots(*found->number);
    if (!found || !is_name(found->host) || (found->number && !slots))
        throw UsageError(fmt::format(
            "expected a host such as node7, or node7:2 for 2 ranks there, found '{}'", text));
    return {std::string(found->host), slots};
}

std::vector<WrittenHost> parse_hosts(std::string_view text) {
    std::vector<WrittenHost> hosts;
    for (;;) {
        const auto comma = text.find(',');
        hosts.push_back(parse_host(text.substr(0, comma)));
        if (comma == std::string_view::npos) return hosts;
        text.remove_prefix(comma + 1);
    }
}

std::vector<WrittenHost> read_hosts(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) throw UsageError(fmt::format("cannot read {}", file.string()));
    std::vector<WrittenHost> hosts;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const std::vector<std::string> words = split_words(line.substr(0, line.find('#')));
        if (words.empty()) continue;
        try {
            hosts.push_back(parse_host(words[0]));
            if (words.size() > 1) read_slots(hosts.back(), words);
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}:{}: {}", file.string(), number, error.what()));
        }
    }
    if (hosts.empty()) throw UsageError(fmt::format("{}: no host is in it", file.string()));
    return hosts;
}

std::vector<HostSlots> with_slots(const std::vector<WrittenHost>& hosts, int slots) {
    std::vector<HostSlots> all;
    for (const WrittenHost& host : hosts)
        all.push_back({host.name, host.slots.value_or(slots)});
    return all;
}

}  // namespace railyard::engines
