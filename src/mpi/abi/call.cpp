#include "mpi/abi/call.hpp"

namespace railyard::mpi::abi {

void Call::enter(const Around& around, Function function) {
    if (around.lock != nullptr) around.lock->lock();
    if (around.watch != nullptr) around.watch->entered(function);
}

void Call::leave(const Around& around, Function function) {
    if (around.watch != nullptr) around.watch->left(function);
    if (around.lock != nullptr) around.lock->unlock();
}

}  // namespace railyard::mpi::abi
