// Requests of this layer: a send and a receive in one, and those that the user completes.

#include <memory>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

MPI_Request add_request(State& state, std::unique_ptr<Deferred> deferred, std::uint32_t context) {
    auto local = std::make_unique<LocalRequest>();
    local->active = true;
    local->persistent = false;
    local->context = context;
    local->deferred = std::move(deferred);
    return state.local_requests.add(std::move(local));
}

/// Complete when both are; the status is the receive's. A partner that is nobody has no request.
class Exchange : public Deferred {
  public:
    explicit Exchange(Process& process) : process_(process) {}
    ~Exchange() override {
        for (Request* const request : {send, receive})
            if (request != nullptr) process_.free_when_done(*request);
    }

    bool is_complete() override {
        return (send == nullptr || send->is_complete()) &&
               (receive == nullptr || receive->is_complete());
    }
    Status result() override {
        Status status = receive != nullptr ? receive->status() : proc_null_status;
        if (send != nullptr && status.error == ErrorClass::success)
            status.error = send->status().error;
        return status;
    }
    void cancel() override {
        throw MpiError(ErrorClass::request,
                       "request is a send and a receive in one, which cannot be cancelled");
    }

    std::unique_ptr<std::byte[]> copy;  ///< of what is sent, where it is replaced
    Request* send = nullptr;
    Request* receive = nullptr;

  private:
    Process& process_;
};

void start_exchange(State& state, std::unique_ptr<Exchange> exchange, const ConstBuffer& out,
                    int dest, int sendtag, const Buffer& in, int source, int recvtag, Comm& comm,
                    MPI_Request& request) {
    Process& process = state.process();
    if (source != no_rank) exchange->receive = &process.start_receive(in, source, recvtag, comm);
    if (dest != no_rank) exchange->send = &process.start_send(out, dest, sendtag, comm);
    request = add_request(state, std::move(exchange), comm.context());
}

void isendrecv(State& state, const void* sendbuf, std::size_t sendcount, const TypeRef& sendtype,
               int dest, int sendtag, void* recvbuf, std::size_t recvcount, const TypeRef& recvtype,
               int source, int recvtag, Comm& comm, MPI_Request& request) {
    start_exchange(state, std::make_unique<Exchange>(state.process()),
                   const_buffer(sendbuf, sendcount, sendtype), dest, sendtag,
                   buffer(recvbuf, recvcount, recvtype), source, recvtag, comm, request);
}

void isendrecv_replace(State& state, void* buf, std::size_t count, const TypeRef& type, int dest,
                       int sendtag, int source, int recvtag, Comm& comm, MPI_Request& request) {
    const Buffer in = buffer(buf, count, type);
    const std::size_t bytes = count * type->size();
    auto exchange = std::make_unique<Exchange>(state.process());
    exchange->copy = std::make_unique_for_overwrite<std::byte[]>(bytes);
    type->pack(in.address, count, 0, {exchange->copy.get(), bytes});
    const ConstBuffer out(exchange->copy.get(), bytes, *predefined(Basic::packed));
    start_exchange(state, std::move(exchange), out, dest, sendtag, in, source, recvtag, comm,
                   request);
}

void check_callback(int code, const char* which) {
    if (code != MPI_SUCCESS)
        throw CodedError(code, std::string("the generalized request's ") + which +
                                   " function returned " + std::to_string(code));
}

/// Complete when the user says so. The user's functions are called with the lock open.
class Generalized : public Deferred {
  public:
    Generalized(State& state, MPI_Grequest_query_function* query_fn,
                MPI_Grequest_free_function* free_fn, MPI_Grequest_cancel_function* cancel_fn,
                void* extra_state)
        : lock_(state.process().lock()),
          query_(query_fn),
          free_(free_fn),
          cancel_(cancel_fn),
          extra_state_(extra_state) {}

    bool is_complete() override { return complete; }
    Status result() override {
        MPI_Status status{};
        status.MPI_SOURCE = MPI_ANY_SOURCE;
        status.MPI_TAG = MPI_ANY_TAG;
        {
            const EngineLockOpening opening(lock_.get());
            check_callback(query_(extra_state_, &status), "query");
        }
        return {.source = status.MPI_SOURCE,
                .tag = status.MPI_TAG,
                .error = ErrorClass::success,
                .cancelled = (status.count_hi_and_cancelled & 1) != 0,
                .bytes = bytes_of(status)};
    }
    void release() override {
        const EngineLockOpening opening(lock_.get());
        check_callback(free_(extra_state_), "free");
    }
    bool abandon() override { return freed = true; }
    void cancel() override {
        const EngineLockOpening opening(lock_.get());
        check_callback(cancel_(extra_state_, complete ? 1 : 0), "cancel");
    }

    bool complete = false;
    bool freed = false;  ///< by the user, before it was complete

  private:
    std::shared_ptr<EngineLock> lock_;
    MPI_Grequest_query_function* query_;
    MPI_Grequest_free_function* free_;
    MPI_Grequest_cancel_function* cancel_;
    void* extra_state_;
};

void grequest_start(State& state, MPI_Grequest_query_function* query,
                    MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                    void* extra_state, MPI_Request& request) {
    if (query == nullptr) null_argument("query_fn");
    if (free == nullptr) null_argument("free_fn");
    if (cancel == nullptr) null_argument("cancel_fn");
    request = add_request(
        state, std::make_unique<Generalized>(state, query, free, cancel, extra_state), 0);
}

void grequest_complete(State& state, MPI_Request request) {
    const LocalRequest* const local = state.local_requests.find(request);
    auto* const generalized =
        local == nullptr ? nullptr : dynamic_cast<Generalized*>(local->deferred.get());
    if (generalized == nullptr)
        throw MpiError(ErrorClass::request,
                       "request is not one that MPI_Grequest_start has made; was it completed and "
                       "waited for before?");
    generalized->complete = true;
    if (!generalized->freed) return;
    const auto last = state.local_requests.remove(request);
    generalized->release();
}

}  // namespace

#include <entries/combined.inc>
#include <entries/generalized.inc>

}  // namespace railyard::mpi::abi
