#pragma once
/// What an algorithm is chosen by, besides ranks and bytes. The same on all ranks of a
/// communicator, since all must choose alike.

#include <cstddef>

namespace railyard::mpi {

struct Circumstances {
    bool shares_cores = false;  ///< more ranks than cores: each wait costs a switch of processes
    bool one_node = false;      ///< all ranks on one node
    bool has_hub = false;       ///< Team::hub() gives one
};

}  // namespace railyard::mpi
