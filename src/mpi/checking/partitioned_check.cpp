#include "mpi/checking/partitioned_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/frames.hpp"
#include "mpi/checking/check_tags.hpp"
#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi::checking {

void PartitionedCheck::made(const MadeCall& call, const calls::CallFacts& its) {
    const bool sends = call.function == Function::Psend_init;
    if (!sends && call.function != Function::Precv_init) return;
    const calls::Side& side = sends ? its.send : its.receive;
    const TypeRef type = objects_.type(side.type);
    if (type == nullptr || side.peer < 0) return;
    const auto partitions = static_cast<std::size_t>(std::max<Word>(call.words[1], 0));
    const auto count = partitions * static_cast<std::size_t>(std::max<std::int64_t>(side.count, 0));
    if (sends)
        describe(call, its, *type, count);
    else
        expected_[{side.peer, its.context, side.tag}].push_back(
            {type, count, text_of(call, objects_)});
}

void PartitionedCheck::describe(const MadeCall& call, const calls::CallFacts& its,
                                const Datatype& type, std::size_t count) {
    Process& process = objects_.process();
    Comm& world = objects_.world();
    const TypeSequence sequence = sequence_of(type, count);
    forget_what_left();
    Sent& sent = sent_.emplace_back();
    sent.text = FieldWriter()
                    .number(its.context)
                    .number(static_cast<std::uint64_t>(its.send.tag))
                    .number(sequence.hash)
                    .number(sequence.basics)
                    .number(sequence.is_untyped ? 1 : 0)
                    .text(text_of(call, objects_))
                    .take();
    sent.request =
        &process.start_send_in(check_context(world), as_buffer(std::as_bytes(std::span(sent.text))),
                               its.send.peer, partitioned_tag, world);
}

void PartitionedCheck::forget_what_left() {
    while (!sent_.empty() && sent_.front().request->is_complete()) {
        objects_.process().release(*sent_.front().request);
        sent_.pop_front();
    }
}

void PartitionedCheck::read_what_came(int rank) {
    Process& process = objects_.process();
    Comm& world = objects_.world();
    while (const auto status =
               process.probe_in(check_context(world), rank, partitioned_tag, world)) {
        std::string text(status->bytes, '\0');
        process.receive_in(check_context(world), as_buffer(std::as_writable_bytes(std::span(text))),
                           rank, partitioned_tag, world, nullptr);
        FieldReader fields(text);
        const auto context = static_cast<std::uint32_t>(fields.number());
        const auto tag = static_cast<int>(fields.number());
        Described found;
        found.sequence.hash = fields.number();
        found.sequence.basics = fields.number();
        found.sequence.is_untyped = fields.number() != 0;
        found.call = fields.text();
        if (fields.complete()) described_[{rank, context, tag}].push_back(std::move(found));
    }
}

std::string PartitionedCheck::look() {
    std::set<int> senders;
    for (const auto& [line, waiting] : expected_)
        senders.insert(std::get<0>(line));
    for (const int sender : senders)
        read_what_came(sender);
    std::string wrong;
    for (auto& [line, waiting] : expected_)
        for (auto& known = described_[line]; !waiting.empty() && !known.empty();
             waiting.pop_front(), known.pop_front())
            if (wrong.empty() &&
                !go_together(known.front().sequence, *waiting.front().type, waiting.front().count))
                wrong = fmt::format("types do not match: rank {} called {}, rank {} called {}",
                                    std::get<0>(line), known.front().call,
                                    objects_.process().world_rank(), waiting.front().call);
    std::erase_if(expected_, [](const auto& each) { return each.second.empty(); });
    std::erase_if(described_, [](const auto& each) { return each.second.empty(); });
    return wrong;
}

void PartitionedCheck::finish() {
    for (int rank = 0; rank < objects_.process().world_size(); ++rank)
        read_what_came(rank);
    forget_what_left();
}

}  // namespace railyard::mpi::checking
