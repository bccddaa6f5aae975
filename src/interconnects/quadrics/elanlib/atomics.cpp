#include "interconnects/quadrics/elanlib/atomics.hpp"

#include <fmt/format.h>

#include <cstring>

namespace railyard::elanlib {

using elan::Home;
using elan::Verdict;

namespace {

/// Of all processes; those of Tports have small numbers.
constexpr std::uint32_t queue = 0x4154;
/// To decode a request and compute: as long as a thread takes for a receive. Assumed.
constexpr Duration work_of_one = Duration::ns(300);

}  // namespace

Atomics::Atomics(Shmem& shmem)
    : shmem_(shmem),
      work_(shmem.process().make_event({.chain = {}, .for_thread = true})),
      answered_(shmem.process().make_event()),
      request_(shmem.process().allocate(Home::sdram, elan::block_size)),
      old_(shmem.process().allocate(Home::main, elan::block_size)) {
    elan3::Process& process = shmem.process();
    process.put_value(old_, std::uint64_t{0});
    const Address olds = process.allocate(
        Home::sdram, static_cast<std::uint32_t>(sizeof(std::uint64_t) * shmem.num_pes()));
    process.make_queue(queue, work_.address);
    process.start_thread(
        fmt::format("atomics of process {}", process.self()),
        [work = work_.address, olds](elan::Thread& thread) { serve(thread, work, olds); });
}

/// An old value goes back from a place of its asker's, who asks for one at a time.
void Atomics::serve(elan::Thread& thread, Address work, Address olds) {
    for (;;) {
        (void)thread.wait(work);
        const auto message = thread.take(queue);
        if (!message) continue;
        Request asked;
        std::memcpy(static_cast<void*>(&asked), message->bytes.data(), sizeof asked);
        thread.compute(work_of_one);
        std::uint64_t old = 0;
        const Verdict verdict = apply(thread, asked, old);
        if (asked.answer == elan::null_address || verdict != Verdict::taken) {
            thread.set_event(asked.from, asked.event, elan::to_status(verdict));
            continue;
        }
        const Address place = olds + static_cast<Address>(sizeof old) * asked.from;
        thread.store(place, std::as_bytes(std::span(&old, 1)));
        thread.compute(thread.parameters().thread_packet);
        elan::Descriptor answer;
        answer.size = asked.width;
        answer.source = thread.context().self;
        answer.destination = asked.from;
        answer.source_address = place;
        answer.destination_address = asked.answer;
        answer.destination_event = asked.event;
        thread.start(answer);
    }
}

Verdict Atomics::apply(elan::Thread& thread, const Request& asked, std::uint64_t& old) {
    const auto word = std::as_writable_bytes(std::span(&old, 1)).first(asked.width);
    if (const Verdict verdict = thread.read(asked.at, word); verdict != Verdict::taken)
        return verdict;
    if (asked.op == Op::cswap && old != asked.expected) return Verdict::taken;
    const std::uint64_t fresh = asked.op == Op::add ? old + asked.value : asked.value;
    return thread.write(asked.at, std::as_bytes(std::span(&fresh, 1)).first(asked.width));
}

void Atomics::send(Vpid pe, const Request& asked, Address from) {
    elan3::Process& process = shmem_.process();
    process.put_value(from, asked);
    elan::Descriptor message;
    message.direction = elan::Direction::message;
    message.size = sizeof asked;
    message.source = process.self();
    message.destination = pe;
    message.source_address = from;
    message.destination_address = queue;
    message.failure_event = asked.event;
    process.start(message);
}

Status Atomics::ask(Vpid pe, Request& asked) {
    elan3::Process& process = shmem_.process();
    asked.answer = old_;
    asked.event = answered_.address;
    send(pe, asked, request_);
    const Status status = process.wait(answered_);
    if (status.failed())
        answered_ =
            process.make_event();  // it may be set again, if the request got there after all
    else
        process.prime(answered_);
    return status;
}

void Atomics::start(Vpid pe, Request asked) {
    const Address from = shmem_.take_message_slot();
    asked.event = shmem_.count_one();
    send(pe, asked, from);
}

}  // namespace railyard::elanlib
