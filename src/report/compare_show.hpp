#pragma once
/// A comparison as people read it, and as JSON.

#include <span>
#include <string>

#include "report/compare.hpp"

namespace railyard::report {

/// Which files there are: their names in the tables, machines, builds and dates.
std::string file_table(std::span<const CompareFile> files);

/// A table for each experiment: a line a thing measured, each column but the first with its ratio
/// to the first and a word where the difference is beyond the spread. With `differences_only`, the
/// lines with such a word alone; empty if there are none.
std::string compare_tables(const Comparison& comparison, std::span<const CompareFile> files,
                           bool differences_only);

/// How many were compared, what came of it, and the rows that nothing stands beside.
std::string compare_summary(const Comparison& comparison, std::span<const CompareFile> files);

/// The same results give the same bytes. docs/results-format.md describes it.
std::string compare_json(const Comparison& comparison, std::span<const CompareFile> files);

}  // namespace railyard::report
