#include "mpi/abi/buffers.hpp"

namespace railyard::mpi::abi {

void check_null_address(std::size_t count, const Datatype& type) {
    if (count != 0 && type.size() != 0 && type.true_lower_bound() == 0)
        throw MpiError(ErrorClass::buffer,
                       "the buffer is a null pointer, but the count is " + std::to_string(count));
}

}  // namespace railyard::mpi::abi
