#include "mpi/checking/message_check.hpp"

#include <fmt/format.h>

#include <span>

#include "base/frames.hpp"
#include "mpi/checking/check_tags.hpp"
#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi::checking {

std::uint16_t MessageCheck::describe(const Message& message) {
    Process& process = objects_.process();
    Comm& world = objects_.world();
    const std::uint32_t numbers = process.piggyback_limit() - 1;
    if (numbers == 0) return 0;
    const std::uint64_t number = 1 + described_[message.peer]++ % numbers;
    forget_what_left();
    Sent& sent = sent_.emplace_back();
    sent.text = FieldWriter()
                    .number(number)
                    .number(message.context)
                    .number(static_cast<std::uint64_t>(message.tag))
                    .number(message.sequence.hash)
                    .number(message.sequence.basics)
                    .number(message.sequence.is_untyped ? 1 : 0)
                    .text(message.call)
                    .take();
    // Nobody waits for it here: the call itself may never end, and its deadlock be told.
    sent.request =
        &process.start_send_in(check_context(world), as_buffer(std::as_bytes(std::span(sent.text))),
                               message.peer, description_tag, world);
    return static_cast<std::uint16_t>(number);
}

void MessageCheck::forget_what_left() {
    while (!sent_.empty() && sent_.front().request->is_complete()) {
        objects_.process().release(*sent_.front().request);
        sent_.pop_front();
    }
}

void MessageCheck::read_what_came(int rank) {
    Process& process = objects_.process();
    Comm& world = objects_.world();
    while (const auto status =
               process.probe_in(check_context(world), rank, description_tag, world)) {
        std::string text(status->bytes, '\0');
        process.receive_in(check_context(world), as_buffer(std::as_writable_bytes(std::span(text))),
                           rank, description_tag, world, nullptr);
        FieldReader fields(text);
        const auto number = static_cast<std::uint16_t>(fields.number());
        Description found;
        found.context = static_cast<std::uint32_t>(fields.number());
        found.tag = static_cast<int>(fields.number());
        found.sequence.hash = fields.number();
        found.sequence.basics = fields.number();
        found.sequence.is_untyped = fields.number() != 0;
        found.call = fields.text();
        if (!fields.complete()) continue;
        auto& all = received_[rank];
        found.is_ambiguous = all.contains(number);
        all.insert_or_assign(number, std::move(found));
    }
}

std::string MessageCheck::compare(const Request& receive, const Datatype& type, std::size_t count,
                                  const std::string& call) {
    // Copied first: what follows makes requests of its own.
    const Status status = receive.status();
    const std::uint16_t number = receive.piggyback;
    const std::uint32_t context = receive.communicator != nullptr ? receive.communicator->context()
                                                                  : receive.envelope.context;
    if (number == 0 || status.cancelled || status.error != ErrorClass::success ||
        receive.communicator == nullptr || status.source < 0)
        return {};
    const int sender = receive.communicator->world_rank(status.source);
    read_what_came(sender);
    auto& all = received_[sender];
    const auto found = all.find(number);
    if (found == all.end()) return {};
    const Description description = std::move(found->second);
    all.erase(found);
    if (description.is_ambiguous || description.context != context ||
        description.tag != status.tag || go_together(description.sequence, type, count))
        return {};
    return fmt::format("types do not match: rank {} called {}, rank {} called {}", sender,
                       description.call, objects_.process().world_rank(), call);
}

void MessageCheck::finish() {
    for (int rank = 0; rank < objects_.process().world_size(); ++rank)
        read_what_came(rank);
    forget_what_left();
}

}  // namespace railyard::mpi::checking
