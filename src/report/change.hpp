#pragma once
/// Whether two results of the same thing differ by more than their samples scatter, and which of
/// them is the better one.

#include "results/row.hpp"

namespace railyard::report {

enum class Better : unsigned char {
    lower,
    higher,
    neither,  ///< nobody can say: a share, a ratio of two models
};

/// By the row's unit or, where that does not tell, by its metric.
Better better(const results::Row& row);

enum class Change : unsigned char { none, better, worse, differs };

/// Where rows have no spread, as in virtual time, this share of the larger one is a difference.
inline constexpr double least_difference = 0.001;

/// What became of `before`. The difference counts if it is more than half of both interquartile
/// ranges together, so that the middle halves of the samples stand apart, and more than the least.
Change change(const results::Row& before, const results::Row& after);

/// |after - before| as a share of |before|; infinite if only `before` is nought.
double relative_difference(const results::Row& before, const results::Row& after);

const char* name(Change change);  ///< "better"; empty for none

}  // namespace railyard::report
