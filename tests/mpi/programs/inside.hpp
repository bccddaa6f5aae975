#pragma once
/// A look inside: what the calling rank's library has counted, and how it is told to behave.

#include "mpi/abi/state.hpp"

namespace railyard::mpi::programs {

inline const Counters& counters() {
    return abi::State::here()->process().counters();
}

/// A variable of the environment, for as long as this lives. Libraries read it in MPI_Init.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

}  // namespace railyard::mpi::programs
