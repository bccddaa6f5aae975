#pragma once
/// Rows and records for tests, without measuring anything.

#include <functional>
#include <string>
#include <vector>

#include "railyard/results/row.hpp"
#include "reproduce/check.hpp"
#include "reproduce/record.hpp"

namespace railyard::reproduce {

/// The record of that id; throws Error if there is none.
const Record& paper(const std::string& id);
/// Its check; throws std::bad_variant_access if it has none.
Check check(const std::string& id);

results::Row make_row(std::string experiment, std::string fabric, std::string metric,
                      results::Parameters parameters, double value, std::string unit = "us");

/// A latency of latency-uni at four bytes.
results::Row small_latency(std::string fabric, std::string op, double value);

/// What stands for a measurement: the value of that selection at that place.
using Model = std::function<double(const Selection&, double x)>;
/// Whether the record is right on what the model gives, at the sizes that it asks for, or at
/// `places` of another parameter.
bool holds(const std::string& id, const Model& model,
           const std::vector<double>& places = {2, 4, 8});

bool on_demand(const Selection& selection);
/// The first size that the MPI library of rashti07 on this fabric sends by rendezvous.
double first_rendezvous(const Selection& selection);

}  // namespace railyard::reproduce
