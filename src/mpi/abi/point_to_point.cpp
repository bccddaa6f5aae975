// Sends and receives, blocking and not.

#include <memory>

#include "mpi/abi/buffers.hpp"
#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

inline void send_as(Mode mode, State& state, const void* buf, std::size_t count,
                    const TypeRef& type, int dest, int tag, Comm& comm) {
    if (dest == no_rank) [[unlikely]]
        return;
    state.process().send(const_buffer(buf, count, type), dest, tag, comm, mode);
}

void send(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest, int tag,
          Comm& comm) {
    send_as(Mode::standard, state, buf, count, type, dest, tag, comm);
}

void ssend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest, int tag,
           Comm& comm) {
    send_as(Mode::synchronous, state, buf, count, type, dest, tag, comm);
}

void rsend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest, int tag,
           Comm& comm) {
    send_as(Mode::ready, state, buf, count, type, dest, tag, comm);
}

inline void start_as(Mode mode, State& state, const void* buf, std::size_t count,
                     const TypeRef& type, int dest, int tag, Comm& comm, MPI_Request& request) {
    if (dest == no_rank) [[unlikely]] {
        request = done_request;
        return;
    }
    request = handle_of(
        state.process().start_send(const_buffer(buf, count, type), dest, tag, comm, mode));
}

void isend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest, int tag,
           Comm& comm, MPI_Request& request) {
    start_as(Mode::standard, state, buf, count, type, dest, tag, comm, request);
}

void issend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
            int tag, Comm& comm, MPI_Request& request) {
    start_as(Mode::synchronous, state, buf, count, type, dest, tag, comm, request);
}

void irsend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
            int tag, Comm& comm, MPI_Request& request) {
    start_as(Mode::ready, state, buf, count, type, dest, tag, comm, request);
}

void recv(State& state, void* buf, std::size_t count, const TypeRef& type, int source, int tag,
          Comm& comm, MPI_Status* status) {
    if (source == no_rank) [[unlikely]]
        return set_status(status, nobody_status);
    Status found;
    state.process().receive(buffer(buf, count, type), source, tag, comm, &found);
    set_status(status, found);
}

void irecv(State& state, void* buf, std::size_t count, const TypeRef& type, int source, int tag,
           Comm& comm, MPI_Request& request) {
    if (source == no_rank) [[unlikely]] {
        request = done_request;
        return;
    }
    request = handle_of(state.process().start_receive(buffer(buf, count, type), source, tag, comm));
}

void sendrecv(State& state, const void* sendbuf, std::size_t sendcount, const TypeRef& sendtype,
              int dest, int sendtag, void* recvbuf, std::size_t recvcount, const TypeRef& recvtype,
              int source, int recvtag, Comm& comm, MPI_Status* status) {
    if (dest == no_rank)
        return recv(state, recvbuf, recvcount, recvtype, source, recvtag, comm, status);
    if (source == no_rank) {
        send(state, sendbuf, sendcount, sendtype, dest, sendtag, comm);
        return set_status(status, nobody_status);
    }
    Status found;
    state.process().exchange(const_buffer(sendbuf, sendcount, sendtype), dest, sendtag,
                             buffer(recvbuf, recvcount, recvtype), source, recvtag, comm, &found);
    set_status(status, found);
}

void sendrecv_replace(State& state, void* buf, std::size_t count, const TypeRef& type, int dest,
                      int sendtag, int source, int recvtag, Comm& comm, MPI_Status* status) {
    const std::size_t bytes = count * type->size();
    const auto copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    type->pack(buffer(buf, count, type).address, count, 0, {copy.get(), bytes});
    sendrecv(state, copy.get(), bytes, predefined(Basic::packed), dest, sendtag, buf, count, type,
             source, recvtag, comm, status);
}

}  // namespace

#include <entries/point_to_point.inc>

}  // namespace railyard::mpi::abi
