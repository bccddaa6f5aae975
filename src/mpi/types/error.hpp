#pragma once
/// What went wrong, in MPI's classes. Thrown inside the library; the entry points hand it to the
/// error handler of the communicator concerned.

#include <cstdint>
#include <string>

#include "railyard/base/error.hpp"

namespace railyard::mpi {

enum class ErrorClass : std::uint8_t {
    success,
    buffer,
    count,
    type,
    tag,
    comm,
    rank,
    root,
    group,
    op,
    topology,
    dims,
    arg,
    unknown,
    truncate,
    other,
    intern,
    in_status,
    pending,
    request,
    keyval,
    no_mem,
    info_key,
    info_value,
    info_no_key,
    unsupported,
    win,
    file,
    size,
    disp,
    lock_type,
    assert,
    rma_conflict,
    rma_sync,
    rma_range,
    rma_attach,
    rma_shared,
    rma_flavor,
    spawn,
    port,
    service,
    name,
    io,
    session,
    proc_aborted,
    conversion,
    unsupported_datarep,
};

class MpiError : public Error {
  public:
    MpiError(ErrorClass error_class, const std::string& what) : Error(what), class_(error_class) {}
    ErrorClass error_class() const { return class_; }

  private:
    ErrorClass class_;
};

/// A peer that cannot be reached any more. Often only the consequence of that peer's own failure,
/// which is what people need to hear of.
class PeerLost : public MpiError {
  public:
    explicit PeerLost(const std::string& what) : MpiError(ErrorClass::other, what) {}
};

}  // namespace railyard::mpi
