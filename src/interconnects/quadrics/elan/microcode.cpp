#include "interconnects/quadrics/elan/microcode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace railyard::elan {

Microcode::Microcode(sim::Engine& engine, std::uint32_t node)
    : engine_(engine), processor_(engine) {
    if (sim::Trace* const trace = engine.trace())
        for (std::size_t i = 0; i < threads_.size(); ++i)
            threads_[i].lane = trace->lane(fmt::format("node {}", node), role_names[i]);
}

void Microcode::run(Role role, Duration work, const Label& what, sim::Action done) {
    Thread& thread = threads_[static_cast<std::size_t>(role)];
    if (thread.at_work)
        thread.waiting.push_back({work, what, std::move(done)});
    else
        begin(thread, {work, what, std::move(done)});
}

void Microcode::begin(Thread& thread, Work&& step) {
    const Duration on_processor = std::min(step.work, turn);
    const Time awake = processor_.book(engine_.now(), on_processor);
    const Time end_at = awake + (step.work - on_processor);
    if (engine_.trace() && step.work > Duration())
        engine_.trace()->slice(thread.lane, step.what.text,
                               Time::at(awake.since_start() - on_processor), end_at, step.what.dma);
    ++thread.steps;
    thread.busy += step.work;
    thread.at_work = true;
    thread.done = std::move(step.done);
    engine_.schedule(end_at, [this, &thread] { end(thread); });
}

/// The next step that waits comes before what this one leads to.
void Microcode::end(Thread& thread) {
    sim::Action done = std::move(thread.done);
    thread.at_work = false;
    if (!thread.waiting.empty()) {
        Work next = std::move(thread.waiting.front());
        thread.waiting.pop_front();
        begin(thread, std::move(next));
    }
    done();
}

}  // namespace railyard::elan
