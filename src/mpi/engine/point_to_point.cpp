// Messages between two ranks, as the Process offers them: blocking, started, persistent, probed.

#include <fmt/format.h>

#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

/// Of a receive that was given back just now.
void throw_if_failed(const Request& receive) {
    if (receive.result.error == ErrorClass::truncate) [[unlikely]]
        throw MpiError(ErrorClass::truncate, too_long(receive));
}

}  // namespace

std::string too_long(const Request& receive) {
    return fmt::format(
        "the message from rank {} with tag {} has {} bytes, and the receive has room for {}; give "
        "the receive a count that is large enough, or ask with MPI_Probe first",
        receive.result.source, receive.result.tag, receive.longer, receive.bytes);
}

void Process::keep_type_of(Request& request) {
    request.needs_cleanup = true;
    request.keeps_type = request.type->weak_from_this().lock();
}

void Process::send_in(std::uint32_t context, const ConstBuffer& data, int to, int tag,
                      Communicator& comm, Mode mode, Content content) {
    const Datatype& type = *data.type;
    const int peer = comm.world_rank(to);
    const Envelope envelope{context, comm.rank(), tag, piggyback_};
    if (type.is_dense() && mode != Mode::synchronous) [[likely]]
        if (transport_->send_now(type.dense_data(data.address), data.count * type.size(), peer,
                                 envelope, Coalescing::never, content)) [[likely]] {
            if (message_watch_ != nullptr) [[unlikely]]
                message_watch_->sent(comm, envelope, peer, data.count * type.size());
            return;
        }
    Request& request = start_send_in(context, data, to, tag, comm, mode, content);
    wait(request);
    release(request);
}

Request& Process::start_send_in(std::uint32_t context, const ConstBuffer& data, int to, int tag,
                                Communicator& comm, Mode mode, Content content) {
    Request& request = requests_.take();
    request.content = content;
    const Datatype& type = *data.type;
    request.kind = Request::Kind::send;
    request.mode = mode;
    request.peer = comm.world_rank(to);
    request.envelope = {context, comm.rank(), tag, piggyback_};
    request.result = {};
    if (type.is_dense() && mode != Mode::synchronous) [[likely]]
        if (transport_->send_now(type.dense_data(data.address), data.count * type.size(),
                                 request.peer, request.envelope, Coalescing::allowed, content))
            [[likely]] {
            if (message_watch_ != nullptr) [[unlikely]]
                message_watch_->sent(comm, request.envelope, request.peer,
                                     data.count * type.size());
            if (transport_->has_coalesced()) [[unlikely]]
                transport_->complete_when_flushed(request);
            else
                request.complete = true;
            return request;
        }
    request.set_buffer(data.address, data.count, type);
    keep_type(request);
    start_send(request, comm);
    return request;
}

void Process::receive_in(std::uint32_t context, const Buffer& into, int from, int tag,
                         Communicator& comm, Status* status, Content content) {
    Request& request = start_receive_in(context, into, from, tag, comm, content);
    wait(request);
    const Status result = request.result;
    last_receive_ = &request;
    release(request);
    if (status != nullptr) *status = result;
    throw_if_failed(request);
}

Request& Process::start_receive_in(std::uint32_t context, const Buffer& into, int from, int tag,
                                   Communicator& comm, Content content) {
    Request& request = requests_.take();
    request.content = content;
    request.kind = Request::Kind::receive;
    request.envelope = {context, from, tag};
    request.communicator = &comm;
    request.set_buffer(into.address, into.count, *into.type);
    keep_type(request);
    start_receive(request);
    return request;
}

void Process::exchange(const ConstBuffer& out, int to, int send_tag, const Buffer& in, int from,
                       int receive_tag, Communicator& comm, Status* status) {
    Request& receive = start_receive(in, from, receive_tag, comm);
    send(out, to, send_tag, comm);
    wait(receive);
    const Status result = receive.result;
    last_receive_ = &receive;
    release(receive);
    if (status != nullptr) *status = result;
    throw_if_failed(receive);
}

Request& Process::make_done(const Status& status) {
    Request& request = requests_.take();
    request.kind = Request::Kind::receive;
    request.result = status;
    request.complete = true;
    return request;
}

Request& Process::make_persistent_done(const Status& status) {
    Request& request = make_done(status);
    request.needs_cleanup = true;
    request.persistent = true;
    request.active = false;
    request.content = Content::may_stay;
    request.communicator = nullptr;
    return request;
}

Request& Process::make_persistent_send(const ConstBuffer& data, int to, int tag, Communicator& comm,
                                       Mode mode) {
    Request& request = make_persistent_done({});
    request.kind = Request::Kind::send;
    request.mode = mode;
    request.peer = comm.world_rank(to);
    request.envelope = {comm.context(), comm.rank(), tag};
    request.communicator = &comm;
    request.set_buffer(data.address, data.count, *data.type);
    keep_type(request);
    return request;
}

