// A collective under way on staging buffers: data are copied in from where the program has them
// before it starts, and copied out when it is complete. So Fortran's sections with gaps get through
// calls whose blocks no datatype describes.

#include <memory>

#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

/// Whoever owns the buffers copies in before each start, copies out after each end, and frees them
/// once nobody needs them any longer.
struct Staging {
    void (*copy_in)(void* buffers) = nullptr;
    void (*copy_out)(void* buffers) = nullptr;
    void (*free)(void* buffers) = nullptr;
    void* buffers = nullptr;
};

class Staged : public Deferred {
  public:
    Staged(Process& process, Request& request, const Staging& staging)
        : process_(process), request_(request), staging_(staging) {}
    ~Staged() override {
        process_.release(request_);
        staging_.free(staging_.buffers);
    }

    bool is_complete() override {
        if (!request_.is_complete()) return false;
        if (!copied_out_) staging_.copy_out(staging_.buffers);
        copied_out_ = true;
        return true;
    }
    Status result() override {
        request_.active = false;
        return request_.status();
    }
    void start() override {
        staging_.copy_in(staging_.buffers);
        copied_out_ = false;
        process_.start(request_);
    }
    void cancel() override {
        throw MpiError(ErrorClass::request, "request is a collective, which cannot be cancelled");
    }

  private:
    Process& process_;
    Request& request_;
    const Staging staging_;
    bool copied_out_ = false;
};

}  // namespace

/// Of a collective's request that was just made; `request` becomes another handle, which those who
/// watch calls see as they would in MPI_Wait. The functions must not call MPI.
extern "C" void MPII_Request_stage(MPI_Request* request, const Staging* staging) {
    State& state = *State::here();
    const Call call(state.around, Function::Wait, request, MPI_STATUS_IGNORE);
    Request* const engine = find_engine(state, *request);
    if (engine == nullptr) {  // it was complete at once
        staging->copy_out(staging->buffers);
        return staging->free(staging->buffers);
    }
    const bool persistent = engine->is_persistent();
    *request = add_request(state, std::make_unique<Staged>(state.process(), *engine, *staging),
                           engine->envelope.context);
    LocalRequest& local = *state.local_requests.find(*request);
    local.persistent = persistent;
    local.active = !persistent;
}

}  // namespace railyard::mpi::abi
