#include "mpi/abi/resolver.hpp"

#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

calls::HandleResolver::Neighbours Resolver::neighbours(int comm) const {
    const Comm* const found = state_.find_comm(comm);
    if (found == nullptr) return {};
    try {
        const mpi::Neighbours all = neighbours_of(*found);
        return {static_cast<int>(all.sources.size()), static_cast<int>(all.destinations.size())};
    } catch (const MpiError&) {
        return {};  // it has no topology: the call itself says so
    }
}

}  // namespace railyard::mpi::abi
