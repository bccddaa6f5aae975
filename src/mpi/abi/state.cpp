#include "mpi/abi/state.hpp"

#include <numeric>

#include "launch/job/join.hpp"

namespace railyard::mpi::abi {

namespace {

Group everybody(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return Group(std::move(ranks));
}

ErrorHandlerRef builtin_handler(ErrorHandler::Kind kind, int handle) {
    return std::make_shared<const ErrorHandler>(ErrorHandler{kind, handle, nullptr});
}

}  // namespace

State::State(job::Rank& rank, std::unique_ptr<job::Rank> joined, int level)
    : joined_(std::move(joined)), process_(std::make_unique<Process>(rank)), thread_level(level) {
    using Kind = ErrorHandler::Kind;
    builtin_handlers_ = {builtin_handler(Kind::fatal, MPI_ERRORS_ARE_FATAL),
                         builtin_handler(Kind::returns, MPI_ERRORS_RETURN),
                         builtin_handler(Kind::fatal, MPIR_ERRORS_THROW_EXCEPTIONS),
                         builtin_handler(Kind::abort, MPI_ERRORS_ABORT)};
    builtin_comms_ = {
        std::make_unique<Comm>(*process_, ContextIds::world, everybody(process_->world_size())),
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

State::~State() = default;

void State::begin(int thread_level) {
    if (here() != nullptr || was_finalised())
        throw MpiError(ErrorClass::other, "MPI can be initialised once only");
    CallWatch* const watch = call_watch();
    if (watch != nullptr) watch->entered(Function::Init);
    std::unique_ptr<job::Rank> joined;
    auto* rank = static_cast<job::Rank*>(rank_local::here->rank);
    if (rank == nullptr) {
        joined = job::join();
        rank = joined.get();
    }
    auto* const state = new State(*rank, std::move(joined), thread_level);
    rank_local::here->mpi = state;
    rank_local::here->drop_mpi = &drop;
    if (thread_level == MPI_THREAD_MULTIPLE && !state->process().allow_threads())
        state->thread_level = MPI_THREAD_SERIALIZED;
    state->around_ = {state->process().gate().get(), watch};
    if (state->around_.gate != nullptr || watch != nullptr) state->around = &state->around_;
    if (watch != nullptr) watch->left(Function::Init);
}

void State::end() {
    State* const state = here();
    const std::shared_ptr<Gate> gate = state->process().gate();
    CallWatch* const watch = state->around_.watch;
    // Not by a Call, as the state goes before the call ends.
    const Turn turn(gate.get());
    if (watch != nullptr) watch->entered(Function::Finalize);
    // What hangs on MPI_COMM_SELF goes first, while MPI still works.
    state->self().attributes.erase_all(MPI_COMM_SELF);
    state->world().attributes.erase_all(MPI_COMM_WORLD);
    state->attached.detach(state->process());
    state->process().finalize();
    if (watch != nullptr) watch->finalised(state->process().counters());
    drop();
    if (watch != nullptr) watch->left(Function::Finalize);
}

void State::drop() {
    delete here();
    rank_local::here->mpi = reinterpret_cast<void*>(finalised_mark);
    rank_local::here->drop_mpi = nullptr;
}

}  // namespace railyard::mpi::abi