Request& Process::make_persistent_receive(const Buffer& into, int from, int tag,
                                          Communicator& comm) {
    Request& request = make_persistent_done({});
    request.envelope = {comm.context(), from, tag};
    request.communicator = &comm;
    request.set_buffer(into.address, into.count, *into.type);
    keep_type(request);
    return request;
}

void Process::start(Request& request) {
    request.active = true;
    if (request.communicator == nullptr) return;  // MPI_PROC_NULL
    request.complete = false;
    request.result = {};
    request.moved = 0;
    request.forget_transfer();
    switch (request.kind) {
        case Request::Kind::send:
            return start_send(request, *request.communicator);
        case Request::Kind::receive:
            return start_receive(request);
        case Request::Kind::collective:
            return scheduler_.start(request);
    }
}

Request& Process::make_collective(Communicator& comm, ScheduleRef schedule) {
    Request& request = requests_.take();
    request.kind = Request::Kind::collective;
    request.envelope = {comm.context() + 1, comm.rank(), 0};
    request.communicator = &comm;
    request.channel = nullptr;
    request.bytes = 0;
    request.longer = 0;
    request.schedule = std::move(schedule);
    request.needs_cleanup = true;
    return request;
}

Request& Process::start_collectives(Communicator& comm, std::function<Continuation(Team&)> then) {
    ScheduleRef schedule = scheduler_.take(comm, comm.schedule_tags().next());
    schedule->continue_by(std::move(then));
    Request& request = make_collective(comm, std::move(schedule));
    scheduler_.start(request);
    return request;
}

std::optional<Status> Process::probe_in(std::uint32_t context, int from, int tag,
                                        Communicator& comm) {
    progress();
    return transport_->probe({context, from, tag}, comm);
}

std::optional<Status> Process::probe(int from, int tag, Communicator& comm) {
    progress();
    return transport_->probe({comm.context(), from, tag}, comm);
}

Message* Process::matched_probe(int from, int tag, Communicator& comm) {
    progress();
    Message message;
    if (!transport_->matched_probe({comm.context(), from, tag}, comm, message)) return nullptr;
    message.index = next_message_++;
    if (message_watch_ != nullptr) message.number = message_watch_->message_taken();
    return &messages_.emplace(message.index, message).first->second;
}

Message* Process::find_message(std::uint32_t index) {
    const auto found = messages_.find(index);
    return found != messages_.end() ? &found->second : nullptr;
}

Request& Process::start_receive(Message& message, const Buffer& into, Communicator& comm) {
    Request& request = requests_.take();
    request.content = Content::may_stay;
    request.kind = Request::Kind::receive;
    request.communicator = &comm;
    request.set_buffer(into.address, into.count, *into.type);
    keep_type(request);
    Message taken = message;
    messages_.erase(message.index);
    if (message_watch_ != nullptr && message_watch_->receive_posted(request, taken.number))
        request.then |= Request::record;
    transport_->start_receive(request, taken);
    return request;
}

Request& Process::start_access(const RemoteAccess& access, std::span<std::byte> local,
                               std::shared_ptr<CachedRegion> region, int world_rank,
                               Content content) {
    Request& request = requests_.take();
    request.content = content;
    request.kind =
        access.op == fabric::Op::rdma_write ? Request::Kind::send : Request::Kind::receive;
    request.peer = world_rank;
    request.result = {};
    request.type = nullptr;
    request.data = local.data();
    request.bytes = local.size();
    request.region = std::move(region);
    if (!request.access) request.access = std::make_unique<RemoteAccess>();
    *request.access = access;
    transport_->start_access(request);
    return request;
}

Request& Process::make_pending(std::uint32_t context) {
    Request& request = requests_.take();
    request.kind = Request::Kind::receive;
    request.envelope = {context, any_source, any_tag};
    request.result = {};
    request.needs_cleanup = true;
    return request;
}

void Process::finish(Request& pending) {
    pending.complete = true;
    if ((pending.then & Request::give_back) != 0) release(pending);
}

bool Process::watch(Request& request, Watcher& watcher) {
    if (request.complete) return false;
    request.needs_cleanup = true;
    request.then |= Request::tell;
    request.watcher = &watcher;
    return true;
}

bool Process::tell_watchers() {
    // By number: a watcher's own requests may join the list, and one that throws is not told again.
    while (told_ < watched_.size()) {
        Request& request = *watched_[told_++];
        request.then = Request::nothing;
        request.watcher->completed(request);
    }
    watched_.clear();
    told_ = 0;
    return true;
}

void Process::cancel(Request& request) {
    if (request.complete || !transport_->cancel(request)) return;
    request.result = {};
    request.result.cancelled = true;
    request.complete = true;
    if ((request.then & Request::record) != 0) {
        request.then &= static_cast<std::uint8_t>(~Request::record);
        message_watch_->completed(request);
    }
}

void Process::free_when_done(Request& request) {
    if (request.complete || !request.active) return release(request);
    request.needs_cleanup = true;
    request.then |= Request::give_back;
}

}  // namespace railyard::mpi
