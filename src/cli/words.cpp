#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/suggest.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::vector<std::string> split_list(std::string_view option, std::string_view text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view item = trimmed(text.substr(begin, end - begin));
        if (item.empty())
            throw UsageError(
                fmt::format("{}: expected a list such as 'a,b', found '{}'", option, text));
        items.emplace_back(item);
        begin = end + 1;
    }
    return items;
}

unsigned parse_count(std::string_view option, std::string_view text, unsigned least,
                     unsigned most) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        throw UsageError(fmt::format("{}: expected a whole number from {} to {}, found '{}'",
                                     option, least, most, text));
    return value;
}

std::string unknown(std::string_view what, std::string_view wrong,
                    std::span<const std::string> names, std::string_view see) {
    const auto right = nearest(wrong, names);
    return fmt::format("unknown {} '{}'; {}`{}` lists all", what, wrong,
                       right ? fmt::format("did you mean '{}'? ", *right) : "", see);
}

std::string count_of(std::uint64_t n, std::string_view one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

}  // namespace railyard::cli
