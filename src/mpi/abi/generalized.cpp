// Generalized requests: complete when the user says so. MPICH's extended ones have functions that
// look after what they stand for, whenever somebody waits or asks for them.

#include <algorithm>
#include <memory>
#include <vector>

#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

void check_callback(int code, const char* which) {
    if (code != MPI_SUCCESS)
        throw CodedError(code, std::string("the generalized request's ") + which +
                                   " function returned " + std::to_string(code));
}

void check_functions(const RequestClass& functions) {
    if (functions.query == nullptr) null_argument("query_fn");
    if (functions.free == nullptr) null_argument("free_fn");
    if (functions.cancel == nullptr) null_argument("cancel_fn");
}

void check_extended(const RequestClass& functions) {
    check_functions(functions);
    if (functions.poll == nullptr) null_argument("poll_fn");
    if (functions.wait == nullptr) null_argument("wait_fn");
}

/// The user's functions are called with the lock open, and may call MPI_Grequest_complete.
class Generalized : public Deferred {
  public:
    Generalized(State& state, const RequestClass& functions, void* extra_state)
        : state_(state), functions_(functions), extra_state_(extra_state) {
        status_.MPI_SOURCE = MPI_ANY_SOURCE;
        status_.MPI_TAG = MPI_ANY_TAG;
    }

    /// Polls, unless it is its own poll function that asks, by a call of MPI.
    bool is_complete() override {
        if (complete || functions_.poll == nullptr || in_function_) return complete;
        in_function_ = true;
        const int code = [this] {
            const EngineLockOpening opening(state_.process().lock().get());
            return functions_.poll(extra_state_, &status_);
        }();
        in_function_ = false;
        check_callback(code, "poll");
        return complete;
    }
    Status result() override {
        {
            const EngineLockOpening opening(state_.process().lock().get());
            check_callback(called(functions_.query, extra_state_, &status_), "query");
        }
        return {.source = status_.MPI_SOURCE,
                .tag = status_.MPI_TAG,
                .error = ErrorClass::success,
                .cancelled = (status_.count_hi_and_cancelled & 1) != 0,
                .bytes = bytes_of(status_)};
    }
    void release() override {
        const EngineLockOpening opening(state_.process().lock().get());
        check_callback(called(functions_.free, extra_state_), "free");
    }
    bool abandon() override { return freed = true; }
    void cancel() override {
        const EngineLockOpening opening(state_.process().lock().get());
        int is_done = complete ? 1 : 0;
        check_callback(is_fortran_ ? by_reference(reinterpret_cast<const void*>(functions_.cancel),
                                                  extra_state_, &is_done)
                                   : functions_.cancel(extra_state_, is_done),
                       "cancel");
    }

    // What polling looks at makes no message, so nothing would wake a sleeper.
    Duration longest_sleep() const override {
        return functions_.poll == nullptr ? Duration::forever() : between_polls;
    }
    void wait() override {
        Deferred* const self = this;
        if (functions_.wait != nullptr) wait_for({&self, 1});
    }
    const void* sort() const override { return reinterpret_cast<const void*>(functions_.wait); }
    void wait_for(std::span<Deferred* const> requests) override {
        std::vector<void*> states;
        for (Deferred* const request : requests)
            states.push_back(static_cast<Generalized*>(request)->extra_state_);
        std::vector<MPI_Status> statuses(requests.size(), status_);
        set_in_function(requests, true);
        const int code = [&] {
            const EngineLockOpening opening(state_.process().lock().get());
            return functions_.wait(static_cast<int>(states.size()), states.data(), no_limit,
                                   statuses.data());
        }();
        set_in_function(requests, false);
        check_callback(code, "wait");
    }

    /// Its functions are Fortran's, which take arguments by reference and the result as one of
    /// them.
    void set_fortran() { is_fortran_ = true; }

    bool complete = false;
    bool freed = false;  ///< by the user, before it was complete

  private:
    template <class... Arguments>
    static int by_reference(const void* function, Arguments... arguments) {
        int code = MPI_SUCCESS;
        reinterpret_cast<void (*)(Arguments..., int*)>(const_cast<void*>(function))(arguments...,
                                                                                    &code);
        return code;
    }
    template <class... Arguments>
    int called(int (*function)(Arguments...), Arguments... arguments) const {
        if (!is_fortran_) return function(arguments...);
        return by_reference(reinterpret_cast<const void*>(function), arguments...);
    }

    static constexpr Duration between_polls = Duration::us(20);
    static constexpr double no_limit = 0;  ///< what MPICH passes as the time that it may take

    static void set_in_function(std::span<Deferred* const> requests, bool value) {
        for (Deferred* const request : requests)
            static_cast<Generalized*>(request)->in_function_ = value;
    }

    State& state_;
    RequestClass functions_;
    void* extra_state_;
    MPI_Status status_{};  ///< as the user's functions have left it
    bool is_fortran_ = false;
    bool in_function_ = false;  ///< its poll or wait function is running
};

void start(State& state, const RequestClass& functions, void* extra_state, MPI_Request& request) {
    request = add_request(state, std::make_unique<Generalized>(state, functions, extra_state), 0);
}

void grequest_start(State& state, MPI_Grequest_query_function* query,
                    MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                    void* extra_state, MPI_Request& request) {
    const RequestClass functions{query, free, cancel};
    check_functions(functions);
    start(state, functions, extra_state, request);
}

void grequest_complete(State& state, MPI_Request request) {
    const LocalRequest* const local = state.local_requests.find(request);
    auto* const generalized =
        local == nullptr ? nullptr : dynamic_cast<Generalized*>(local->deferred.get());
    if (generalized == nullptr)
        throw MpiError(ErrorClass::request,
                       "request is not a generalized one (MPI_Grequest_start); was it completed "
                       "and waited for before?");
    generalized->complete = true;
    if (!generalized->freed) return;
    const auto last = state.local_requests.remove(request);
    generalized->release();
}

void x_grequest_start(State& state, MPI_Grequest_query_function* query,
                      MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                      MPIX_Grequest_poll_function* poll, MPIX_Grequest_wait_function* wait,
                      void* extra_state, MPI_Request& request) {
    const RequestClass functions{query, free, cancel, poll, wait};
    check_extended(functions);
    start(state, functions, extra_state, request);
}

void x_grequest_class_create(State& state, MPI_Grequest_query_function* query,
                             MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                             MPIX_Grequest_poll_function* poll, MPIX_Grequest_wait_function* wait,
                             MPIX_Grequest_class& greq_class) {
    const RequestClass functions{query, free, cancel, poll, wait};
    check_extended(functions);
    greq_class = state.request_classes.add(std::make_unique<RequestClass>(functions));
}

void x_grequest_class_allocate(State& state, MPIX_Grequest_class greq_class, void* extra_state,
                               MPI_Request& request) {
    const RequestClass* const functions = state.request_classes.find(greq_class);
    if (functions == nullptr)
        throw MpiError(ErrorClass::arg,
                       "greq_class is not one that MPIX_Grequest_class_create has made");
    start(state, *functions, extra_state, request);
}

}  // namespace

#include <entries/generalized.inc>

/// MPICH's name, for the library of Fortran: of a request that was just started.
extern "C" void MPII_Grequest_set_lang_f77(MPI_Request request) {
    State* const state = State::here();
    LocalRequest* const local = state == nullptr ? nullptr : state->local_requests.find(request);
    if (local == nullptr) return;
    if (auto* const generalized = dynamic_cast<Generalized*>(local->deferred.get()))
        generalized->set_fortran();
}

}  // namespace railyard::mpi::abi
