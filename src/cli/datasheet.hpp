#pragma once
/// The datasheet of a modelled fabric as text: part by part, each parameter with its value, what it
/// means, and where the value comes from.

#include <string>

#include "railyard/datasheet.hpp"

namespace railyard::cli {

std::string text(const fabric::Datasheet& sheet);

}  // namespace railyard::cli
