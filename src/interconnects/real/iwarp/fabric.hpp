#pragma once
/// iWARP as a fabric: RDMA over TCP, in user space, between any hosts.

#include <memory>

#include "railyard/fabric.hpp"

namespace railyard::iwarp {

struct Settings;

/// As the environment has it: a progress thread is a trait.
const fabric::Traits& traits();
std::unique_ptr<fabric::Fabric> open();
/// With settings of the caller's instead of the environment's.
std::unique_ptr<fabric::Fabric> open(const Settings& settings);

}  // namespace railyard::iwarp
