#include "mpi/abi/handlers.hpp"

namespace railyard::mpi::abi {

MPI_Errhandler create_error_handler(State& state, MPI_Comm_errhandler_function* function) {
    if (function == nullptr) null_argument("comm_errhandler_fn");
    ErrorHandler handler{ErrorHandler::Kind::user, 0, [function](int comm, int code) {
                             function(&comm, &code, static_cast<void*>(nullptr));
                         }};
    return state.error_handlers.add(std::make_unique<ErrorHandlerRef>(
        std::make_shared<const ErrorHandler>(std::move(handler))));
}

MPI_Errhandler give_error_handler(State& state, const Comm& comm) {
    const ErrorHandlerRef& handler = comm.error_handler;
    // Handles of the user's own are freed one by one, so each call gives a new one.
    if (handler->kind == ErrorHandler::Kind::user)
        return state.error_handlers.add(std::make_unique<ErrorHandlerRef>(handler));
    return handler->handle;
}

}  // namespace railyard::mpi::abi
