// Operations of others on this rank's memory, which come as packets and are carried out whenever
// the library makes progress, one after the other.

#include <cstring>
#include <utility>

#include "base/copy_whole.hpp"
#include "mpi/windows/combining.hpp"
#include "mpi/windows/window.hpp"

namespace railyard::mpi {

namespace {

using Body = std::span<const std::byte>;

Run take_run(Body& body) {
    Run run;
    std::memcpy(&run, body.data(), sizeof run);
    body = body.subspan(sizeof run);
    return run;
}

Body take_bytes(Body& body, std::size_t n) {
    const Body bytes = body.first(n);
    body = body.subspan(n);
    return bytes;
}

bool ends_something(RmaKind kind) {
    return kind == RmaKind::flush || kind == RmaKind::unlock || kind == RmaKind::complete;
}

}  // namespace

void Window::listen() {
    // One receive at a time: packets are carried out in the order in which they came.
    for (;;) {
        listening_ = &process().start_receive_in(
            comm_->context(), Buffer{incoming_.data(), incoming_.size(), &byte_type()}, any_source,
            rma_packet_tag, *comm_);
        if (process().watch(*listening_, *this)) return;
        take_packet(*listening_);
    }
}

void Window::completed(Request& request) {
    const bool failed = request.status().error != ErrorClass::success;
    take_packet(request);
    if (!failed) listen();
}

void Window::take_packet(Request& received) {
    const Status status = received.status();
    process().release(received);
    if (status.error == ErrorClass::success)
        on_packet(status.source, {incoming_.data(), status.bytes});
}

void Window::on_packet(int source, Body packet) {
    RmaHeader header;
    std::memcpy(&header, packet.data(), sizeof header);
    const Body body = packet.subspan(sizeof header);
    Peer& from = peer(source);
    if (ends_something(header.kind)) {
        // Data that come as messages of their own may be late.
        if (from.arriving != 0)
            from.held.push_back(header);
        else
            on_end(source, header);
        return;
    }
    switch (header.kind) {
        case RmaKind::ack:
            ++from.acks;
            if (header.detail != 0) fault_ = {static_cast<ErrorClass>(header.detail), source};
            return;
        case RmaKind::lock:
            return on_lock(source, static_cast<LockKind>(header.detail));
        case RmaKind::grant:
            from.is_granted = true;
            return;
        case RmaKind::post:
            ++from.posts;
            return;
        default:
            return carry_out(source, header, body);
    }
}

void Window::carry_out(int source, const RmaHeader& header, Body body) {
    switch (header.kind) {
        case RmaKind::put:
            while (!body.empty()) {
                const Run run = take_run(body);
                const Body data = take_bytes(body, run.count);
                std::byte* const to = own(source, run, Unit{});
                if (to == nullptr) continue;
                store_whole(to, data.data(), data.size());
                process().host().charge_copy(data.size(), to);
            }
            if (header.ends_visit != 0) end_visit(source);
            return;
        case RmaKind::bulk_put:
            return on_bulk_put(source, header, body);
        case RmaKind::get:
            return on_get(source, header, body);
        case RmaKind::accumulate:
        case RmaKind::get_accumulate:
            return on_accumulate(source, header, body);
        case RmaKind::compare_swap:
            return on_compare_swap(source, header, body);
        default:
            return;
    }
}

std::byte* Window::own(int source, const Run& run, Unit unit) {
    const std::uint64_t bytes = run.count * unit.extent;
    try {
        if (plan_.flavor == Flavor::dynamic) check_attached(run.at, bytes);
    } catch (const MpiError& error) {
        peer(source).fault = error.error_class();
        return nullptr;
    }
    return reinterpret_cast<std::byte*>(peer(comm_->rank()).base + run.at);
}

void Window::on_bulk_put(int source, const RmaHeader& header, Body body) {
    const Run run = take_run(body);
    std::byte* to = own(source, run, Unit{});
    Transfer& transfer = take_transfer(Transfer::Role::bulk_in, source);
    if (to == nullptr) {
        // The data come all the same, and are thrown away.
        transfer.packed = std::make_unique_for_overwrite<std::byte[]>(run.count);
        to = transfer.packed.get();
    }
    start(transfer,
          process().start_receive_in(comm_->context(), Buffer{to, run.count, &byte_type()}, source,
                                     rma_data_tag(header.token), *comm_));
}

Window::Reply Window::make_reply(int source, std::size_t size) {
    Reply reply{.size = size};
    if (size <= rma_packet_size) {
        reply.packet = &take_packet();
        reply.packet->size = size;
        reply.bytes = reply.packet->bytes.data();
    } else {
        reply.transfer = &take_transfer(Transfer::Role::reply, source);
        reply.transfer->packed = std::make_unique_for_overwrite<std::byte[]>(size);
        reply.bytes = reply.transfer->packed.get();
    }
    return reply;
}

void Window::send_reply(const Reply& reply, int source, const RmaHeader& header) {
    const int visitor = header.ends_visit != 0 ? source : -1;
    if (reply.packet != nullptr) {
        reply.packet->visitor = visitor;
        return send(*reply.packet, source, rma_reply_tag(header.token));
    }
    reply.transfer->visitor = visitor;
    start(*reply.transfer, process().start_send_in(
                               comm_->context(), ConstBuffer(reply.bytes, reply.size, byte_type()),
                               source, rma_reply_tag(header.token), *comm_));
}

void Window::on_get(int source, const RmaHeader& header, Body body) {
    std::size_t total = 0;
    for (Body rest = body; !rest.empty();)
        total += take_run(rest).count;
    const bool is_one = body.size() == sizeof(Run);
    if (is_one && total > rma_packet_size) {
        // From where they lie.
        Body rest = body;
        if (const std::byte* const from = own(source, take_run(rest), Unit{})) {
            Transfer& transfer = take_transfer(Transfer::Role::reply, source);
            if (header.ends_visit != 0) transfer.visitor = source;
            start(transfer,
                  process().start_send_in(comm_->context(), ConstBuffer(from, total, byte_type()),
                                          source, rma_reply_tag(header.token), *comm_));
            return;
        }
    }
    const Reply reply = make_reply(source, total);
    std::byte* to = reply.bytes;
    while (!body.empty()) {
        const Run run = take_run(body);
        if (const std::byte* const from = own(source, run, Unit{})) {
            process().host().charge_copy(run.count, nullptr, from);
            std::memcpy(to, from, run.count);
        } else {
            std::memset(to, 0, run.count);
        }
        to += run.count;
    }
    send_reply(reply, source, header);
}

void Window::on_accumulate(int source, const RmaHeader& header, Body body) {
    const Operation& operation = *predefined(static_cast<Operation::Kind>(header.detail));
    const Datatype& basic = *predefined(header.basic);
    const Unit unit = unit_of(basic);
    const std::size_t each = operation.kind() == Operation::Kind::no_op ? 0 : unit.size;
    Reply reply;
    if (header.kind == RmaKind::get_accumulate) {
        std::size_t total = 0;
        for (Body rest = body; !rest.empty();) {
            const Run run = take_run(rest);
            take_bytes(rest, run.count * each);
            total += run.count * unit.size;
        }
        reply = make_reply(source, total);
    }
    std::byte* old = reply.bytes;
    const Guard guard = guard_of(peer(comm_->rank()));
    while (!body.empty()) {
        const Run run = take_run(body);
        const Body data = take_bytes(body, run.count * each);
        std::byte* const target = own(source, run, unit);
        if (target != nullptr) {
            combine(operation, basic, target, run.count, data.data(), old, guard);
            process().host().charge_copy(run.count * unit.size, target);
        } else if (old != nullptr) {
            std::memset(old, 0, run.count * unit.size);
        }
        if (old != nullptr) old += run.count * unit.size;
    }
    if (reply.bytes != nullptr)
        send_reply(reply, source, header);
    else if (header.ends_visit != 0)
        end_visit(source);
}

void Window::on_compare_swap(int source, const RmaHeader& header, Body body) {
    const Datatype& basic = *predefined(header.basic);
    const std::size_t size = basic.size();
    const Run run = take_run(body);
    const Reply reply = make_reply(source, size);
    if (std::byte* const target = own(source, run, unit_of(basic)))
        compare_swap(basic, target, body.data(), body.data() + size, reply.bytes,
                     guard_of(peer(comm_->rank())));
    else
        std::memset(reply.bytes, 0, size);
    send_reply(reply, source, header);
}

void Window::on_end(int source, const RmaHeader& header) {
    Peer& from = peer(source);
    if (header.kind == RmaKind::complete) {
        ++from.completes;
        return;
    }
    if (header.kind == RmaKind::unlock) {
        mpi::unlock(peer(comm_->rank()).words->lock, static_cast<LockKind>(header.detail));
        grant_waiting();
    }
    if (header.token == 0) return;
    const ErrorClass fault = std::exchange(from.fault, ErrorClass::success);
    send({.kind = RmaKind::ack, .detail = static_cast<std::uint8_t>(fault)}, source);
}

void Window::on_lock(int source, LockKind kind) {
    waiting_locks_.push_back({source, kind});
    grant_waiting();
}

void Window::grant_waiting() {
    std::uint64_t& lock = peer(comm_->rank()).words->lock;
    while (!waiting_locks_.empty() && try_lock(lock, waiting_locks_.front().kind)) {
        const int rank = waiting_locks_.front().rank;
        waiting_locks_.pop_front();
        send({.kind = RmaKind::grant}, rank);
    }
}

}  // namespace railyard::mpi
