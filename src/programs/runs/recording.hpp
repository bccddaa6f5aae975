#pragma once
/// What the ranks of a program did in a run: which MPI calls they made, and how long each computed
/// before each of them. Enough to charge the program's computation in another run, and to make its
/// calls again without the program.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "programs/runs/recorded_call.hpp"
#include "railyard/base/time.hpp"

namespace railyard::runs {

using Nanoseconds = std::uint64_t;

/// As a file: a line of JSON that says of what run it is; a line for each distinct call; three
/// lines for each rank, of the fields of RankRecording; and a last line that says that this is all.
/// Compressed by gzip if its name ends in ".gz".
struct Recording {
    struct Rank {
        std::vector<Nanoseconds> times;     ///< before each of its calls
        std::vector<std::uint32_t> calls;   ///< the place of each among the distinct ones
        std::vector<std::uint64_t> memory;  ///< sizes of the pieces that its calls name

        friend bool operator==(const Rank&, const Rank&) = default;
    };

    std::string program;
    std::vector<std::string> arguments;
    std::string processor;            ///< that computed
    std::string date;                 ///< of the run: "2002-09-23"
    bool medians = false;             ///< times are those of take_medians()
    std::vector<RecordedCall> calls;  ///< distinct
    std::vector<Rank> ranks;

    /// Less than this before any one call, and of any one rank in all: no clock runs over.
    static constexpr Nanoseconds limit = 1'000'000'000'000'000;

    friend bool operator==(const Recording&, const Recording&) = default;
};

/// In place of each time, the median of those that the rank computed before the same call behind
/// the same eight calls. What a loop computes is the same in every round then: what disturbed one
/// of them is left out, and so is what truly differs from round to round.
void take_medians(Recording& recording);

std::string to_text(const Recording& recording);

/// Throws Error, which names `file` and the line. What to_text wrote reads back as the same, and
/// all memory that calls name lies within the pieces of the rank.
Recording parse_recording(std::string_view text, const std::string& file);

/// The same of bytes that may be compressed.
Recording read_recording(std::string_view bytes, const std::string& file);
Recording read_recording(const std::filesystem::path& file);

/// Replaces the file in one step.
void write_recording(const Recording& recording, const std::filesystem::path& file);

/// A word as a recording holds it: what is not UTF-8 is replaced, so that it can be written at all.
std::string as_recorded(const std::string& word);

/// The name of this machine's processor; empty if it has none.
std::string this_processor();
/// Of the calendar, in UTC.
std::string today();

/// How long a processor that is so many times slower computes.
Duration scaled(Nanoseconds time, double factor);

}  // namespace railyard::runs
