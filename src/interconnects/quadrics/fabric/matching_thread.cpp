#include "interconnects/quadrics/fabric/matching_thread.hpp"

#include <cstring>
#include <utility>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::quadrics {

MatchingThread::MatchingThread(elan::Adapter& adapter, elan::Context& context, MemoryMap& memory,
                               std::uint32_t queue, std::function<void(std::uint64_t)> taken)
    : adapter_(adapter),
      context_(context),
      memory_(memory),
      queue_(queue),
      taken_(std::move(taken)) {
    const elan3::CommandPort port(adapter, context);
    elan::EventState state;
    state.rearms = true;
    state.listener = [this](Status) { wake(); };
    port.make_queue(queue, port.make_event(std::move(state)));
}

void MatchingThread::match(Duration work, sim::Action matched) {
    jobs_.push_back(std::make_shared<Job>(Job{work, std::move(matched), true}));
    wake();
}

void MatchingThread::match_receive(Duration work, sim::Action matched) {
    const auto job = std::make_shared<Job>(Job{work, std::move(matched)});
    jobs_.push_back(job);
    elan::Chip& chip = adapter_.chip();
    chip.path.host_access(Bytes(8), false, [this, job] {
        elan::Chip& its = adapter_.chip();
        its.microcode.run(elan::Role::command, its.parameters.microcode.check, "check",
                          [this, job] {
                              job->ready = true;
                              wake();
                          });
    });
}

void MatchingThread::wake() {
    if (awake_) return go_on();
    awake_ = true;
    adapter_.threads().schedule([this] { go_on(); });
}

/// What is to be matched first, then the next envelope.
void MatchingThread::go_on() {
    while (!computing_ && writes_.empty()) {
        if (jobs_.empty()) {
            if (take_envelope()) continue;
            awake_ = false;
            return;
        }
        if (!jobs_.front()->ready) return;  // the command that tells of it is on its way
        const std::shared_ptr<Job> job = jobs_.front();
        jobs_.pop_front();
        computing_ = true;
        adapter_.threads().compute(job->work, [this, job] {
            computing_ = false;
            sim::Action matched = std::move(job->matched);
            if (matched) matched();
            go_on();
        });
    }
}

bool MatchingThread::take_envelope() {
    auto& messages = context_.queues.at(queue_).messages;
    if (messages.empty()) return false;
    std::uint64_t number = 0;
    std::memcpy(&number, messages.front().bytes.data(), sizeof number);
    messages.pop_front();
    taken_(number);
    return true;
}

void MatchingThread::write(const virtual_time::Extent* buffer, Bytes size, sim::Action placed) {
    const auto write = std::make_shared<Write>();
    write->placed = std::move(placed);
    writes_.push_back(write);
    if (buffer) write->region = buffer->region;
    const elan::Address to = buffer ? memory_.take(*buffer) : memory_.system_buffer(size);
    adapter_.chip().write(context_, to, static_cast<std::uint32_t>(size.count()),
                          [this, write] { written(write); });
}

/// In the order of writing, whatever the memory did.
void MatchingThread::written(const std::shared_ptr<Write>& write) {
    std::erase(writes_, write);
    if (write->region) memory_.let_go(*write->region);
    sim::Action placed = std::move(write->placed);
    if (placed) placed();
    go_on();
}

void MatchingThread::stop() {
    jobs_.clear();
    for (const auto& write : writes_)
        write->placed.reset();
    taken_ = [](std::uint64_t) {};
}

}  // namespace railyard::quadrics
