#pragma once
/// What software above may know of a modelled interconnect, as its parameters say.

#include "interconnects/virtual/model/parameters.hpp"
#include "railyard/traits.hpp"

namespace railyard::model {

fabric::Traits traits(const Parameters& parameters);

}  // namespace railyard::model
