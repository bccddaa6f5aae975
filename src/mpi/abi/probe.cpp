// Looking at messages before they are received, and taking one to receive it later.

#include <optional>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/engine/matcher.hpp"

namespace railyard::mpi::abi {

namespace {

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
        request = handle_of(state.process().start_receive(*found, buffer(buf, count, type),
                                                          comm_of(state, *found)));
    }
    message = MPI_MESSAGE_NULL;
}

void mrecv(State& state, void* buf, std::size_t count, const TypeRef& type, MPI_Message& message,
           MPI_Status* status) {
    MPI_Request handle = MPI_REQUEST_NULL;
    imrecv(state, buf, count, type, message, handle);
    const Found found(state, handle, "message");
    std::uint32_t context = 0;
    if (found.engine() != nullptr) {
        context = found.engine()->envelope.context;
        state.process().wait(*found.engine());
    }
    const ErrorClass error = finish(state, found, handle, status);
    if (error != ErrorClass::success) throw_failure(state, context, error);
}

}  // namespace

#include <entries/probe.inc>

}  // namespace railyard::mpi::abi
