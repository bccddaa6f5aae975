#pragma once
/// What the page shows beside rows: the papers' values, and the verdicts of `railyard reproduce`.
/// Both come as JSON files, and only what the page needs of them is let through.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "railyard/results/row.hpp"
#include "report/page.hpp"

namespace railyard::report {

/// Keeps fields in the order in which they are written.
using PageJson = nlohmann::ordered_json;

/// An experiment and a metric of it.
using Measured = std::pair<std::string, std::string>;

/// The values that papers published of these: an array, empty if there is no document. Factors are
/// among them, in the unit that rows have for ratios. Throws Error.
PageJson published_values(const PageInput::Document& papers, const std::set<Measured>& measured);

/// The records that were checked, the line with the counts, and what hangs on which number if that
/// was asked for: an object, or null if there is no document. Throws Error.
PageJson verdicts(const PageInput::Document& document);

/// The rows that the verdicts rest on; none if there is no document. Throws Error.
std::vector<results::Row> verdict_rows(const PageInput::Document& document);

}  // namespace railyard::report
