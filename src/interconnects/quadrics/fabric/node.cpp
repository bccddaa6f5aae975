#include "interconnects/quadrics/fabric/node.hpp"

#include <cstring>
#include <utility>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::quadrics {

using elan::Home;
using elan::Step;

namespace {

constexpr std::uint64_t smallest_zone = 64 << 10;

elan::Home home_of(const virtual_time::Extent& extent) {
    return extent.home == fabric::Home::adapter ? elan::Home::sdram : elan::Home::main;
}

constexpr std::uint32_t completion_size = elan::block_size;

}  // namespace

elan::Address MemoryMap::take(const Use& use, const virtual_time::Extent& extent) {
    auto found = regions_.find({use.nic, use.region});
    if (found == regions_.end()) {
        Region fresh;
        fresh.size = static_cast<std::uint32_t>(extent.region_size.count());
        fresh.address = space_.reserve(home_of(extent), extent.region_size.count());
        found = regions_.emplace(std::pair(use.nic, use.region), fresh).first;
    }
    Region& region = found->second;
    ++region.uses;
    return region.address + static_cast<elan::Address>(extent.offset.count());
}

void MemoryMap::let_go(const Use& use) {
    const auto found = regions_.find({use.nic, use.region});
    if (--found->second.uses == 0 && found->second.forgotten) drop(found);
}

void MemoryMap::forget(const Use& use) {
    const auto found = regions_.find({use.nic, use.region});
    if (found == regions_.end()) return;
    found->second.forgotten = true;
    if (found->second.uses == 0) drop(found);
}

void MemoryMap::drop(Regions::iterator region) {
    space_.unmap(region->second.address, region->second.size);
    regions_.erase(region);
}

elan::Address MemoryMap::somewhere(Bytes size) {
    while (zones_.empty() || zones_.back().size < size.count()) {
        const std::uint64_t next = zones_.empty() ? smallest_zone : zones_.back().size * 4;
        zones_.push_back({next, space_.map(nullptr, next)});
    }
    for (const Zone& zone : zones_)
        if (zone.size >= size.count()) return zone.address;
    return zones_.back().address;
}

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

void MatchingThread::write(Bytes size, sim::Action placed) {
    const auto write = std::make_shared<Write>(Write{std::move(placed)});
    writes_.push_back(write);
    adapter_.chip().write(context_, memory_.somewhere(size),
                          static_cast<std::uint32_t>(size.count()),
                          [this, write] { written(write); });
}

/// In the order of writing, whatever the memory did.
void MatchingThread::written(const std::shared_ptr<Write>& write) {
    std::erase(writes_, write);
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

void Node::show(std::uint32_t nic, Duration after, Step event, sim::Action visible) {
    Completions& its = completions(nic);
    its.all.push_back({std::move(visible)});
    const auto copy = [this, &its, event] {
        adapter_.events().apply(context_, its.event, {}, {0, event});
    };
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
