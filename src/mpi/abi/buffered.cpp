// Sends that never wait: through memory that the user lent.

#include "mpi/abi/buffers.hpp"
#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

void bsend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest, int tag,
           Comm& comm) {
    if (dest != no_rank) state.attached.send(const_buffer(buf, count, type), dest, tag, comm);
}

void ibsend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
            int tag, Comm& comm, MPI_Request& request) {
    bsend(state, buf, count, type, dest, tag, comm);
    request = done_request;
}

void bsend_init(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
                int tag, Comm& comm, MPI_Request& request) {
    auto local = std::make_unique<LocalRequest>();
    local->status = nobody_status;
    local->start = [&state, buf, count, type, dest, tag, on = comm.handle] {
        bsend(state, buf, count, type, dest, tag, state.comm(on, "comm"));
    };
    request = state.local_requests.add(std::move(local));
}

void buffer_attach(State& state, void* buffer, std::size_t size) {
    state.attached.attach(buffer, size);
}

void buffer_detach(State& state, void* buffer_addr, int& size) {
    const AttachedBuffer::Lent lent = state.attached.detach(state.process());
    if (buffer_addr != nullptr) *static_cast<void**>(buffer_addr) = lent.memory;
    size = static_cast<int>(lent.size);
}

}  // namespace

#include <entries/buffered.inc>

}  // namespace railyard::mpi::abi
