#pragma once
/// All that the C interface keeps for one rank: the engine's Process, the objects that users'
/// handles stand for, and the look-up from one to the other.

#include <mpi.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock_readings.hpp"
#include "base/rank_local.hpp"
#include "launch/job/rank.hpp"
#include "mpi/abi/errors.hpp"
#include "mpi/abi/handles.hpp"
#include "mpi/abi/partitioned.hpp"
#include "mpi/calls/call.hpp"
#include "mpi/calls/facts.hpp"
#include "mpi/communicators/attached_buffer.hpp"
#include "mpi/communicators/comm.hpp"
#include "mpi/communicators/making.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/datatype.hpp"
#include "mpi/types/operation.hpp"
#include "mpi/windows/window.hpp"
#include "railyard/base/time.hpp"

namespace railyard::mpi::recording {
class Recorder;
}

namespace railyard::mpi::abi {

using calls::Call;
using calls::CallWatch;
using calls::Function;

/// What users attach to a datatype, predefined or made.
struct TypeExtras {
    std::string name;
    Attributes attributes;
};

/// A datatype that a user made.
struct TypeEntry {
    TypeRef type;
    bool committed = false;
    TypeExtras extras;
};

/// The user's functions for the attributes under a key; the same for all objects, whose handles are
/// ints. Those of another language are called by proxies, which that language's library brings. The
/// ABI has their types.
struct KeyFunctions {
    using Copy = int(int, int, void*, void*, void*, int*);
    using Erase = int(int, int, void*, void*);
    using CopyProxy = int(Copy*, int, int, void*, AttributeValue::Kind, void*, void**, int*);
    using EraseProxy = int(Erase*, int, int, AttributeValue::Kind, void*, void*);
    Copy* copy = nullptr;
    Erase* erase = nullptr;
    void* extra_state = nullptr;
    CopyProxy* copy_proxy = nullptr;
    EraseProxy* erase_proxy = nullptr;
};

/// An attribute's key, and what it may be used for.
struct KeyvalEntry {
    enum class Of : std::uint8_t { comm, datatype, window };
    KeyvalRef key;
    Of of = Of::comm;
    std::shared_ptr<KeyFunctions> functions;
};

/// An error handler that a user made. MPI_Comm_get_errhandler gives the same handle once more, and
/// each is to be freed.
struct HandlerEntry {
    ErrorHandlerRef handler;
    int holders = 1;
};

/// The functions of generalized requests; poll and wait of extended ones alone.
struct RequestClass {
    MPI_Grequest_query_function* query = nullptr;
    MPI_Grequest_free_function* free = nullptr;
    MPI_Grequest_cancel_function* cancel = nullptr;
    MPIX_Grequest_poll_function* poll = nullptr;
    MPIX_Grequest_wait_function* wait = nullptr;
};

/// A session that a user opened. All share one library.
struct Session : ErrorScope {
    /// For buffered messages in communicators that come from it, once something is attached to it.
    std::shared_ptr<AttachedBuffer> buffer = std::make_shared<AttachedBuffer>();
};

/// A group that a user has, and the buffer of the session that it comes from, if it does.
struct UserGroup : Group {
    std::shared_ptr<AttachedBuffer> session_buffer;
};

/// What MPI_Comm_get_attr finds on MPI_COMM_WORLD.
struct WorldAttributes {
    int tag_ub = max_tag;
    int host = no_rank;
    int io = any_source;
    int wtime_is_global = 0;
    int universe_size = 1;
    int application = 0;
};

class State;

/// What MPI_INFO_ENV says: how the program was started, by the standard's keys.
Info environment_of(State& state);

class State {
    struct BuiltinTypeRef {
        const TypeRef* type = nullptr;
        int handle = 0;
    };

    // First, so that all else goes before them at the end.
    std::unique_ptr<job::Rank> joined_;
    std::unique_ptr<Process> process_;

  public:
    const calls::Around* around = nullptr;  ///< what calls do besides their work, if anything

  private:
    std::array<std::unique_ptr<Comm>, 2> builtin_comms_;
    std::array<BuiltinTypeRef, builtin_type_count> builtin_types_;

