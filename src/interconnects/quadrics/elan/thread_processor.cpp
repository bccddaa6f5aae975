#include "interconnects/quadrics/elan/thread_processor.hpp"

#include <fmt/format.h>

#include <utility>

namespace railyard::elan {

ThreadProcessor::ThreadProcessor(Chip& chip, DmaEngine& dma, Events& events, Sender& sender)
    : chip_(chip), dma_(dma), events_(events), sender_(sender), processor_(chip.engine) {
    if (sim::Trace* const trace = chip.engine.trace())
        lane_ = trace->lane(fmt::format("node {}", chip.node), "thread processor");
}

Thread& ThreadProcessor::start(Context& context, std::string name, Code code) {
    threads_.push_back(std::unique_ptr<Thread>(new Thread(*this, context)));
    Thread& thread = *threads_.back();
    thread.fiber_ =
        &chip_.engine.spawn_on(chip_.node, std::move(name), [&thread, code = std::move(code)] {
            try {
                if (!thread.stopped_) code(thread);
            } catch (const Thread::Stopped&) {  // its context is closed
            }
        });
    return thread;
}

void ThreadProcessor::stop(Context& context) {
    for (const auto& thread : threads_) {
        if (&thread->context_ != &context) continue;
        thread->stopped_ = true;
        chip_.engine.resume(*thread->fiber_);
    }
}

/// The scheduler, a thread of the microcode, puts it on the processor.
void ThreadProcessor::wake(Thread& thread) {
    schedule([this, &thread] { chip_.engine.resume(*thread.fiber_); });
}

void ThreadProcessor::schedule(sim::Action start) {
    chip_.microcode.run(Role::scheduler, chip_.parameters.microcode.schedule, "schedule",
                        std::move(start));
}

void ThreadProcessor::compute(Duration work, sim::Action done) {
    processor_.use(work, "thread", lane_, std::move(done));
}

sim::Engine& Thread::engine() const {
    return processor_.chip_.engine;
}

const Parameters& Thread::parameters() const {
    return processor_.chip_.parameters;
}

void Thread::pause(const sim::Reason& reason) {
    engine().suspend(reason);
    if (stopped_) throw Stopped();
}

void Thread::compute(Duration work) {
    bool done = false;
    processor_.processor_.use(work, "thread", processor_.lane_, [this, &done] {
        done = true;
        engine().resume(*fiber_);
    });
    // The processor keeps its word even to a thread that is to end: `done` is on this stack.
    while (!done)
        engine().suspend("the thread processor");
    if (stopped_) throw Stopped();
}

Status Thread::wait(Address event) {
    EventState& state = context_.events.at(event);
    state.thread = this;
    while (state.ready == 0)
        pause("an event of its own");
    --state.ready;
    return state.status;
}

std::optional<InputQueue::Message> Thread::take(std::uint32_t queue) {
    auto& messages = context_.queues.at(queue).messages;
    if (messages.empty()) return {};
    InputQueue::Message message = std::move(messages.front());
    messages.pop_front();
    return message;
}

void Thread::start(const Descriptor& descriptor) {
    processor_.dma_.enqueue(context_, descriptor, processor_.dma_.next_id());
}

void Thread::set_event(Vpid vpid, Address event, Status status) {
    processor_.events_.set_anywhere(Role::scheduler, context_, vpid, event, status);
}

namespace {

/// A thread that waits for memory.
class Moving final : public Mover {
  public:
    explicit Moving(sim::Engine& engine) : engine_(engine), fiber_(*engine.current()) {}
    /// What is under way refers to this: it ends before the thread does.
    Verdict wait() {
        while (!done_)
            engine_.suspend("memory");
        return verdict_;
    }

  private:
    void checked(const MoveHandle&, Verdict verdict) override {
        verdict_ = verdict;
        if (verdict != Verdict::taken) finish();
    }
    void moved(const MoveHandle&, Verdict verdict) override {
        verdict_ = verdict;
        finish();
    }
    void finish() {
        done_ = true;
        engine_.resume(fiber_);
    }

    sim::Engine& engine_;
    sim::Fiber& fiber_;
    Verdict verdict_ = Verdict::taken;
    bool done_ = false;
};

}  // namespace

Verdict Thread::move(Access access, Address address, std::span<std::byte> data) {
    for (;;) {
        Moving moving(engine());
        Chip& chip = processor_.chip_;
        {
            const MoveHandle move = chip.pools.moves.take();
            move->mover = &moving;
            move->context = &context_;
            move->access = access;
            move->address = address;
            move->size = static_cast<std::uint32_t>(data.size());
            move->bytes = data.data();
            chip.start(move);
        }
        const Verdict verdict = moving.wait();
        if (stopped_) throw Stopped();
        if (verdict != Verdict::later) return verdict;
        sleep(chip.parameters.host.trap);
    }
}

Verdict Thread::write(Address address, std::span<const std::byte> data) {
    // A write only reads them.
    const Verdict verdict =
        move(Access::write, address, {const_cast<std::byte*>(data.data()), data.size()});
    if (context_.notify_host) context_.notify_host();  // a process may watch its memory
    return verdict;
}

Verdict Thread::read(Address address, std::span<std::byte> data) {
    return move(Access::read, address, data);
}

void Thread::sleep(Duration duration) {
    engine().sleep_until(engine().now() + duration);
    if (stopped_) throw Stopped();
}

Verdict Thread::ask_all(Transaction kind, Vpid first, Vpid last, Address address,
                        std::uint32_t value) {
    compute(parameters().thread_packet);
    const ParcelHandle parcel = processor_.chip_.pools.parcels.take();
    parcel->kind = kind;
    parcel->from = context_.self;
    parcel->to = first;
    parcel->last_to = last;
    parcel->broadcast = true;
    parcel->address = address;
    if (kind == Transaction::set_event) parcel->event = address;
    parcel->number = value;
    parcel->context = &context_;
    parcel->sender = this;
    answer_.reset();
    processor_.sender_.send(parcel);
    while (!answer_)
        pause("the answer of all");
    return *answer_;
}

void Thread::settled(const ParcelHandle&, Verdict verdict) {
    answer_ = verdict;
    engine().resume(*fiber_);
}

Verdict Thread::test(Vpid first, Vpid last, Address address, std::uint32_t value) {
    return ask_all(Transaction::test, first, last, address, value);
}

Verdict Thread::set_events(Vpid first, Vpid last, Address event) {
    return ask_all(Transaction::set_event, first, last, event, 0);
}

bool Thread::store(Address address, std::span<const std::byte> data) {
    return context_.space.store(address, data);
}

bool Thread::load(Address address, std::span<std::byte> data) {
    return context_.space.load(address, data);
}

}  // namespace railyard::elan
