#pragma once
/// Verdicts as people read them, and as programs do (docs/results-format.md describes the JSON).

#include <span>
#include <string>

#include "reproduce/verdict.hpp"
#include "results/row.hpp"

namespace railyard::reproduce {

/// A table an experiment of each paper, of all records that were to be checked.
std::string tables(std::span<const Verdict> verdicts);

/// The records and where they would be measured, a line each.
std::string list(std::span<const Task> tasks);

/// The last line: how many are right, off, and not checked.
std::string summary(const Counts& counts);

/// Raised when a field changes its meaning or goes away.
inline constexpr int verdict_schema = 2;
/// All verdicts, and the rows that they rest on.
std::string to_json(std::span<const Verdict> verdicts, std::span<const results::Row> rows);

/// "~ 831 MB/s", "= 6.0 us"; of a relation, its description.
std::string stated(const Record& record);

}  // namespace railyard::reproduce
