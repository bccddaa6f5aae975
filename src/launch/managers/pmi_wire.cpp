#include "launch/managers/pmi_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include "base/parse.hpp"

namespace railyard::managers {

namespace {

/// Lines have 1023 bytes at most, of which the command, the space's name and the key take some.
constexpr std::size_t longest_word = 700;
constexpr std::size_t most_words = 4096;
constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve(bytes.size() * 4 / 3 + 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t three = 0;
        for (std::size_t i = 0; i < 3; ++i)
            three = three << 8 | (i < n ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
        for (std::size_t i = 0; i <= n; ++i)
            text += digits[three >> (18 - 6 * i) & 63];
    }
    return text;
}

bool append_base64(std::vector<std::byte>& bytes, std::string_view text) {
    if (text.size() % 4 == 1) return false;
    std::uint32_t held = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const std::size_t digit = digits.find(c);
        if (digit == digits.npos) return false;
        held = held << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<std::byte>(held >> bits & 0xff));
    }
    return (held & ((1U << bits) - 1)) == 0;
}

struct Block {
    std::uint32_t first = 0;
    std::uint32_t nodes = 0;
    std::uint32_t ranks = 0;  ///< on each
};

bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

std::optional<Block> take_block(std::string_view& text) {
    if (!take(text, ",(")) return std::nullopt;
    std::array<std::uint32_t, 3> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0 && !take(text, ",")) return std::nullopt;
        const auto number = take_number<std::uint32_t>(text);
        if (!number) return std::nullopt;
        numbers[i] = *number;
    }
    if (!take(text, ")") || numbers[1] == 0 || numbers[2] == 0) return std::nullopt;
    return Block{numbers[0], numbers[1], numbers[2]};
}

template <class Name>
std::vector<fabric::NodeId> numbered(std::span<const Name> names) {
    std::map<Name, fabric::NodeId> known;
    std::vector<fabric::NodeId> nodes;
    for (const Name& name : names)
        nodes.push_back(
            known.emplace(name, static_cast<fabric::NodeId>(known.size())).first->second);
    return nodes;
}

}  // namespace

std::optional<std::string_view> PmiLine::find(std::string_view key) const {
    std::string_view rest = text_;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (word.size() > key.size() && word[key.size()] == '=' && word.starts_with(key))
            return word.substr(key.size() + 1);
    }
    return std::nullopt;
}

std::vector<std::string> as_words(std::span<const std::byte> value) {
    const std::string text = to_base64(value);
    const std::size_t count = text.size() / longest_word + 1;
    std::vector<std::string> words{fmt::format("{}:{}", count, text.substr(0, longest_word))};
    for (std::size_t at = longest_word; words.size() < count; at += longest_word)
        words.push_back(text.substr(at, longest_word));
    return words;
}

std::optional<std::size_t> count_words(std::string_view first) {
    const auto count = take_number<std::size_t>(first);
    if (!count || !first.starts_with(':') || *count == 0 || *count > most_words)
        return std::nullopt;
    return count;
}

std::optional<std::vector<std::byte>> from_words(std::span<const std::string> words) {
    if (words.empty() || count_words(words.front()) != words.size()) return std::nullopt;
    std::string text = words.front().substr(words.front().find(':') + 1);
    for (const std::string& word : words.subspan(1))
        text += word;
    std::vector<std::byte> bytes;
    if (!append_base64(bytes, text)) return std::nullopt;
    return bytes;
}

std::optional<std::vector<fabric::NodeId>> parse_process_mapping(std::string_view text, int ranks) {
    if (!take(text, "(vector")) return std::nullopt;
    std::vector<Block> blocks;
    while (text.starts_with(",")) {
        const auto block = take_block(text);
        if (!block) return std::nullopt;
        blocks.push_back(*block);
    }
    if (text != ")" || blocks.empty() || ranks < 1) return std::nullopt;
    std::vector<std::uint32_t> names;
    const auto wanted = static_cast<std::size_t>(ranks);
    while (names.size() < wanted)
        for (const Block& block : blocks)
            for (std::uint32_t node = 0; node < block.nodes && names.size() < wanted; ++node)
                names.insert(names.end(), std::min<std::size_t>(block.ranks, wanted - names.size()),
                             block.first + node);
    return numbered(std::span<const std::uint32_t>(names));
}

std::vector<fabric::NodeId> number_nodes(std::span<const std::string> names) {
    return numbered(names);
}

}  // namespace railyard::managers
