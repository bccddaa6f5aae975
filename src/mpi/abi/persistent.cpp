// Requests that are made once and started often.

#include "mpi/abi/buffers.hpp"
#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

void make_local(State& state, MPI_Request& request) {
    auto local = std::make_unique<LocalRequest>();
    local->status = nobody_status;
    request = state.local_requests.add(std::move(local));
}

void make_send(Mode mode, State& state, const void* buf, std::size_t count, const TypeRef& type,
               int dest, int tag, Comm& comm, MPI_Request& request) {
    if (dest == no_rank) return make_local(state, request);
    request = handle_of(state.process().make_persistent_send(const_buffer(buf, count, type), dest,
                                                             tag, comm, mode));
}

void send_init(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
               int tag, Comm& comm, MPI_Request& request) {
    make_send(Mode::standard, state, buf, count, type, dest, tag, comm, request);
}

void ssend_init(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
                int tag, Comm& comm, MPI_Request& request) {
    make_send(Mode::synchronous, state, buf, count, type, dest, tag, comm, request);
}

void rsend_init(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
                int tag, Comm& comm, MPI_Request& request) {
    make_send(Mode::ready, state, buf, count, type, dest, tag, comm, request);
}

void recv_init(State& state, void* buf, std::size_t count, const TypeRef& type, int source, int tag,
               Comm& comm, MPI_Request& request) {
    if (source == no_rank) return make_local(state, request);
    request = handle_of(
        state.process().make_persistent_receive(buffer(buf, count, type), source, tag, comm));
}

void start(State& state, MPI_Request& request) {
    const Found found(state, request, "request");
    if (found.engine() != nullptr && found.engine()->is_persistent()) {
        if (found.is_active())
            throw MpiError(ErrorClass::request,
                           "request was started already; complete it before it is started again");
        state.process().start(*found.engine());
    } else if (LocalRequest* const local = found.local()) {
        if (local->start) local->start();
        local->active = true;
    } else {
        throw MpiError(ErrorClass::request,
                       "request is not a persistent one; only those that "
                       "MPI_*_init made can be started");
    }
}

void startall(State& state, std::size_t count, MPI_Request requests[]) {
    for (std::size_t i = 0; i < count; ++i)
        start(state, requests[i]);
}

}  // namespace

#include <entries/persistent.inc>

}  // namespace railyard::mpi::abi
