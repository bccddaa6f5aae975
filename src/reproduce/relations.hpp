#pragma once
/// Parts of which the checks of relations are made. For the files of this folder.

#include <functional>
#include <span>
#include <vector>

#include "reproduce/check.hpp"
#include "reproduce/systems.hpp"

namespace railyard::reproduce {

// In combine.cpp: from shapes of curves to checks.

Judgement judgement(const Finding& finding);
/// The shape is asked of every series, and every one must have it.
Check each(std::vector<Selection> selections, std::function<Finding(const Series&)> shape);
/// The shape is asked of all series together.
Check all_series(std::vector<Selection> selections,
                 std::function<Finding(std::span<const Series>)> shape);
/// Selections two by two; the shape is asked of each pair, and all must have it.
Check in_pairs(std::vector<Selection> selections,
               std::function<Finding(const Series&, const Series&)> shape);
/// As many selections a group as `sizes` has it; best group first.
Check in_order(std::vector<Selection> selections, std::vector<std::size_t> sizes, Better better);
/// All of them must hold.
Check all_of(std::vector<Check> parts);

/// A system's rows along the parameter that the relation sweeps: one selection a size.
std::vector<Selection> along(const Record& record, const System& system);
/// The same of all systems that the record names, and of all that it leaves open.
std::vector<Selection> along_all(const Record& record);

Check order_check(const Record& record);
Check best_check(const Record& record);
Check compare_check(const Record& record);

/// Of a record that speaks of MPI libraries.
std::optional<Check> mpi_relation_check(const Record& record);

}  // namespace railyard::reproduce
