// A collective under way whose data lie elsewhere: before it starts they are collected from where
// the program has them, and brought back when it is complete. So Fortran's sections with gaps get
// through calls whose blocks no datatype describes.

#include <memory>

#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

/// What is done before each start, after each end, and once nobody needs `what` any longer.
struct Follower {
    void (*before)(void* what) = nullptr;
    void (*after)(void* what) = nullptr;
    void (*gone)(void* what) = nullptr;
    void* what = nullptr;
};

class Followed : public Deferred {
  public:
    Followed(Process& process, Request& request, const Follower& follower)
        : process_(process), request_(request), follower_(follower) {}
    ~Followed() override {
        process_.release(request_);
        follower_.gone(follower_.what);
    }

    bool is_complete() override {
        if (!request_.is_complete()) return false;
        if (!brought_back_) follower_.after(follower_.what);
        brought_back_ = true;
        return true;
    }
    Status result() override {
        request_.active = false;
        return request_.status();
    }
    void start() override {
        follower_.before(follower_.what);
        brought_back_ = false;
        process_.start(request_);
    }
    void cancel() override {
        throw MpiError(ErrorClass::request, "request is a collective, which cannot be cancelled");
    }

  private:
    Process& process_;
    Request& request_;
    const Follower follower_;
    bool brought_back_ = false;
};

}  // namespace

/// Of a collective's request that was just made; `request` becomes another handle. The follower's
/// functions must not call MPI.
extern "C" void MPII_Request_follow(MPI_Request* request, const Follower* follower) {
    State& state = *State::here();
    const Call call(state.around, Function::Wait);
    Request* const engine = find_engine(state, *request);
    if (engine == nullptr) {  // it was complete at once
        follower->after(follower->what);
        return follower->gone(follower->what);
    }
    const bool persistent = engine->is_persistent();
    *request = add_request(state, std::make_unique<Followed>(state.process(), *engine, *follower),
                           engine->envelope.context);
    LocalRequest& local = *state.local_requests.find(*request);
    local.persistent = persistent;
    local.active = !persistent;
}

}  // namespace railyard::mpi::abi
