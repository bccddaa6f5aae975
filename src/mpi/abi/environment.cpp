// Beginning and end, and what a program may ask about where it runs.

#include <unistd.h>

#include <cstdlib>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/usage.hpp"
#include "mpi/communicators/hardware_split.hpp"
#include "railyard/host.hpp"

namespace railyard::mpi::abi {

namespace {

void init(int*, char***) {
    State::begin(MPI_THREAD_SINGLE);
}

void init_thread(int*, char***, int required, int& provided) {
    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
        throw MpiError(ErrorClass::arg, "required is " + std::to_string(required) +
                                            "; it must be one of MPI_THREAD_*");
    State::begin(required);
    provided = State::here()->thread_level;
}

void initialized(int& flag) {
    const State* const state = State::here();
    flag = State::was_finalised() || (state != nullptr && state->was_begun()) ? 1 : 0;
}

void finalized(int& flag) {
    const State* const state = State::here();
    flag = State::was_finalised() || (state != nullptr && state->has_ended()) ? 1 : 0;
}

void finalize(State&) {
    State::end();
}

void abort(State& state, Comm&, int errorcode) {
    state.process().rank().abort(errorcode, "MPI_Abort was called");
}

void query_thread(State& state, int& provided) {
    provided = state.thread_level;
}

void is_thread_main(State& state, int& flag) {
    flag = pthread_equal(state.main_thread, pthread_self()) != 0;
}

void get_version(int& version, int& subversion) {
    version = MPI_VERSION;
    subversion = MPI_SUBVERSION;
}

void get_library_version(char* version, int& resultlen) {
    copy_text("Railyard " RAILYARD_VERSION ", an MPI of the MPICH ABI (libmpi.so.12)", version,
              MPI_MAX_LIBRARY_VERSION_STRING, resultlen);
}

void get_processor_name(State& state, char* name, int& resultlen) {
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "localhost");
    // Where ranks are on nodes of a model, the machine's name would say nothing.
    job::Rank& rank = state.process().rank();
    const bool is_real = rank.nic().traits().clock == fabric::Clock::real;
    const std::string text =
        is_real ? host : "node" + std::to_string(static_cast<unsigned>(rank.node()));
    copy_text(text, name, MPI_MAX_PROCESSOR_NAME, resultlen);
}

double wtime() {
    State* const state = State::here();
    if (state == nullptr) return 0.0;
    // What was computed up to here has taken its time before the clock is read.
    const Call call(state->around, Function::Wtime);
    try {
        return state->read_clock().since_start().seconds();
    } catch (...) {
        rank_local::pass_on();
    }
}

double wtick() {
    return 1e-9;
}

/// "true": the rank may run on one part of that kind alone.
void get_hw_resource_info(State& state, MPI_Info& hw_info) {
    auto about = std::make_unique<Info>();
    for (const HardwareResource& resource : hardware_resources(state.process()))
        about->set(resource.name, resource.is_bound ? "true" : "false");
    hw_info = state.infos.add(std::move(about));
}

void pcontrol(int level) {
    // Who watches calls may take it for a mark; before MPI_Init nobody does.
    if (State* const state = State::here())
        const Call call(state->around, Function::Pcontrol, level);
}

void alloc_mem(State&, MPI_Aint size, Info*, void* baseptr) {
    if (size < 0)
        throw MpiError(ErrorClass::arg,
                       "size is " + std::to_string(size) + "; it must not be negative");
    if (baseptr == nullptr) null_argument("baseptr");
    constexpr std::size_t alignment = 64;
    const std::size_t bytes = (static_cast<std::size_t>(size) / alignment + 1) * alignment;
    void* const memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr)
        throw MpiError(ErrorClass::no_mem, "no memory for " + std::to_string(size) + " bytes");
    *static_cast<void**>(baseptr) = memory;
}

void free_mem(State&, void* base) {
    std::free(base);
}

}  // namespace

Usage usage() {
    const Process& process = State::here()->process();
    const Counters& counters = process.counters();
    return {.queue_pairs = counters.queue_pairs,
            .connections = counters.connections,
            .used = process.used_connections(),
            .bytes = counters.peer_bytes};
}

#include <entries/environment.inc>

}  // namespace railyard::mpi::abi

// Data that the ABI exports under names of its own. Programs compare addresses; what is there is of
// no matter, but for the Fortran statuses, which are written to and thrown away.

namespace {

int unweighted;
int weights_empty;
MPI_Fint ignored_status[MPI_F_STATUS_SIZE];
MPI_F08_status ignored_f08_status;

}  // namespace

extern "C" {

int* const MPI_UNWEIGHTED = &unweighted;
int* const MPI_WEIGHTS_EMPTY = &weights_empty;
MPI_Fint* MPI_F_STATUS_IGNORE = ignored_status;
MPI_Fint* MPI_F_STATUSES_IGNORE = ignored_status;
MPI_F08_status* MPI_F08_STATUS_IGNORE = &ignored_f08_status;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = &ignored_f08_status;
struct MPIR_T_pvar_handle_s* const MPI_T_PVAR_ALL_HANDLES = nullptr;

}  // extern "C"
