#pragma once
/// A real fabric as its registry line opens it. It has one adapter for all nodes, since a rank of a
/// real job is where it is, whatever nodes the job pretends to have.

#include <functional>
#include <memory>

#include "hosts/real_host.hpp"
#include "railyard/fabric.hpp"

namespace railyard::real {

/// `open_nic`: opens a Nic on a rank's Host. The Traits live as long as the fabric.
std::unique_ptr<fabric::Fabric> make_fabric(
    fabric::Traits traits,
    std::function<std::unique_ptr<fabric::Nic>(hosts::RealHost&, const fabric::Traits&)> open_nic);

}  // namespace railyard::real
