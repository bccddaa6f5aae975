#pragma once
/// The columns of a comparison: which belong into one table, and what to call them.

#include <span>
#include <string>
#include <vector>

#include "report/compare.hpp"

namespace railyard::report {

/// Those that may be compared, each group in the order given: the same fabric and MPI in different
/// files before all; then a fabric with several MPIs; then whatever is left.
std::vector<std::vector<Origin>> kindred(std::span<const Origin> origins);

/// Files by the end of their paths that tells them apart: "before", "now"; "may/out", "june/out".
std::vector<std::string> short_names(std::span<const CompareFile> files);

/// Lines above each column: the fabric, the MPI and the rest where columns differ in them, and the
/// file where that does not tell them apart.
std::vector<std::vector<std::string>> headings(std::span<const Origin> columns,
                                               std::span<const std::string> files);

}  // namespace railyard::report
