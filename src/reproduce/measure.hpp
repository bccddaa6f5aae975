#pragma once
/// Measures what a set of selections needs: each experiment once on each fabric, with all that any
/// of them asks for, and nothing more.

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reproduce/selection.hpp"
#include "results/row.hpp"

namespace railyard::reproduce {

struct Want {
    std::string experiment{};
    std::string fabric{};
    std::set<std::int64_t> sizes{};
    std::set<std::string> ops{};
    std::set<std::int64_t> queues{};
};

/// One a pair of experiment and fabric, in the order in which they first occur.
std::vector<Want> wants(std::span<const Selection> selections);

struct Measured {
    std::vector<results::Row> rows{};
    /// What could not be measured, by experiment and fabric, and why.
    std::map<std::pair<std::string, std::string>, std::string> failures{};
};

/// Hears what is being done. May be empty.
using Progress = std::function<void(std::string_view)>;

/// Never throws for an experiment or a fabric that is not there, or that fails: it is a failure.
/// `jobs`: as in experiments::run.
Measured measure(std::span<const Want> wants, const Progress& progress, unsigned jobs = 0);

}  // namespace railyard::reproduce
