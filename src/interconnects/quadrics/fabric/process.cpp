#include "interconnects/quadrics/fabric/process.hpp"

#include <utility>

namespace railyard::quadrics {

using elan::Home;
using elan::Step;

namespace {

constexpr std::uint32_t completion_size = elan::block_size;

}  // namespace

Process::Process(elan::Machine& machine, const elan::Job& job, elan::Vpid self)
    : adapter_(machine.adapter(job.processes.at(self).node)),
      context_(machine.context(job, self)),
      port_(adapter_, context_),
      memory_(context_.space) {}

elan::Address Process::take_event(std::uint32_t sets, std::function<void(Status)> listener) {
    if (events_.empty()) {
        elan::EventState fresh;
        fresh.rearms = true;
        events_.push_back(port_.make_event(std::move(fresh)));
    }
    const elan::Address event = events_.back();
    events_.pop_back();
    elan::EventState& state = context_.events.at(event);
    state.threshold = sets;
    state.listener = std::move(listener);
    return event;
}

void Process::give_back_event(elan::Address event) {
    events_.push_back(event);
}

elan::Address Process::take_block() {
    if (blocks_.empty()) {
        blocks_.push_back(context_.space.allocate(Home::sdram, elan::block_size));
        context_.space.bind(blocks_.back());
    }
    const elan::Address block = blocks_.back();
    blocks_.pop_back();
    return block;
}

void Process::command(const elan::Descriptor& descriptor, elan::Address block) {
    const elan::DmaId id = adapter_.dma().next_id();
    port_.store(block, descriptor);
    adapter_.chip().note(Step::give_command, id);
    port_.command({elan::Command::Kind::run_dma, block, context_.self}, id);
}

void Process::start(const elan::Descriptor& descriptor) {
    adapter_.dma().enqueue(context_, descriptor, adapter_.dma().next_id());
}

elan::Address Process::completion_event() {
    if (completion_event_ != elan::null_address) return completion_event_;
    elan::EventState state;
    state.rearms = true;
    state.copy = {context_.space.allocate(Home::sdram, completion_size),
                  context_.space.allocate(Home::main, completion_size), completion_size};
    state.listener = [this](Status) { show_next(); };
    completion_event_ = port_.make_event(std::move(state));
    return completion_event_;
}

void Process::show_next() {
    for (bool next = !completions_.empty(); next;) {
        sim::Action visible = std::move(completions_.front().visible);
        completions_.pop_front();
        visible();
        next = !completions_.empty() && completions_.front().with_data;
    }
}

void Process::show(Duration after, elan::Step step, sim::Action visible) {
    const elan::Address event = completion_event();
    completions_.push_back({std::move(visible)});
    const auto copy = [this, event, step] {
        adapter_.events().apply(context_, event, {}, {0, step});
    };
    if (after == Duration{}) return copy();
    adapter_.chip().engine.schedule(adapter_.chip().engine.now() + after, copy);
}

void Process::show_with_data(sim::Action visible) {
    completion_event();
    if (completions_.empty()) return visible();
    completions_.push_back({std::move(visible), true});
}

}  // namespace railyard::quadrics
