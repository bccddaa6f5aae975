// Buffered sends, and the buffers that messages are copied into: of the rank, of a session, of a
// communicator. The nearest to the communicator that has memory attached is taken.

#include <memory>

#include "mpi/abi/requests.hpp"
#include "mpi/communicators/attached_buffer.hpp"

namespace railyard::mpi::abi {

namespace {

using BufferRef = std::shared_ptr<AttachedBuffer>;

const BufferRef& buffer_for(State& state, const Comm& comm) {
    if (comm.own_buffer && comm.own_buffer->is_attached()) return comm.own_buffer;
    if (comm.session_buffer && comm.session_buffer->is_attached()) return comm.session_buffer;
    return state.attached;
}

const BufferRef& own_buffer(Comm& comm) {
    if (!comm.own_buffer) comm.own_buffer = std::make_shared<AttachedBuffer>();
    return comm.own_buffer;
}

/// Number 0: it has left, or nobody is to have it.
LocalRequest::Buffered bsend(State& state, const void* buf, std::size_t count, const TypeRef& type,
                             int dest, int tag, Comm& comm) {
    if (dest == no_rank) return {};
    const BufferRef into = buffer_for(state, comm);
    return {into, into->send(const_buffer(buf, count, type), dest, tag, comm)};
}

void ibsend(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
            int tag, Comm& comm, MPI_Request& request) {
    LocalRequest::Buffered buffered = bsend(state, buf, count, type, dest, tag, comm);
    if (buffered.number == 0) {
        request = done_request;
        return;
    }
    auto local = std::make_unique<LocalRequest>();
    local->status = proc_null_status;
    local->active = true;
    local->persistent = false;
    local->buffered = std::move(buffered);
    request = state.local_requests.add(std::move(local));
}

void bsend_init(State& state, const void* buf, std::size_t count, const TypeRef& type, int dest,
                int tag, Comm& comm, MPI_Request& request) {
    const_buffer(buf, count, type);
    auto local = std::make_unique<LocalRequest>();
    local->status = proc_null_status;
    local->start = [&state, buf, count, type, dest, tag, on = comm.handle] {
        return bsend(state, buf, count, type, dest, tag, state.comm(on, "comm"));
    };
    request = state.local_requests.add(std::move(local));
}

void attach(AttachedBuffer& to, void* memory, std::size_t size) {
    if (memory == MPI_BUFFER_AUTOMATIC) return to.attach_automatic();
    to.attach(buffer(memory, size, predefined(Basic::byte)).address, size);
}

void detach(State& state, AttachedBuffer& from, void* buffer_addr, CountResult size) {
    const AttachedBuffer::Lent lent = from.detach(state.process());
    if (buffer_addr != nullptr)
        *static_cast<void**>(buffer_addr) = lent.automatic ? MPI_BUFFER_AUTOMATIC : lent.memory;
    size = static_cast<MPI_Count>(lent.size);
}

/// Complete when all that was in the buffer has left it.
class Flush : public Deferred {
  public:
    Flush(State& state, BufferRef buffer)
        : state_(state), buffer_(std::move(buffer)), last_(buffer_->last()) {}

    bool is_complete() override { return buffer_->has_left(last_, state_.process()); }
    Status result() override { return empty_status; }
    void cancel() override {
        throw MpiError(ErrorClass::request,
                       "request is the flush of a buffer, which cannot be cancelled; wait for it");
    }

  private:
    State& state_;
    BufferRef buffer_;
    std::uint64_t last_;
};

/// `context`: of the communicator that hears of a failure; 0: the world.
void start_flush(State& state, const BufferRef& buffer, std::uint32_t context,
                 MPI_Request& request) {
    request = add_request(state, std::make_unique<Flush>(state, buffer), context);
}

void buffer_attach(State& state, void* buffer, std::size_t size) {
    attach(*state.attached, buffer, size);
}

void buffer_detach(State& state, void* buffer_addr, CountResult size) {
    detach(state, *state.attached, buffer_addr, size);
}

void buffer_flush(State& state) {
    state.attached->flush(state.process());
}

void buffer_iflush(State& state, MPI_Request& request) {
    start_flush(state, state.attached, 0, request);
}

void comm_attach_buffer(State&, Comm& comm, void* buffer, std::size_t size) {
    attach(*own_buffer(comm), buffer, size);
}

void comm_detach_buffer(State& state, Comm& comm, void* buffer_addr, CountResult size) {
    detach(state, *own_buffer(comm), buffer_addr, size);
}

void comm_flush_buffer(State& state, Comm& comm) {
    own_buffer(comm)->flush(state.process());
}

void comm_iflush_buffer(State& state, Comm& comm, MPI_Request& request) {
    start_flush(state, own_buffer(comm), comm.context(), request);
}

void session_attach_buffer(State&, Session& session, void* buffer, std::size_t size) {
    attach(*session.buffer, buffer, size);
}

void session_detach_buffer(State& state, Session& session, void* buffer_addr, CountResult size) {
    detach(state, *session.buffer, buffer_addr, size);
}

void session_flush_buffer(State& state, Session& session) {
    session.buffer->flush(state.process());
}

void session_iflush_buffer(State& state, Session& session, MPI_Request& request) {
    start_flush(state, session.buffer, 0, request);
}

}  // namespace

#include <entries/buffered.inc>

}  // namespace railyard::mpi::abi
