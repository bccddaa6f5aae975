// Sessions: ways into the library beside MPI_Init, and the sets of processes that are known there.

#include <strings.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

constexpr const char* thread_levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                         "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
constexpr std::string_view thread_hint = "thread_level";

/// The level that a program asks for; the lowest if it does not.
int to_thread_level(Info* info) {
    const std::string* const asked = info == nullptr ? nullptr : info->find(thread_hint);
    if (asked == nullptr) return MPI_THREAD_SINGLE;
    for (int level = MPI_THREAD_SINGLE; level <= MPI_THREAD_MULTIPLE; ++level)
        if (*asked == thread_levels[level]) return level;
    throw MpiError(ErrorClass::info_value,
                   "thread_level is '" + *asked + "'; it must be the name of one of MPI_THREAD_*");
}

/// A set of processes that a name stands for.
struct ProcessSet {
    std::string name;
    Group group;
};

/// Those that the calling rank is in: MPI's own, and the ranks of its node.
std::vector<ProcessSet> process_sets(State& state) {
    job::Rank& rank = state.process().rank();
    std::vector<int> on_node;
    for (int other = 0; other < rank.size(); ++other)
        if (rank.node_of(other) == rank.node()) on_node.push_back(other);
    return {{"mpi://WORLD", state.world().group()},
            {"mpi://SELF", state.self().group()},
            {"railyard://node/" + std::to_string(static_cast<unsigned>(rank.node())),
             Group(std::move(on_node))}};
}

ProcessSet find_set(State& state, const char* name) {
    if (name == nullptr) null_argument("pset_name");
    std::string known;
    for (ProcessSet& set : process_sets(state)) {
        if (strcasecmp(set.name.c_str(), name) == 0) return std::move(set);
        known += (known.empty() ? "" : ", ") + set.name;
    }
    throw MpiError(ErrorClass::arg,
                   "there is no process set of the name given; there are " + known);
}

void session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session& session) {
    State& state = State::awake();
    const EngineLockGuard guard(state.process().lock().get());
    const ErrorHandlerRef handler = state.error_handler(errhandler, "errhandler");
    heard_by({handler, MPI_SESSION_NULL, "a session to be opened"}, [&] {
        const int level = to_thread_level(state.info(info, "info"));
        session = state.open_session(handler).handle;
        state.raise_thread_level(level);
    });
}

void session_finalize(State& state, MPI_Session& session) {
    bool is_last = false;
    {
        const Call call(state.around, Function::Session_finalize, &session);
        state.session(session, "session").buffer->detach(state.process());
        is_last = state.close_session(session);
        session = MPI_SESSION_NULL;
    }
    if (is_last) State::shut_down();
}

void session_get_info(State& state, Session&, MPI_Info& info_used) {
    auto used = std::make_unique<Info>();
    used->set(thread_hint, thread_levels[state.thread_level]);
    info_used = state.infos.add(std::move(used));
}

void session_get_num_psets(State& state, Session&, Info*, int& count) {
    count = static_cast<int>(process_sets(state).size());
}

void session_get_nth_pset(State& state, Session&, Info*, int n, int& length, char* name) {
    const std::vector<ProcessSet> sets = process_sets(state);
    if (n < 0 || static_cast<std::size_t>(n) >= sets.size())
        throw MpiError(ErrorClass::arg, "n is " + std::to_string(n) + "; there are " +
                                            std::to_string(sets.size()) + " process sets");
    const std::string& found = sets[static_cast<std::size_t>(n)].name;
    // The length is asked for by giving none.
    int copied = 0;
    const std::size_t room = to_count(length, "pset_len");
    if (room > 0) copy_text(found, name, room, copied);
    length = static_cast<int>(found.size()) + 1;
}

void session_get_pset_info(State& state, Session&, const char* name, MPI_Info& info) {
    auto about = std::make_unique<Info>();
    about->set("mpi_size", std::to_string(find_set(state, name).group.size()));
    info = state.infos.add(std::move(about));
}

void group_from_session_pset(State& state, Session& session, const char* name, MPI_Group& group) {
    group = state.add(find_set(state, name).group, session.buffer);
}

}  // namespace

#include <entries/sessions.inc>

}  // namespace railyard::mpi::abi
