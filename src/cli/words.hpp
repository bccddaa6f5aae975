#pragma once
/// The words of a command line: lists, numbers and names, and what to say when they are wrong.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::cli {

/// The items between commas, without spaces around them. Throws UsageError for an empty one.
std::vector<std::string> split_list(std::string_view option, std::string_view text);

/// A whole number. Throws UsageError, which says what is allowed.
unsigned parse_count(std::string_view option, std::string_view text, unsigned least, unsigned most);

/// "unknown experiment 'latncy-uni'; did you mean 'latency-uni'? `railyard experiments` lists all".
std::string unknown(std::string_view what, std::string_view wrong,
                    std::span<const std::string> names, std::string_view see);

/// "1 message", "2 messages".
std::string count_of(std::uint64_t n, std::string_view one);

/// As the name of a file: standard output.
inline constexpr const char* standard_output = "-";

}  // namespace railyard::cli
