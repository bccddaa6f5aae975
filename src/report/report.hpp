#pragma once
/// Results as people read them: a table an experiment, sizes down, what was varied across. Where
/// the physical limits are among the rows, each result has its limit and the ratio beside it. Made
/// from rows and nothing else.

#include <span>
#include <string>

#include "railyard/results/results.hpp"
#include "railyard/results/row.hpp"

namespace railyard::report {

struct Options {
    bool statistics = false;  ///< a line a row, with percentiles and spread, instead
};

/// All tables, in the order in which experiments first occur, an empty line between them.
std::string tables(std::span<const results::Row> rows, const Options& options = {});

/// The machine in a line or two.
std::string describe(const results::Machine& machine);

/// With three or four digits that matter: "0.0523", "0.103", "12.34", "21345".
std::string short_number(double value);

}  // namespace railyard::report
