#include "interconnects/quadrics/elan/events.hpp"

#include <span>
#include <utility>

namespace railyard::elan {

namespace {

Step behind(Step step, int by) {
    return step == Step::none ? step : static_cast<Step>(static_cast<int>(step) + by);
}

}  // namespace

void Events::set(Role by, Context& context, Address event, Status status, Note note) {
    look(by, context, event, note,
         [this, &context, event, status, note] { apply(context, event, status, note); });
}

void Events::look(Role by, Context& context, Address event, Note note, sim::Action then) {
    const auto looking = chip_.pools.touches.take();
    looking->context = &context;
    looking->address = event;
    looking->ready = std::move(then);
    const Label what = note.set == Step::none ? "event" : label(note.set, note.dma);
    chip_.microcode.run(by, chip_.parameters.microcode.event, what, [this, looking] {
        chip_.touch(*looking->context, looking->address, std::move(looking->ready));
    });
}

void Events::apply(Context& context, Address event, Status status, Note note) {
    const auto found = context.events.find(event);
    if (found == context.events.end()) {
        context.troubles.emplace_back(Code::bad_key);
        return;
    }
    EventState& state = found->second;
    chip_.note(note.set, note.dma);
    ++state.count;
    if (state.failure.ok()) state.failure = status;
    context.space.store(event, std::as_bytes(std::span(&state.count, 1)));
    fire_if_due(context, event, state, note);
}

void Events::fire_if_due(Context& context, Address event, EventState& state, Note note) {
    while (state.armed && state.count >= state.threshold) {
        state.count -= state.threshold;
        state.armed = state.rearms;
        state.status = std::exchange(state.failure, Status());
        ++state.ready;
        ++state.fired;
        if (state.copy.size > 0) copy(context, event, state, note);
        for (const Chained& next : state.chain) {
            if (next.kind == Chained::Kind::dma)
                starts_.dma(context, next.address);
            else
                set_anywhere(Role::dma, context, next.vpid, next.address, state.status);
        }
        if (std::exchange(state.interrupts, false)) wake_host(context, event);
        if (state.thread) starts_.wake(*state.thread);
        if (state.listener && state.copy.size == 0) tell_listener(state, state.status);
    }
}

void Events::arm(Context& context, Address event) {
    const auto found = context.events.find(event);
    if (found == context.events.end()) {
        context.troubles.emplace_back(Code::bad_key);
        return;
    }
    found->second.armed = true;
    fire_if_due(context, event, found->second, {});
}

void Events::tell_listener(EventState& state, Status status) {
    --state.ready;
    state.listener(status);
}

/// The DMA engine copies the block; the process has the value in main memory before it looks.
void Events::copy(Context& context, Address event, const EventState& state, Note note) {
    const auto copying = chip_.pools.copies.take();
    copying->context = &context;
    copying->event = event;
    copying->status = state.status;
    copying->block = state.copy;
    copying->note = note;
    copying->bytes.resize(state.copy.size);
    const Label what = note.set == Step::none ? "block copy" : label(behind(note.set, 1), note.dma);
    chip_.microcode.run(Role::dma, chip_.parameters.microcode.block_copy, what, [this, copying] {
        const Note& its = copying->note;
        chip_.note(behind(its.set, 1), its.dma);
        const MemoryPath::Blocks block{Home::sdram, Bytes(copying->block.size), 1,
                                       label(behind(its.set, 1), its.dma)};
        chip_.path.read(block, false, [this, copying] { block_read(copying); });
    });
}

void Events::block_read(const Handle<Copying>& copying) {
    copying->context->space.load(copying->block.from, copying->bytes);
    const MemoryPath::Blocks block{Home::main, Bytes(copying->block.size), 1,
                                   label(behind(copying->note.set, 2), copying->note.dma)};
    chip_.path.write(block, {}, [this, copying] {
        Context& context = *copying->context;
        context.space.store(copying->block.to, copying->bytes);
        chip_.note(behind(copying->note.set, 2), copying->note.dma);
        if (context.notify_host) context.notify_host();
        const auto found = context.events.find(copying->event);
        if (found != context.events.end() && found->second.listener)
            tell_listener(found->second, copying->status);
    });
}

void Events::interrupt(Context& context, Address event) {
    const auto found = context.events.find(event);
    if (found == context.events.end()) return;
    if (found->second.ready > 0) return wake_host(context, event);
    found->second.interrupts = true;
}

void Events::wake_host(Context& context, Address event) {
    chip_.engine.schedule(chip_.engine.now() + chip_.parameters.host.interrupt, [&context, event] {
        if (context.interrupt_host) context.interrupt_host(event);
    });
}

void Events::set_anywhere(Role by, Context& context, Vpid vpid, Address event, Status status) {
    if (!context.knows(vpid)) {
        context.troubles.emplace_back(Code::invalid);
        return;
    }
    if (vpid == context.self) return set(by, context, event, status);
    const auto parcel = parcel_for(context, vpid, event);
    parcel->status = status;
    starts_.send(parcel);
}

ParcelHandle Events::parcel_for(Context& context, Vpid vpid, Address event) {
    const ParcelHandle parcel = chip_.pools.parcels.take();
    parcel->kind = Transaction::set_event;
    parcel->from = context.self;
    parcel->to = vpid;
    parcel->event = event;
    parcel->context = &context;
    parcel->sender = this;
    parcel->channel = 1;
    return parcel;
}

void Events::settled(const ParcelHandle& parcel, Verdict verdict) {
    if (verdict != Verdict::taken) parcel->context->troubles.push_back(to_status(verdict));
}

}  // namespace railyard::elan
