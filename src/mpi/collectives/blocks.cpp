#include "mpi/collectives/blocks.hpp"

#include "mpi/collectives/in_place.hpp"

namespace railyard::mpi {

Blocks Blocks::in_place() {
    return Blocks(mpi::in_place());
}

bool Blocks::is_in_place() const {
    return address_ == mpi::in_place().address;
}

Buffer Blocks::operator[](int rank) const {
    if (kind_ == Kind::even) return range(rank, 1);
    const auto count = static_cast<std::size_t>(counts_[rank]);
    if (kind_ == Kind::typed) return {moved(address_, displacements_[rank]), count, types_[rank]};
    return {moved(address_, displacements_[rank] * type_->extent()), count, type_};
}

}  // namespace railyard::mpi
