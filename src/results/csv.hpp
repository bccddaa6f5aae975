#pragma once
/// Rows as comma-separated values (RFC 4180), for spreadsheets and data frames.

#include <span>
#include <string>

#include "results/row.hpp"

namespace railyard::results {

/// A header line, then one line a row. Every parameter name that occurs is a column of its own,
/// empty in rows that do not have it.
std::string to_csv(std::span<const Row> rows);

}  // namespace railyard::results