  public:
    /// `joined` is the rank if this library made it itself.
    State(job::Rank& rank, std::unique_ptr<job::Rank> joined);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// The calling rank's; null before the first use and after the last. A thread that calls before
    /// it was told of MPI_Init may only ask whether there was one, so nothing is to be acquired.
    static State* here() {
        void* const state = word().load(std::memory_order_relaxed);
        if (reinterpret_cast<std::uintptr_t>(state) <= finalised_mark) [[unlikely]]
            return nullptr;
        return static_cast<State*>(state);
    }
    static bool was_finalised() {
        return reinterpret_cast<std::uintptr_t>(word().load(std::memory_order_relaxed)) ==
               finalised_mark;
    }
    /// MPI_Init and MPI_Finalize, for the calling rank. While sessions are open, the state stays.
    static void begin(int thread_level);
    static void end();
    /// The calling rank's, which begins with this if there is none yet: for sessions, and for what
    /// may come before them. Once all sessions have ended, others may follow, and so the state ends
    /// with the rank, or with MPI_Finalize.
    static State& awake();
    /// Several threads may call from now on, if that can be granted.
    void raise_thread_level(int level);
    Session& open_session(ErrorHandlerRef handler);
    /// True: MPI_Finalize has left it to this to shut_down().
    bool close_session(MPI_Session handle);
    /// Lets all that is under way leave, waits for all ranks, and frees the state.
    static void shut_down();
    /// Between MPI_Init and MPI_Finalize, or after.
    bool was_begun() const { return world_ != World::none; }
    bool has_ended() const { return world_ == World::ended; }

    Process& process() { return *process_; }
    Comm& world() { return *builtin_comms_[0]; }
    Comm& self() { return *builtin_comms_[1]; }
    UserErrors& user_errors() { return user_errors_; }
    const calls::HandleResolver& resolver() const { return *resolver_; }

    /// After a poll that found nothing. In virtual time nothing happens while a program only polls,
    /// so each poll must take its time.
    void charge_empty_poll() {
        if (in_virtual_time_) process().host().compute(empty_poll_time);
    }

    /// What the rank's clock says.
    Time read_clock() {
        const Time now = process().host().now();
        if (!in_virtual_time_) return now;
        if (const Duration cost = clock_readings_.cost(now); cost > Duration())
            process().host().compute(cost);
        return process().host().now();
    }

    // From handles to objects. An MpiError names the argument.

    Comm& comm(MPI_Comm handle, const char* argument) {
        const std::uint32_t builtin = static_cast<std::uint32_t>(handle) - MPI_COMM_WORLD;
        if (builtin < builtin_comms_.size()) [[likely]]
            return *builtin_comms_[builtin];
        Comm* const comm = comms.find(handle);
        if (comm == nullptr) [[unlikely]]
            bad_comm(handle, argument);
        return *comm;
    }
    /// Null: there is none.
    Comm* find_comm(MPI_Comm handle) const {
        const std::uint32_t builtin = static_cast<std::uint32_t>(handle) - MPI_COMM_WORLD;
        return builtin < builtin_comms_.size() ? builtin_comms_[builtin].get() : comms.find(handle);
    }
    const Datatype* find_type(MPI_Datatype handle) const {
        if (const TypeRef* builtin = find_builtin(handle)) return builtin->get();
        const TypeEntry* const entry = types.find(handle);
        return entry != nullptr ? entry->type.get() : nullptr;
    }
    const TypeRef& type(MPI_Datatype handle, const char* argument) {
        if (const TypeRef* builtin = find_builtin(handle)) [[likely]]
            return *builtin;
        return type_entry(handle, argument).type;
    }
    const TypeRef& committed(MPI_Datatype handle, const char* argument) {
        if (const TypeRef* builtin = find_builtin(handle)) [[likely]]
            return *builtin;
        const TypeEntry& entry = type_entry(handle, argument);
        if (!entry.committed) [[unlikely]]
            not_committed(argument);
        return entry.type;
    }
    TypeEntry& type_entry(MPI_Datatype handle, const char* argument);
    TypeExtras& type_extras(MPI_Datatype handle, const char* argument);
    Window& window(MPI_Win handle, const char* argument) {
        Window* const window = windows.find(handle);
        if (window == nullptr) [[unlikely]]
            bad_window(handle, argument);
        return *window;
    }
    const UserGroup& group(MPI_Group handle, const char* argument);
    const Operation& op(MPI_Op handle, const char* argument);
    /// Null for MPI_INFO_NULL. MPI_INFO_ENV is made when first asked for.
    Info* info(MPI_Info handle, const char* argument);
    const ErrorHandlerRef& error_handler(MPI_Errhandler handle, const char* argument);
    Session& session(MPI_Session handle, const char* argument);
    KeyvalEntry& keyval(int handle, KeyvalEntry::Of of, const char* argument);

    // From objects to new handles.

