// State's look-ups that are not worth inlining.

#include <string>

#include "mpi/abi/errors.hpp"
#include "mpi/abi/state.hpp"

namespace railyard::mpi::abi {

namespace {

[[noreturn]] void bad(ErrorClass error_class, const char* argument, const char* what, int handle,
                      int null_handle) {
    throw MpiError(error_class,
                   std::string(argument) + " is " +
                       (handle == null_handle ? "the null handle" : "not the handle of a") +
                       (handle == null_handle ? "" : what));
}

}  // namespace

void State::bad_comm(MPI_Comm handle, const char* argument) {
    bad(ErrorClass::comm, argument, " communicator", handle, MPI_COMM_NULL);
}

void State::not_committed(const char* argument) {
    throw MpiError(ErrorClass::type,
                   std::string(argument) + " was not committed; call MPI_Type_commit first");
}

TypeEntry& State::type_entry(MPI_Datatype handle, const char* argument) {
    if (TypeEntry* entry = types.find(handle)) return *entry;
    if (find_builtin(handle) != nullptr)
        throw MpiError(ErrorClass::type, std::string(argument) + " is a predefined datatype");
    bad(ErrorClass::type, argument, " datatype", handle, MPI_DATATYPE_NULL);
}

TypeExtras& State::type_extras(MPI_Datatype handle, const char* argument) {
    if (find_builtin(handle) != nullptr) return builtin_type_extras_[handle];
    return type_entry(handle, argument).extras;
}

const Group& State::group(MPI_Group handle, const char* argument) {
    static const Group empty;
    if (handle == MPI_GROUP_EMPTY) return empty;
    if (const Group* group = groups.find(handle)) return *group;
    bad(ErrorClass::group, argument, " group", handle, MPI_GROUP_NULL);
}

const Operation& State::op(MPI_Op handle, const char* argument) {
    // Predefined operations are numbered from 1 in the order of Operation::Kind.
    static_assert(static_cast<int>(Operation::Kind::sum) == MPI_SUM - MPI_MAX &&
                  static_cast<int>(Operation::Kind::no_op) == MPI_NO_OP - MPI_MAX);
    const std::uint32_t builtin = static_cast<std::uint32_t>(handle) - MPI_MAX;
    if (builtin <= MPI_NO_OP - MPI_MAX) return *predefined(static_cast<Operation::Kind>(builtin));
    if (const Operation* op = ops.find(handle)) return *op;
    bad(ErrorClass::op, argument, " operation", handle, MPI_OP_NULL);
}

Info* State::info(MPI_Info handle, const char* argument) {
    if (handle == MPI_INFO_NULL) return nullptr;
    if (Info* info = infos.find(handle)) return info;
    throw CodedError(MPI_ERR_INFO, std::string(argument) + " is not the handle of an info object");
}

const ErrorHandlerRef& State::error_handler(MPI_Errhandler handle, const char* argument) {
    const std::uint32_t builtin = static_cast<std::uint32_t>(handle) - MPI_ERRORS_ARE_FATAL;
    if (builtin < builtin_handlers_.size()) return builtin_handlers_[builtin];
    if (const ErrorHandlerRef* handler = error_handlers.find(handle)) return *handler;
    bad(ErrorClass::arg, argument, "n error handler", handle, MPI_ERRHANDLER_NULL);
}

KeyvalEntry& State::keyval(int handle, KeyvalEntry::Of of, const char* argument) {
    KeyvalEntry* const entry = keyvals.find(handle);
    if (entry == nullptr || entry->of != of)
        bad(ErrorClass::keyval, argument, "n attribute's key of this kind", handle,
            MPI_KEYVAL_INVALID);
    return *entry;
}

MPI_Comm State::add(std::unique_ptr<Comm> comm) {
    if (!comm) return MPI_COMM_NULL;
    Comm& added = *comm;
    added.handle = comms.add(std::move(comm));
    return added.handle;
}

MPI_Group State::add(Group group) {
    if (group.size() == 0) return MPI_GROUP_EMPTY;
    return groups.add(std::make_unique<Group>(std::move(group)));
}

MPI_Datatype State::add(TypeRef type, bool committed) {
    return types.add(std::make_unique<TypeEntry>(TypeEntry{std::move(type), committed, {}}));
}

MPI_Datatype State::find_handle(const Datatype& type) const {
    if (type.is_predefined()) return handle_of(type.basic());
    MPI_Datatype found = MPI_DATATYPE_NULL;
    types.any([&](int handle, const TypeEntry& entry) {
        if (entry.type.get() != &type) return false;
        found = handle;
        return true;
    });
    return found;
}

Comm* State::comm_of(std::uint32_t context) {
    for (const auto& comm : builtin_comms_)
        if (comm->context() == context) return comm.get();
    Comm* found = nullptr;
    comms.any([&](int, Comm& comm) {
        if (comm.context() != context) return false;
        found = &comm;
        return true;
    });
    return found;
}

}  // namespace railyard::mpi::abi
