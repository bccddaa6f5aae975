#include "mpi/engine/request.hpp"

namespace railyard::mpi {

void RequestPool::grow() {
    const auto first = static_cast<std::uint32_t>(slabs_.size() * slab_size);
    slabs_.push_back(std::make_unique<Request[]>(slab_size));
    for (std::uint32_t i = slab_size; i-- > 0;) {
        Request& request = slabs_.back()[i];
        request.index_ = first + i;
        request.next_free_ = free_;
        free_ = &request;
    }
}

void RequestPool::clean(Request& request) {
    request.is_rich = false;
    request.persistent = false;
    request.free_when_complete = false;
    request.channel = nullptr;
    request.parts = 0;
    request.placed = false;
    request.region.reset();
    request.remote.reset();
    request.packed.reset();
    request.keeps_type.reset();
}

}  // namespace railyard::mpi