    MPI_Comm add(std::unique_ptr<Comm> comm);  ///< null: MPI_COMM_NULL
    /// The handle goes now; the communicator and its context once no request is of it.
    void forget(MPI_Comm handle);
    /// Frees what a handle stood for, once no other thread's call may still use it.
    template <class T>
    void bury(std::unique_ptr<T> object) {
        const EngineLock* const lock = process().lock().get();
        if (lock == nullptr || lock->calls <= 1)
            buried_.clear();
        else
            buried_.emplace_back(std::move(object));
    }
    MPI_Win add(std::unique_ptr<Window> window);
    /// Keeps a request whose handle was freed, until it is complete.
    void abandon(std::unique_ptr<LocalRequest> request);
    MPI_Group add(Group group, std::shared_ptr<AttachedBuffer> session_buffer = nullptr);
    MPI_Datatype add(TypeRef type, bool committed = false);
    /// The handle of a predefined type, of a made one that a handle stands for, or none.
    MPI_Datatype find_handle(const Datatype& type) const;
    /// The communicator that has this context; null if there is none any more.
    Comm* comm_of(std::uint32_t context);

    HandleTable<Comm, Prefix::comm> comms;
    HandleTable<Window, Prefix::win> windows;
    HandleTable<UserGroup, Prefix::group> groups;
    HandleTable<TypeEntry, Prefix::datatype> types;
    HandleTable<OperationRef, Prefix::op> ops;
    HandleTable<Info, Prefix::info> infos;
    HandleTable<HandlerEntry, Prefix::error_handler> error_handlers;
    HandleTable<KeyvalEntry, Prefix::keyval> keyvals;
    Announcements announcements;  ///< of partitioned messages
    HandleTable<LocalRequest, Prefix::local_request> local_requests;
    HandleTable<RequestClass, Prefix::request_class> request_classes;  ///< never freed: MPICH's way
    HandleTable<Session, Prefix::session> sessions;

    ContextIds context_ids;
    std::shared_ptr<AttachedBuffer> attached = std::make_shared<AttachedBuffer>();
    WorldAttributes world_attributes;
    int thread_level = MPI_THREAD_SINGLE;
    pthread_t main_thread = pthread_self();

  private:
    static constexpr std::uintptr_t finalised_mark = 1;
    /// Which of a rank's words keeps it.
    static constexpr std::size_t state_slot = 0;
    /// MPI_Init and MPI_Finalize, apart from sessions.
    enum class World : std::uint8_t { none, begun, ended };

    /// Where the rank ends: shuts down if all sessions have ended. Else frees the state without a
    /// word to the others: the rank is a thread or a fiber that ends before MPI_Finalize, in a
    /// process that lives on (see RankLocal).
    static void leave();
    static void drop();
    /// Writes down what the rank does, if whoever started it asks for that.
    void record(job::Rank& rank, std::uint64_t began);
    /// Of the rank and of its communicators: waits until their messages have left.
    void detach_buffers();
    bool has_sessions() const {
        return sessions.any([](int, const Session&) { return true; });
    }
    /// MPI_Initialized and MPI_Finalized may be called by any thread at any time.
    static std::atomic_ref<void*> word() {
        return std::atomic_ref(rank_local::here->slots[state_slot].state);
    }
    static constexpr Duration empty_poll_time = Duration::ns(100);

    const TypeRef* find_builtin(MPI_Datatype handle) const {
        const std::size_t index = builtin_index(static_cast<std::uint32_t>(handle));
        if (index >= builtin_type_count) return nullptr;
        const BuiltinTypeRef& builtin = builtin_types_[index];
        return builtin.handle == handle ? builtin.type : nullptr;
    }
    [[noreturn, gnu::cold]] static void bad_comm(MPI_Comm handle, const char* argument);
    [[noreturn, gnu::cold]] static void bad_window(MPI_Win handle, const char* argument);
    [[noreturn, gnu::cold]] static void not_committed(const char* argument);

    std::vector<std::unique_ptr<Comm>> forgotten_comms_;
    std::vector<std::shared_ptr<void>> buried_;
    std::vector<std::unique_ptr<LocalRequest>> abandoned_;
    std::array<ErrorHandlerRef, 4> builtin_handlers_;
    std::map<MPI_Datatype, TypeExtras> builtin_type_extras_;
    std::unique_ptr<Info> environment_;  ///< MPI_INFO_ENV
    UserErrors user_errors_;
    std::unique_ptr<calls::HandleResolver> resolver_;
    std::shared_ptr<recording::Recorder> recorder_;  ///< likewise; null: nothing is recorded
    std::shared_ptr<calls::CallWatches> watches_;    ///< until MPI_Finalize has been left
    std::shared_ptr<void> checks_;                   ///< those of them that check calls; the same
    calls::Around around_;
    World world_ = World::none;
    bool in_virtual_time_ = false;
    ClockReadings clock_readings_;
};

}  // namespace railyard::mpi::abi
