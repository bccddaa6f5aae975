#pragma once
/// What a run came to, as people read it and as other programs do.

#include <span>
#include <string>

#include "programs/runs/run.hpp"

namespace railyard::cli {

/// One line.
std::string short_summary(const runs::Summary& summary);
/// All of it, as text.
std::string full_summary(const runs::Summary& summary);
/// A line a run, in the order given, for runs of one program.
std::string comparison(std::span<const runs::Summary> runs);
/// What faults did and what that cost; empty without any.
std::string fault_summary(const runs::Summary& summary);
/// All of all of them: an array, with a line break at the end.
std::string summaries_as_json(std::span<const runs::Summary> runs);

}  // namespace railyard::cli
