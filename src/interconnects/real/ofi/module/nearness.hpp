#pragma once
/// How near an adapter is to the cores that this rank may run on, as the kernel tells.

#include <rdma/fabric.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace railyard::ofi {

/// The numbers of "0-3,8", as the kernel writes lists.
bool is_listed(int number, std::string_view list);

/// The folder that tells of the device behind it: by its place on the bus, or of a network
/// interface by its name. Empty if there is none.
std::string device_folder(const fi_info& info);

/// The NUMA node that a device hangs at; none if nobody knows.
std::optional<int> node_of(const std::string& device);

/// From a NUMA node to the nearest of these cores; 10 is its own. 0 if nobody knows. `nodes`: where
/// the kernel tells of them.
unsigned distance(int node, std::span<const int> cores,
                  const std::string& nodes = "/sys/devices/system/node");

}  // namespace railyard::ofi
