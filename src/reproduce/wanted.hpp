#pragma once
/// From a record's words to selections: the metric that an experiment yields, the sizes that a
/// record means, the parameters that tell its variants apart.

#include <string>
#include <string_view>
#include <vector>

#include "reproduce/record.hpp"
#include "reproduce/selection.hpp"
#include "reproduce/systems.hpp"

namespace railyard::reproduce {

/// What an experiment yields first of all: "latency", "bandwidth_aggregate".
std::string base_metric(std::string_view experiment);

/// The sizes that a value means: as named, by its class, or the experiment's usual one.
std::vector<std::int64_t> value_sizes(const Record& record);

/// The sizes at which a relation is looked at: as a value's, or all on one side of a limit, or,
/// where none is named and the relation speaks of all, a sweep.
std::vector<std::int64_t> relation_sizes(const Record& record);

/// Twice as large each time, and one a little above each: a protocol switches just after a round
/// number, and a curve dips there.
std::vector<std::int64_t> dip_sizes();

/// The record's rows on one system, with that operation ("" for the system's usual one), labelled
/// by the system.
Selection selection_of(const Record& record, const System& system, std::string_view op = "");

/// The operations that a record speaks of on a system: the one that it names, or all of them where
/// the paper means each.
std::vector<std::string> operations(const Record& record, const System& system);

/// The same selection with one thing changed, as relations name variants: an operation, a mode, a
/// placement, an experiment, a system. Throws Error for a word that means nothing.
Selection variant(Selection selection, std::string_view word, std::string_view seed);

/// Where source and destination may lie: {"main", "elan"} and so on, all four.
std::vector<std::pair<std::string, std::string>> placements();
Selection placed(Selection selection, const std::string& source, const std::string& destination);

}  // namespace railyard::reproduce
