#pragma once
/// What software above may know of a modelled interconnect, as its parameters say.

#include "fabric/traits.hpp"
#include "interconnects/model/parameters.hpp"

namespace railyard::model {

fabric::Traits traits(const Parameters& parameters);

}  // namespace railyard::model
