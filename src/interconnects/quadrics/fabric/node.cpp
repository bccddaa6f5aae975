#include "interconnects/quadrics/fabric/node.hpp"

#include <utility>

namespace railyard::quadrics {

using elan::Home;
using elan::Step;

namespace {

constexpr std::uint32_t completion_size = elan::block_size;

}  // namespace

Node::Node(elan::Machine& machine, const elan::Job& job, fabric::NodeId id)
    : adapter_(machine.adapter(id)),
      context_(machine.context(job, id)),
      port_(adapter_, context_),
      memory_(context_.space) {}

elan::Address Node::take_event(std::uint32_t sets, std::function<void(Status)> listener) {
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

void Node::give_back_event(elan::Address event) {
    events_.push_back(event);
}

elan::Address Node::take_block() {
    if (blocks_.empty()) {
        blocks_.push_back(context_.space.allocate(Home::sdram, elan::packet_data));
        context_.space.bind(blocks_.back());
        context_.space.bind(blocks_.back() + elan::packet_data - 1);
    }
    const elan::Address block = blocks_.back();
    blocks_.pop_back();
    return block;
}

void Node::store(elan::Address block, std::span<const std::byte> bytes) {
    context_.space.store(block, bytes);
}

void Node::command(const elan::Descriptor& descriptor, elan::Address block) {
    const elan::DmaId id = adapter_.dma().next_id();
    port_.store(block, descriptor);
    adapter_.chip().note(Step::give_command, id);
    port_.command({elan::Command::Kind::run_dma, block, context_.self}, id);
}

void Node::start(const elan::Descriptor& descriptor) {
    adapter_.dma().enqueue(context_, descriptor, adapter_.dma().next_id());
}

Node::Completions& Node::completions(std::uint32_t nic) {
    if (completions_.size() <= nic) completions_.resize(nic + 1);
    auto& its = completions_[nic];
    if (its) return *its;
    its = std::make_unique<Completions>();
    elan::EventState state;
    state.rearms = true;
    state.copy = {context_.space.allocate(Home::sdram, completion_size),
                  context_.space.allocate(Home::main, completion_size), completion_size};
    state.listener = [all = its.get()](Status) { show_next(*all); };
    its->event = port_.make_event(std::move(state));
    return *its;
}

void Node::show_next(Completions& completions) {
    for (bool next = !completions.all.empty(); next;) {
        sim::Action visible = std::move(completions.all.front().visible);
        completions.all.pop_front();
        visible();
        next = !completions.all.empty() && completions.all.front().with_data;
    }
}

void Node::show(std::uint32_t nic, Duration after, sim::Action visible) {
    Completions& its = completions(nic);
    its.all.push_back({std::move(visible)});
    const auto copy = [this, &its] { adapter_.events().apply(context_, its.event, {}, {}); };
    if (after == Duration{}) return copy();
    adapter_.chip().engine.schedule(adapter_.chip().engine.now() + after, copy);
}

void Node::show_with_data(std::uint32_t nic, sim::Action visible) {
    Completions& its = completions(nic);
    if (its.all.empty()) return visible();
    its.all.push_back({std::move(visible), true});
}

MatchingThread& Node::thread(std::uint32_t nic) {
    if (threads_.size() <= nic) threads_.resize(nic + 1);
    if (!threads_[nic])
        threads_[nic] =
            std::make_unique<MatchingThread>(adapter_, context_, memory_, nic,
                                             [this](std::uint64_t number) { on_envelope(number); });
    return *threads_[nic];
}

void Node::stop() {
    for (const auto& its : completions_)
        if (its) its->all = {};
    for (const auto& thread : threads_)
        if (thread) thread->stop();
}

}  // namespace railyard::quadrics
