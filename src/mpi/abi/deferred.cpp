// A send and a receive in one request.

#include <memory>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"

namespace railyard::mpi::abi {

namespace {

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

    const Request* receive_within() const override { return receive; }

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

}  // namespace

#include <entries/combined.inc>

}  // namespace railyard::mpi::abi
