#pragma once
/// Rows and records for tests, without measuring anything.

#include <string>

#include "reproduce/record.hpp"
#include "results/row.hpp"

namespace railyard::reproduce {

/// The record of that id; throws Error if there is none.
const Record& paper(const std::string& id);

results::Row make_row(std::string experiment, std::string fabric, std::string metric,
                      results::Parameters parameters, double value, std::string unit = "us");

/// A latency of latency-uni at four bytes.
results::Row small_latency(std::string fabric, std::string op, double value);

}  // namespace railyard::reproduce
