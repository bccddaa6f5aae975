#pragma once
/// From what ranks left in their kept memory to what people asked for: all that a launcher needs to
/// know of recording.

#include <cstdint>
#include <span>
#include <string>

#include "railyard/base/time.hpp"

namespace railyard::mpi::traces {

enum class SummaryForm : std::uint8_t { none, text, json };

struct Wanted {
    std::string trace;  ///< a file; empty: none
    SummaryForm summary = SummaryForm::none;
    /// Of the trace, counted from the first MPI_Init.
    Duration from{};
    Duration to = Duration::forever();

    bool is_anything() const { return !trace.empty() || summary != SummaryForm::none; }
};

/// What each rank's memory begins with. Sees that the trace can be written: throws Error.
std::string prepared_memory(const Wanted& wanted);

/// Writes the trace, and gives the summary, or nothing. `kept` is what the ranks left, by rank.
/// Throws Error.
std::string report(const Wanted& wanted, std::span<const std::string> kept);

}  // namespace railyard::mpi::traces
