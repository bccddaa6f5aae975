#include "mpi/abi/state.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>

#include "launch/job/crash_report.hpp"
#include "launch/managers/join.hpp"
#include "mpi/abi/checked_objects.hpp"
#include "mpi/abi/errors.hpp"
#include "mpi/abi/resolver.hpp"
#include "mpi/calls/call.hpp"
#include "mpi/recording/recorder.hpp"

namespace railyard::mpi::abi {

namespace {

ErrorHandlerRef builtin_handler(ErrorHandler::Kind kind, int handle) {
    return std::make_shared<const ErrorHandler>(ErrorHandler{kind, handle, nullptr});
}

[[noreturn]] void bad(ErrorClass error_class, const char* argument, const char* what, int handle,
                      int null_handle) {
    throw MpiError(error_class,
                   std::string(argument) + " is " +
                       (handle == null_handle ? "the null handle" : "not the handle of a") +
                       (handle == null_handle ? "" : what));
}

}  // namespace

State::State(job::Rank& rank, std::unique_ptr<job::Rank> joined)
    : joined_(std::move(joined)),
      process_(std::make_unique<Process>(rank)),
      resolver_(std::make_unique<Resolver>(*this)) {
    using Kind = ErrorHandler::Kind;
    builtin_handlers_ = {builtin_handler(Kind::fatal, MPI_ERRORS_ARE_FATAL),
                         builtin_handler(Kind::returns, MPI_ERRORS_RETURN),
                         builtin_handler(Kind::returns, MPIR_ERRORS_THROW_EXCEPTIONS),
                         builtin_handler(Kind::abort, MPI_ERRORS_ABORT)};
    builtin_comms_ = {
        std::make_unique<Comm>(*process_, ContextIds::world, Group::all(process_->world_size())),
        std::make_unique<Comm>(*process_, ContextIds::self,
                               Group(std::vector<int>{process_->world_rank()}))};
    world().handle = MPI_COMM_WORLD;
    world().name = "MPI_COMM_WORLD";
    world().error_handler = builtin_handlers_[0];
    self().handle = MPI_COMM_SELF;
    self().name = "MPI_COMM_SELF";
    self().error_handler = builtin_handlers_[0];
    world_attributes.universe_size = process_->world_size();
    in_virtual_time_ = rank.nic().traits().clock == fabric::Clock::virtual_time;

    for (std::size_t i = 0; i < builtin_type_count; ++i) {
        const auto& [handle, basic] = builtin_types()[i];
        if (basic != Basic::none)
            builtin_types_[i] = {&predefined(basic), static_cast<int>(handle)};
    }
}

State::~State() {
    process_->rank().explain_wait_by({});
}

State& State::awake() {
    if (State* const state = here()) return *state;
    if (was_finalised())
        throw MpiError(ErrorClass::other,
                       "MPI was finalised, and no session was open then; open the first session "
                       "before MPI_Finalize");
    const std::uint64_t began = recording::counter_now();
    const auto watches = std::make_shared<calls::CallWatches>();
    if (CallWatch* const watch = calls::call_watch()) watches->add(*watch);
    watches->entered(Function::Init, {});
    std::unique_ptr<job::Rank> joined;
    auto* rank = static_cast<job::Rank*>(rank_local::here->rank);
    if (rank == nullptr) {
        joined = managers::join();
        rank = joined.get();
        // To end a process without having taken leave is a failure of the job.
        static const bool registered = std::atexit(&leave) == 0;
        static_cast<void>(registered);
    }
    auto* const state = new State(*rank, std::move(joined));
    // Of a rank that is a whole process: others are part of one that is not theirs.
    if (state->joined_ && state->process().settings().backtrace) job::report_crashes(rank->id());
    rank_local::here->slots[state_slot].destroy = &leave;
    word().store(state, std::memory_order_relaxed);
    state->watches_ = watches;
    state->record(*rank, began);
    state->checks_ = add_checks(*state, *watches);
    if (!watches->empty()) state->around_.watch = watches->only_or_all();
    state->process().tell_messages(watches->messages());
    state->raise_thread_level(MPI_THREAD_SINGLE);
    watches->began(state->resolver());
    watches->left(Function::Init);
    return *state;
}

void State::record(job::Rank& rank, std::uint64_t began) {
    SharedMemory memory = rank.kept_memory();
    if (!memory) return;
    recorder_ = std::make_shared<recording::Recorder>(
        std::make_unique<recording::SharedStore>(std::move(memory), rank.size()),
        recording::Identity{rank.id(), rank.size(), static_cast<int>(rank.node())}, began);
    watches_->add(*recorder_);
}

void State::raise_thread_level(int level) {
    if (level == MPI_THREAD_MULTIPLE && !process().allow_threads()) level = MPI_THREAD_SERIALIZED;
    thread_level = std::max(thread_level, level);
    around_.lock = process().lock().get();
    if (around_.lock != nullptr || around_.watch != nullptr) around = &around_;
}

void State::begin(int thread_level) {
    if ((here() != nullptr && here()->was_begun()) || was_finalised())
        throw MpiError(ErrorClass::other, "MPI can be initialised once only");
    State& state = awake();
    state.world_ = World::begun;
    state.raise_thread_level(thread_level);
    state.main_thread = pthread_self();
}

void State::end() {
    State* const state = here();
    if (state->world_ != World::begun)
        throw MpiError(ErrorClass::other,
                       state->has_ended() ? "MPI was finalised before"
                                          : "MPI_Finalize needs an MPI_Init before it; sessions "
                                            "end with MPI_Session_finalize");
    if (!state->has_sessions()) return shut_down();
    const Call call(state->around, Function::Finalize);
    state->world_ = World::ended;
    state->self().attributes.erase_all(MPI_COMM_SELF);
    state->world().attributes.erase_all(MPI_COMM_WORLD);
}

Session& State::open_session(ErrorHandlerRef handler) {
    auto opened = std::make_unique<Session>();
    Session& session = *opened;
    session.error_handler = std::move(handler);
    session.handle = sessions.add(std::move(opened));
    return session;
}

bool State::close_session(MPI_Session handle) {
    bury(sessions.remove(handle));
    return has_ended() && !has_sessions();
}

void State::shut_down() {
    State* const state = here();
    const std::shared_ptr<EngineLock> lock = state->process().lock();
    const std::shared_ptr<CallWatch> watches = state->watches_;
    const std::shared_ptr<recording::Recorder> recorder = state->recorder_;
    const std::shared_ptr<void> checks = state->checks_;
    // Not by a Call, as the state goes before the call ends.
    const EngineLockGuard guard(lock.get());
    watches->entered(Function::Finalize, {});
    // Attributes of MPI_COMM_SELF go first, while MPI still works.
    state->self().attributes.erase_all(MPI_COMM_SELF);
    state->world().attributes.erase_all(MPI_COMM_WORLD);
    state->detach_buffers();
    state->process().finalize();
    state->process().tell_messages(nullptr);
    watches->finalised(state->process().counters());
    drop();
    watches->left(Function::Finalize);
}

void State::detach_buffers() {
    attached->detach(process());
    for (const auto& comm : builtin_comms_)
        if (comm->own_buffer) comm->own_buffer->detach(process());
    comms.any([this](int, Comm& comm) {
        if (comm.own_buffer) comm.own_buffer->detach(process());
        return false;
    });
}

void State::leave() {
    State* const state = here();
    if (state == nullptr) return;
    const bool is_over = !state->has_sessions() && state->world_ != World::begun;
    if (!is_over || std::uncaught_exceptions() > 0) {
        // A process that ends like this has failed, and whoever started it sees that.
        if (state->joined_ == nullptr) drop();
        return;
    }
    try {
        shut_down();
    } catch (const std::exception&) {
        drop();
    }
}

void State::drop() {
    delete here();
    rank_local::here->slots[state_slot].destroy = nullptr;
    word().store(reinterpret_cast<void*>(finalised_mark), std::memory_order_relaxed);
}

void State::bad_comm(MPI_Comm handle, const char* argument) {
    bad(ErrorClass::comm, argument, " communicator", handle, MPI_COMM_NULL);
}

void State::bad_window(MPI_Win handle, const char* argument) {
    bad(ErrorClass::win, argument, " window", handle, MPI_WIN_NULL);
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

const UserGroup& State::group(MPI_Group handle, const char* argument) {
    static const UserGroup empty{};
    if (handle == MPI_GROUP_EMPTY) return empty;
    if (const UserGroup* group = groups.find(handle)) return *group;
    bad(ErrorClass::group, argument, " group", handle, MPI_GROUP_NULL);
}

const Operation& State::op(MPI_Op handle, const char* argument) {
    // Predefined operations are numbered from 1 in the order of Operation::Kind.
    static_assert(static_cast<int>(Operation::Kind::sum) == MPI_SUM - MPI_MAX &&
                  static_cast<int>(Operation::Kind::no_op) == MPI_NO_OP - MPI_MAX);
    const std::uint32_t builtin = static_cast<std::uint32_t>(handle) - MPI_MAX;
    if (builtin <= MPI_NO_OP - MPI_MAX) return *predefined(static_cast<Operation::Kind>(builtin));
    if (const OperationRef* op = ops.find(handle)) return **op;
    bad(ErrorClass::op, argument, " operation", handle, MPI_OP_NULL);
}

Info* State::info(MPI_Info handle, const char* argument) {
    if (handle == MPI_INFO_NULL) return nullptr;
    if (handle == MPI_INFO_ENV) {
        if (!environment_) environment_ = std::make_unique<Info>(environment_of(*this));
        return environment_.get();
    }
    if (Info* info = infos.find(handle)) return info;
    throw CodedError(MPI_ERR_INFO, std::string(argument) + " is not the handle of an info object");
}

const ErrorHandlerRef& State::error_handler(MPI_Errhandler handle, const char* argument) {
    const std::uint32_t builtin = static_cast<std::uint32_t>(handle) - MPI_ERRORS_ARE_FATAL;
    if (builtin < builtin_handlers_.size()) return builtin_handlers_[builtin];
    if (const HandlerEntry* entry = error_handlers.find(handle)) return entry->handler;
    bad(ErrorClass::arg, argument, "n error handler", handle, MPI_ERRHANDLER_NULL);
}

Session& State::session(MPI_Session handle, const char* argument) {
    if (Session* const session = sessions.find(handle)) return *session;
    bad(ErrorClass::session, argument, " session", handle, MPI_SESSION_NULL);
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

void State::forget(MPI_Comm handle) {
    forgotten_comms_.push_back(comms.remove(handle));
    std::erase_if(forgotten_comms_, [this](const std::unique_ptr<Comm>& comm) {
        if (process().is_in_use(comm->context())) return false;
        context_ids.give_back(comm->context());
        return true;
    });
}

MPI_Win State::add(std::unique_ptr<Window> window) {
    Window& added = *window;
    added.error_handler = builtin_handlers_[0];
    added.handle = windows.add(std::move(window));
    return added.handle;
}

void State::abandon(std::unique_ptr<LocalRequest> request) {
    std::erase_if(abandoned_, [](const auto& one) { return one->deferred->is_complete(); });
    abandoned_.push_back(std::move(request));
}

MPI_Group State::add(Group group, std::shared_ptr<AttachedBuffer> session_buffer) {
    if (group.size() == 0) return MPI_GROUP_EMPTY;
    return groups.add(
        std::make_unique<UserGroup>(UserGroup{std::move(group), std::move(session_buffer)}));
}

MPI_Datatype State::add(TypeRef type, bool committed) {
    return types.add(std::make_unique<TypeEntry>(TypeEntry{std::move(type), committed, {}}));
}

MPI_Datatype State::find_handle(const Datatype& type) const {
    if (type.is_named()) return handle_of(type.basic());
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
    for (const auto& comm : forgotten_comms_)
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
