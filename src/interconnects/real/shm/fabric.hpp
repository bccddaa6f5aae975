#pragma once
/// Shared memory as a fabric: real, for ranks on one host.

#include <memory>

#include "railyard/fabric.hpp"

namespace railyard::shm {

const fabric::Traits& traits();
std::unique_ptr<fabric::Fabric> open();

}  // namespace railyard::shm
