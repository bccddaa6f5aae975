#pragma once
/// Which ranks of a communicator share a part of the hardware: a node, and within a real one what
/// hwloc knows of it. In virtual time ranks know their nodes, and nothing smaller.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/topology.hpp"
#include "mpi/communicators/comm.hpp"

namespace railyard::mpi {

/// Where a rank is: its node, and there its part of each smaller kind, the largest first; -1: it
/// may run on several of them, or nothing is known.
using Whereabouts = std::array<int, 1 + hardware_kinds.size()>;

/// Of all ranks of a communicator, on all of them the same. All ranks call together.
std::vector<Whereabouts> whereabouts_of_all(Comm& comm);
/// What is known without asking the others: the nodes.
std::vector<Whereabouts> nodes_of_all(const Comm& comm);

/// A color for each instance of that kind of hardware ("Package", "hwloc://L3Cache",
/// "mpi_shared_memory", "railyard://node"; in capitals or not); none for ranks that may run on
/// several of them, and on all ranks if the kind is unknown. All ranks call together and name the
/// same kind.
std::optional<int> hardware_color(Comm& comm, std::string_view kind);

/// The largest kind of which the ranks use several instances.
struct HardwareSplit {
    std::optional<int> color;  ///< none: there is no such kind, or the rank uses several of it
    std::string kind;
};
HardwareSplit hardware_split(Comm& comm);

/// A kind that this rank's node has, by a name with its provider ("hwloc://L3Cache"), and whether
/// the rank may run on one instance of it alone. The largest first.
struct HardwareResource {
    std::string name;
    bool is_bound = false;
};
std::vector<HardwareResource> hardware_resources(Process& process);

}  // namespace railyard::mpi
