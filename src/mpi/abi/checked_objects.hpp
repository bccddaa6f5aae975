#pragma once
/// Tells those who check calls what the calling rank's handles stand for, and adds them to those
/// who watch its calls.

#include <memory>
#include <string>

#include "mpi/abi/state.hpp"
#include "mpi/calls/call.hpp"
#include "mpi/checking/objects.hpp"

namespace railyard::mpi::abi {

class CheckedObjects final : public checking::Objects {
  public:
    /// The state outlives its use.
    explicit CheckedObjects(State& state) : state_(state) {}

    Process& process() override { return state_.process(); }
    Comm* comm(int handle) override { return state_.find_comm(handle); }
    const Communicator* window_comm(int handle) override {
        const Window* const window = state_.windows.find(handle);
        return window != nullptr ? &window->comm() : nullptr;
    }
    TypeRef type(int handle) override;
    Request* request(int handle) override;
    const Request* message_request(int handle) override;
    checking::RequestState request_state(int handle) override;
    Comm& world() override { return state_.world(); }

    std::string comm_name(int handle) override;
    std::string type_name(int handle) override;
    std::string op_name(int handle) override;
    std::string window_name(int handle) override;

    bool has_many_threads() const override { return state_.thread_level == MPI_THREAD_MULTIPLE; }

  private:
    State& state_;
};

/// What the settings ask for, or virtual time. What it returns lives as long as the watches do;
/// null: nothing is asked for.
std::shared_ptr<void> add_checks(State& state, calls::CallWatches& watches);

}  // namespace railyard::mpi::abi
