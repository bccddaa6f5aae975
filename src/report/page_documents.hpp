#pragma once
/// What the page shows beside rows: the papers' values, and the verdicts of `railyard reproduce`.
/// Both come as JSON files, and only what the page needs of them is let through.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/page.hpp"

namespace railyard::report {

using PageJson = nlohmann::ordered_json;

/// An experiment and a metric of it.
using Measured = std::pair<std::string, std::string>;

/// The values that papers published of these: an array, empty if there is no document. Factors are
/// among them, in the unit that rows have for ratios.
PageJson published_values(const PageInput::Document& papers, const std::set<Measured>& measured);

/// The records that were checked, and the line with the counts: an object, or null if there is no
/// document.
PageJson verdicts(const PageInput::Document& document);

/// The rows that the verdicts rest on; none if there is no document.
std::vector<results::Row> verdict_rows(const PageInput::Document& document);

}  // namespace railyard::report
