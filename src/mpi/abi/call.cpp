#include "mpi/abi/call.hpp"

namespace railyard::mpi::abi {

void Call::enter(const Around& around, Function function) {
    if (around.gate != nullptr) around.gate->enter();
    if (around.watch != nullptr) around.watch->entered(function);
}

void Call::leave(const Around& around, Function function) {
    if (around.watch != nullptr) around.watch->left(function);
    if (around.gate != nullptr) around.gate->leave();
}

}  // namespace railyard::mpi::abi
