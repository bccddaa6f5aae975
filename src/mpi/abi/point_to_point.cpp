// Sends and receives: blocking and not, and persistent; looking at messages before they
// are received, and taking one to receive it later.

#include <memory>
#include <optional>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/engine/matcher.hpp"

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
        return set_status(status, proc_null_status);
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
        return set_status(status, proc_null_status);
    }
    const ConstBuffer out = const_buffer(sendbuf, sendcount, sendtype);
    const Buffer in = buffer(recvbuf, recvcount, recvtype);
    if (overlap(out, in)) [[unlikely]]
        throw MpiError(ErrorClass::buffer,
                       "sendbuf and recvbuf overlap; give each memory of its own, or call "
                       "MPI_Sendrecv_replace");
    Status found;
    state.process().exchange(out, dest, sendtag, in, source, recvtag, comm, &found);
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

void make_local(State& state, MPI_Request& request) {
    auto local = std::make_unique<LocalRequest>();
    local->status = proc_null_status;
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

constexpr const char* started_already =
    "request was started already; complete it before it is started again";
constexpr const char* not_persistent =
    "request is not a persistent one; only those that MPI_*_init made can be started";

void start(State& state, MPI_Request& request) {
    const Found found(state, request, "request");
    if (found.engine() != nullptr && found.engine()->is_persistent()) {
        if (found.is_active()) throw MpiError(ErrorClass::request, started_already);
        state.process().start(*found.engine());
    } else if (LocalRequest* const local = found.local()) {
        if (local->active && local->deferred) throw MpiError(ErrorClass::request, started_already);
        if (local->deferred && !local->persistent)
            throw MpiError(ErrorClass::request, not_persistent);
        local->status = proc_null_status;
        if (local->start) local->buffered = local->start();
        if (local->deferred) local->deferred->start();
        local->active = true;
    } else {
        throw MpiError(ErrorClass::request, not_persistent);
    }
}

void startall(State& state, std::size_t count, MPI_Request requests[]) {
    for (std::size_t i = 0; i < count; ++i)
        start(state, requests[i]);
}

void probe(State& state, int source, int tag, Comm& comm, MPI_Status* status) {
    if (source == no_rank) return set_status(status, proc_null_status);
    Process& process = state.process();
    std::optional<Status> found;
    process.wait_until([&] { return (found = process.probe(source, tag, comm)).has_value(); });
    set_status(status, *found);
}

void iprobe(State& state, int source, int tag, Comm& comm, int& flag, MPI_Status* status) {
    flag = 1;
    if (source == no_rank) return set_status(status, proc_null_status);
    if (const auto found = state.process().probe(source, tag, comm))
        return set_status(status, *found);
    flag = 0;
    state.charge_empty_poll();
}

void give_message(const Message& found, MPI_Message& message, MPI_Status* status) {
    message = make_handle(Prefix::message, found.index);
    set_status(status, found.status);
}

void mprobe(State& state, int source, int tag, Comm& comm, MPI_Message& message,
            MPI_Status* status) {
    if (source == no_rank) {
        message = MPI_MESSAGE_NO_PROC;
        return set_status(status, proc_null_status);
    }
    Process& process = state.process();
    Message* found = nullptr;
    process.wait_until(
        [&] { return (found = process.matched_probe(source, tag, comm)) != nullptr; });
    give_message(*found, message, status);
}

void improbe(State& state, int source, int tag, Comm& comm, int& flag, MPI_Message& message,
             MPI_Status* status) {
    flag = 1;
    if (source == no_rank) {
        message = MPI_MESSAGE_NO_PROC;
        return set_status(status, proc_null_status);
    }
    if (const Message* found = state.process().matched_probe(source, tag, comm))
        return give_message(*found, message, status);
    flag = 0;
    state.charge_empty_poll();
}

/// The communicator that a message was sent in. It is the caller's fault if that is freed by now.
Comm& comm_of(State& state, const Message& message) {
    Comm* const comm =
        state.comm_of(message.taken != nullptr ? message.taken->envelope.context
                                               : message.unexpected->envelope().context);
    if (comm == nullptr)
        throw MpiError(ErrorClass::comm, "the communicator of the message was freed");
    return *comm;
}

void imrecv(State& state, void* buf, std::size_t count, const TypeRef& type, MPI_Message& message,
            MPI_Request& request) {
    const Buffer into = buffer(buf, count, type);
    if (message == MPI_MESSAGE_NO_PROC) {
        request = done_request;
    } else {
        Message* const found = has_prefix(message, Prefix::message)
                                   ? state.process().find_message(index_of(message))
                                   : nullptr;
        if (found == nullptr)
            throw MpiError(ErrorClass::request,
                           "message is not the handle of a message; a message "
                           "that a matched probe found is received once");
        request = handle_of(state.process().start_receive(*found, into, comm_of(state, *found)));
    }
    message = MPI_MESSAGE_NULL;
}

void mrecv(State& state, void* buf, std::size_t count, const TypeRef& type, MPI_Message& message,
           MPI_Status* status) {
    MPI_Request handle = MPI_REQUEST_NULL;
    imrecv(state, buf, count, type, message, handle);
    const Found found(state, handle, "message");
    const std::uint32_t context = found.context();
    found.wait(state);
    state.process().set_last_receive(found.engine());
    const ErrorClass error = finish(state, found, handle, status);
    if (error != ErrorClass::success) throw_failure(state, context, found.engine(), error);
}

}  // namespace

#include <entries/persistent.inc>
#include <entries/point_to_point.inc>
#include <entries/probe.inc>

}  // namespace railyard::mpi::abi
