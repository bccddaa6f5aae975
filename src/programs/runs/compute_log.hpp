#pragma once
/// A program's computation as it was recorded: for each rank, how long it computed before each of
/// its MPI calls. As a file: a line of JSON that says of what run it is, a line of nanoseconds a
/// rank, and a last line that says that this is all.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::runs {

struct ComputeLog {
    using Nanoseconds = std::uint64_t;

    std::string program;
    std::vector<std::string> arguments;
    std::vector<std::vector<Nanoseconds>> ranks;  ///< one time a call

    /// Less than this before any one call, and of any one rank in all: no clock runs over.
    static constexpr Nanoseconds limit = 1'000'000'000'000'000;

    friend bool operator==(const ComputeLog&, const ComputeLog&) = default;
};

std::string to_text(const ComputeLog& log);

/// Throws Error, which names `file` and the line. What to_text wrote reads back as the same.
ComputeLog parse_log(std::string_view text, const std::string& file);

/// A word as a log holds it: what is not UTF-8 is replaced, so that it can be written at all.
std::string as_logged(const std::string& word);

}  // namespace railyard::runs
