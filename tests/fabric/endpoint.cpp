#include "fabric/endpoint.hpp"

namespace railyard::contract {

using fabric::Completion;
using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;
using fabric::RemoteSlice;
using fabric::Slice;
using fabric::WorkRequest;

Endpoint::Endpoint(Team& team, const EndpointOptions& options) : team_(team) {
    fabric::Nic& nic = options.nic != nullptr ? *options.nic : team.nic();
    if (options.sent == nullptr) own_sent_ = nic.create_completion_queue(options.completion_depth);
    if (options.received == nullptr)
        own_received_ = nic.create_completion_queue(options.completion_depth);
    if (options.receives == nullptr)
        own_receives_ = nic.create_receive_queue(options.receive_depth);
    sent_ = options.sent != nullptr ? options.sent : own_sent_.get();
    received_ = options.received != nullptr ? options.received : own_received_.get();
    receives_ = options.receives != nullptr ? options.receives : own_receives_.get();

    fabric::QueuePairOptions settings;
    settings.send_completions = sent_;
    settings.receive_completions = received_;
    settings.receives = receives_;
    settings.send_depth = options.send_depth;
    settings.receiver_not_ready_timeout = options.receiver_not_ready_timeout;
    settings.port = options.port;
    settings.context = this;
    queue_pair_ = nic.create_queue_pair(settings);
}

void Endpoint::ask(const fabric::Address& peer, fabric::Discriminator discriminator,
                   const fabric::PrivateData& data, Where where) {
    check_ok(queue_pair_->connect_peer(peer, discriminator, data, team_.deadline()), "connect_peer",
             where);
}

void Endpoint::await_connected(Where where) {
    team_.await([&] { return queue_pair_->state() != ConnectionState::connecting; }, "a connection",
                where);
    if (queue_pair_->state() != ConnectionState::connected)
        fail("no connection: " + show(queue_pair_->state()) + ", " + show(queue_pair_->reason()),
             where);
}

void Endpoint::connect(const fabric::Address& peer, fabric::Discriminator discriminator,
                       Where where) {
    ask(peer, discriminator, {}, where);
    await_connected(where);
}

void Endpoint::connect(int peer, Where where) {
    connect(team_.address(peer), team_.fresh(), where);
}

void Endpoint::connect(int peer, fabric::Discriminator discriminator, Where where) {
    connect(team_.address(peer), discriminator, where);
}

void Endpoint::post(const WorkRequest& request, Where where) {
    Status status;
    team_.await(
        [&] {
            status = queue_pair_->post(request);
            return !status.again();
        },
        "room for a request", where);
    check_ok(status, "post", where);
}

namespace {
WorkRequest request(std::uint64_t id, Op op, const Slice& local, RemoteSlice remote, Flags flags) {
    WorkRequest made;
    made.id = id;
    made.op = op;
    made.flags = flags;
    made.local = std::span(&local, 1);
    made.remote = remote;
    return made;
}
}  // namespace

void Endpoint::send(std::uint64_t id, const Slice& from, Flags flags, Where where) {
    post(request(id, Op::send, from, {}, flags), where);
}

void Endpoint::send_imm(std::uint64_t id, const Slice& from, std::uint32_t immediate, Flags flags,
                        Where where) {
    WorkRequest made = request(id, Op::send, from, {}, flags);
    made.immediate = immediate;
    made.with_immediate = true;
    post(made, where);
}

void Endpoint::write(std::uint64_t id, const Slice& from, RemoteSlice to, Flags flags,
                     Where where) {
    post(request(id, Op::rdma_write, from, to, flags), where);
}

void Endpoint::write_imm(std::uint64_t id, const Slice& from, RemoteSlice to,
                         std::uint32_t immediate, Flags flags, Where where) {
    WorkRequest made = request(id, Op::rdma_write_imm, from, to, flags);
    made.immediate = immediate;
    post(made, where);
}

void Endpoint::read(std::uint64_t id, const Slice& into, RemoteSlice from, Flags flags,
                    Where where) {
    post(request(id, Op::rdma_read, into, from, flags), where);
}

void Endpoint::fetch_add(std::uint64_t id, const Slice& old, RemoteSlice word, std::uint64_t addend,
                         Flags flags, Where where) {
    WorkRequest made = request(id, Op::fetch_add, old, word, flags);
    made.operand = addend;
    post(made, where);
}

void Endpoint::compare_swap(std::uint64_t id, const Slice& old, RemoteSlice word,
                            std::uint64_t expected, std::uint64_t wanted, Flags flags,
                            Where where) {
    WorkRequest made = request(id, Op::compare_swap, old, word, flags);
    made.operand = expected;
    made.swap = wanted;
    post(made, where);
}

void Endpoint::receive(std::uint64_t id, const Slice& into, Where where) {
    check_ok(receives_->post({id, std::span(&into, 1)}), "posting a receive", where);
}

void Endpoint::receive(std::uint64_t id, Where where) {
    check_ok(receives_->post({id, {}}), "posting a receive", where);
}

Completion Endpoint::next(fabric::CompletionQueue& queue, std::string_view what, Where where) {
    Completion found;
    team_.await([&] { return queue.poll(found); }, what, where);
    return found;
}

Completion Endpoint::next_sent(Where where) {
    return next(*sent_, "the completion of a request", where);
}

Completion Endpoint::next_received(Where where) {
    return next(*received_, "the completion of a receive", where);
}

Completion Endpoint::expect_sent(std::uint64_t id, Status status, Where where) {
    const Completion found = next_sent(where);
    check_equal(found.id, id, "id of a completion (" + show(found.status) + ")", where);
    check_equal(found.status, status, "status of request " + show(id), where);
    check(found.op != Op::receive, "the completion of a request is not that of a receive", where);
    check(found.queue_pair == queue_pair_.get(), "a completion names its queue pair", where);
    return found;
}

Completion Endpoint::expect_received(std::uint64_t id, std::size_t length, Where where) {
    const Completion found = next_received(where);
    check_equal(found.id, id, "id of a receive (" + show(found.status) + ")", where);
    check_equal(found.status, Code::ok, "status of receive " + show(id), where);
    check_equal(found.op, Op::receive, "operation of a receive", where);
    check_equal(found.length, Bytes(length), "length of receive " + show(id), where);
    check(found.queue_pair == queue_pair_.get(), "a receive names its queue pair", where);
    return found;
}

void Endpoint::expect_received_imm(std::uint64_t id, std::size_t length, std::uint32_t immediate,
                                   Where where) {
    const Completion found = expect_received(id, length, where);
    check(found.has_immediate, "the receive carries an immediate value", where);
    check_equal(found.immediate, immediate, "immediate value", where);
}

void Endpoint::expect_receives_flushed(std::span<const std::uint64_t> ids, Where where) {
    for (const std::uint64_t id : ids) {
        const Completion found = next_received(where);
        check_equal(found.id, id, "id of a flushed receive (" + show(found.status) + ")", where);
        check_equal(found.status, Code::flushed, "status of receive " + show(id), where);
        check_equal(found.op, Op::receive, "operation of a flushed receive", where);
        check(found.queue_pair == queue_pair_.get(), "a flushed receive names its queue pair",
              where);
    }
}

void Endpoint::expect_failed(Status reason, Where where) {
    team_.await([&] { return queue_pair_->state() == ConnectionState::failed; },
                "the queue pair to fail", where);
    check_equal(queue_pair_->reason(), reason, "reason of the failure", where);
    const WorkRequest empty_send;
    const fabric::QueuePair::Posted posted = queue_pair_->post(std::span(&empty_send, 1));
    check_equal(posted.count, 0, "requests taken by a failed queue pair", where);
    check_equal(posted.status, Code::flushed, "post on a failed queue pair", where);
}

void Endpoint::expect_silence(Duration duration, Where where) {
    Completion found;
    const bool any =
        team_.host().wait_until([&] { return sent_->poll(found) || received_->poll(found); },
                                team_.host().now() + duration);
    if (any)
        fail("unexpected completion of " + show(found.op) + " " + show(found.id) + ": " +
                 show(found.status),
             where);
}

std::optional<Completion> poll_for(Team& team, fabric::CompletionQueue& queue, Duration duration) {
    Completion found;
    if (team.host().wait_until([&] { return queue.poll(found); }, team.host().now() + duration))
        return found;
    return std::nullopt;
}

void check_alive(Team& team, Endpoint& endpoint, Where where) {
    constexpr std::size_t length = 100;
    constexpr std::uint64_t id = 0xa11fe;
    Buffer out(team.nic(), length), in(team.nic(), length);
    out.fill(seed_of(team.id(), id));
    endpoint.receive(id, in.slice(), where);
    team.before_sends_of_two();
    endpoint.send(id, out.slice(), Flags::none, where);
    endpoint.expect_received(id, length, where);
    endpoint.expect_sent(id, Code::ok, where);
    in.check(length, seed_of(team.peer(), id), "a message between two", where);
}

}  // namespace railyard::contract
