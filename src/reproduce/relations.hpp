#pragma once
/// Parts of which the checks of relations are made. For the files of this folder.

#include <functional>
#include <vector>

#include "reproduce/check.hpp"
#include "reproduce/systems.hpp"

namespace railyard::reproduce {

/// Selections two by two; the shape is asked of each pair, and all must have it.
Check in_pairs(std::vector<Selection> selections,
               const std::function<Finding(const Series&, const Series&)>& shape);

/// A system's rows along the parameter that the relation sweeps: one selection a size.
std::vector<Selection> along(const Record& record, const System& system);
/// The same of all systems that the record names, and of all that it leaves open.
std::vector<Selection> along_all(const Record& record);

Check order_check(const Record& record);
Check best_check(const Record& record);
Check compare_check(const Record& record);

}  // namespace railyard::reproduce
