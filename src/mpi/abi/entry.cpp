#include "mpi/abi/entry.hpp"

#include <string>

#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

namespace {

std::string said(const char* argument, MPI_Count value) {
    return std::string(argument) + " is " + std::to_string(value);
}

std::string ranks_of(const Communicator& comm) {
    return (comm.is_inter() ? "the other group has ranks 0 to "
                            : "the communicator has ranks 0 to ") +
           std::to_string(comm.peer_count() - 1);
}

}  // namespace

void bad_count(MPI_Count value, const char* argument) {
    throw MpiError(ErrorClass::count, said(argument, value) + "; it must not be negative");
}

void bad_rank(int value, const Communicator& comm, const char* argument) {
    throw MpiError(ErrorClass::rank, said(argument, value) + "; " + ranks_of(comm));
}

void bad_root(int value, const Communicator& comm, const char* argument) {
    throw MpiError(ErrorClass::root, said(argument, value) + "; " + ranks_of(comm));
}

void bad_tag(int value, const char* argument) {
    throw MpiError(ErrorClass::tag,
                   said(argument, value) + "; tags run from 0 to " + std::to_string(max_tag) +
                       (value == any_tag ? ", and only a receive may ask for any" : ""));
}

void null_argument(const char* argument) {
    throw MpiError(ErrorClass::arg,
                   std::string(argument) + " is a null pointer, or stands for none");
}

void check_address(const void* address, std::size_t count, const Datatype& type) {
    if (address == MPI_IN_PLACE)
        throw MpiError(ErrorClass::buffer,
                       "the buffer is MPI_IN_PLACE, which this argument cannot be");
    if (count != 0 && type.size() != 0 && type.true_lower_bound() == 0)
        throw MpiError(ErrorClass::buffer,
                       "the buffer is a null pointer, but the count is " + std::to_string(count));
}

void check_bytes(std::size_t count, const Datatype& type) {
    std::ptrdiff_t bytes = 0;
    if (__builtin_mul_overflow(count, type.size(), &bytes))
        throw MpiError(ErrorClass::count, std::to_string(count) + " elements of " +
                                              std::to_string(type.size()) +
                                              " bytes are more than memory can hold");
}

}  // namespace railyard::mpi::abi
