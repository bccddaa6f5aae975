#include "mpi/abi/checked_objects.hpp"

#include <fmt/format.h>

#include "mpi/abi/requests.hpp"
#include "mpi/checking/checks.hpp"
#include "mpi/types/operation.hpp"
#include "mpi/types/type_sequence.hpp"

namespace railyard::mpi::abi {

namespace {

/// Of a communicator or a window.
std::string name_of(const ErrorScope* scope, int handle) {
    if (scope == nullptr) return "no " + std::string(ErrorScope().what);
    return scope->name.empty()
               ? fmt::format("{} {:#x}", scope->what, static_cast<std::uint32_t>(handle))
               : scope->name;
}

/// One that the user has made is named after what it is made of.
std::string name_of(const Datatype& type) {
    if (!type.name().empty()) return std::string(type.name());
    return "a type of " + basics_text(type);
}

}  // namespace

TypeRef CheckedObjects::type(int handle) {
    const Datatype* const found = state_.find_type(handle);
    return found != nullptr ? found->shared_from_this() : nullptr;
}

Request* CheckedObjects::request(int handle) {
    return find_engine(state_, handle);
}

const Request* CheckedObjects::message_request(int handle) {
    if (const Request* const engine = find_engine(state_, handle)) return engine;
    const LocalRequest* const local = state_.local_requests.find(handle);
    return local != nullptr && local->deferred ? local->deferred->receive_within() : nullptr;
}

checking::RequestState CheckedObjects::request_state(int handle) {
    using checking::RequestState;
    if (const Request* const engine = find_engine(state_, handle)) {
        if (!engine->is_active()) return RequestState::inactive;
        return engine->is_complete() ? RequestState::complete : RequestState::pending;
    }
    const LocalRequest* const local = state_.local_requests.find(handle);
    if (local == nullptr) return RequestState::none;
    if (!local->active) return RequestState::inactive;
    if (local->deferred == nullptr) return RequestState::complete;
    if (local->deferred->receive_within() == nullptr) return RequestState::unknown;
    return local->deferred->is_complete() ? RequestState::complete : RequestState::pending;
}

std::string CheckedObjects::comm_name(int handle) {
    return name_of(state_.find_comm(handle), handle);
}

std::string CheckedObjects::type_name(int handle) {
    const Datatype* const found = state_.find_type(handle);
    return found != nullptr ? name_of(*found) : "no datatype";
}

std::string CheckedObjects::op_name(int handle) {
    const auto builtin = static_cast<std::uint32_t>(handle) - MPI_MAX;
    if (builtin <= MPI_NO_OP - MPI_MAX)
        return std::string(predefined(static_cast<Operation::Kind>(builtin))->name());
    return state_.ops.find(handle) != nullptr ? "a user's operation" : "no operation";
}

std::string CheckedObjects::window_name(int handle) {
    return name_of(state_.windows.find(handle), handle);
}

std::shared_ptr<void> add_checks(State& state, calls::CallWatches& watches) {
    struct Checks {
        explicit Checks(State& state) : objects(state), checks(objects) {}
        CheckedObjects objects;
        checking::Checks checks;
    };
    if (!checking::Checks::are_wanted(state.process())) return nullptr;
    auto added = std::make_shared<Checks>(state);
    added->checks.add_to(watches);
    return added;
}

}  // namespace railyard::mpi::abi
