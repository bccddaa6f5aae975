#pragma once
/// Tells those who watch calls what the calling rank's handles stand for.

#include "mpi/abi/state.hpp"
#include "mpi/calls/facts.hpp"
#include "mpi/communicators/neighbours.hpp"

namespace railyard::mpi::abi {

class Resolver final : public calls::HandleResolver {
  public:
    /// The state outlives it.
    explicit Resolver(State& state) : state_(state) {}

    std::optional<CommFacts> comm(int handle) const override {
        const Comm* const found = state_.find_comm(handle);
        return found != nullptr ? std::optional(facts(*found)) : std::nullopt;
    }
    std::optional<CommFacts> window(int handle) const override {
        const Window* const found = state_.windows.find(handle);
        return found != nullptr ? std::optional(facts(found->comm())) : std::nullopt;
    }
    int world_rank(int comm, int rank) const override {
        const Comm* const found = state_.find_comm(comm);
        return found != nullptr ? in(*found, rank) : rank;
    }
    int world_rank_in_window(int window, int rank) const override {
        const Window* const found = state_.windows.find(window);
        return found != nullptr ? in(found->comm(), rank) : rank;
    }
    Neighbours neighbours(int comm) const override;
    std::size_t type_size(int handle) const override {
        const Datatype* const found = state_.find_type(handle);
        return found != nullptr ? found->size() : 0;
    }

  private:
    static CommFacts facts(const Communicator& comm) {
        return {comm.context(), comm.rank(), comm.peer_count()};
    }
    static int in(const Communicator& comm, int rank) {
        return rank >= 0 && rank < comm.peer_count() ? comm.world_rank(rank) : rank;
    }

    State& state_;
};

}  // namespace railyard::mpi::abi
