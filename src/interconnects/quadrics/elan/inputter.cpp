#include "interconnects/quadrics/elan/inputter.hpp"

#include <algorithm>
#include <cstring>

namespace railyard::elan {

namespace {

ArrivalHandle arrival_of(const MoveHandle& move) {
    return ArrivalHandle(static_cast<Arrival*>(move->subject.get()));
}

}  // namespace

ArrivalHandle Inputter::arrival_of(const ParcelHandle& parcel, elite::NodeId from) {
    ArrivalHandle arrival = chip_.pools.arrivals.take();
    arrival->parcel = parcel;
    arrival->from = from;
    return arrival;
}

void Inputter::take(const ParcelHandle& parcel, const elite::Delivery& delivery) {
    const ArrivalHandle arrival = arrival_of(parcel, delivery.source);
    arrival->from_here = false;
    arrival->delivery = delivery;
    begin(arrival);
}

void Inputter::take_from_here(const ParcelHandle& parcel) {
    const ArrivalHandle arrival = arrival_of(parcel, chip_.node);
    arrival->from_here = true;
    begin(arrival);
}

void Inputter::begin(const ArrivalHandle& arrival) {
    arrival->resets = chip_.resets;
    chip_.microcode.run(Role::inputter, chip_.parameters.microcode.input,
                        {"packet", arrival->parcel->dma}, [this, arrival] { judge(arrival); });
}

/// CX-3: a context of another job is none.
Context* Inputter::find_context(const Parcel& parcel) const {
    const Job& job = *parcel.context->job;
    for (Vpid vpid = parcel.to; vpid <= (parcel.broadcast ? parcel.last_to : parcel.to); ++vpid) {
        if (job.processes[vpid].node != chip_.node) continue;
        Context* const found = chip_.context(job.processes[vpid].context);
        return found && found->job->key == parcel.job ? found : nullptr;
    }
    return nullptr;
}

/// What has been taken is acknowledged again, and done once (FA-8). One whose first coming is still
/// being looked at has to come again.
void Inputter::judge(const ArrivalHandle& arrival) {
    if (arrival->resets != chip_.resets) return lose(*arrival);
    const Parcel& parcel = *arrival->parcel;
    KnownSerials& known = known_[arrival->from];
    known.forget_below(parcel.oldest);
    if (const auto* const found = known.find(parcel.serial)) {
        ++duplicates_;
        if (on_duplicate) on_duplicate();
        return answers_.answer(*arrival, found->taken ? Verdict::taken : Verdict::later);
    }
    known.add(parcel.serial);
    arrival->context = find_context(parcel);
    if (!arrival->context) return refuse(*arrival, Verdict::no_context);
    const AddressSpace& space = arrival->context->space;
    if (parcel.event != null_address && !space.allows(parcel.from, parcel.event, 4, Access::write))
        return refuse(*arrival, Verdict::no_right);
    carry_out(arrival);
}

void Inputter::carry_out(const ArrivalHandle& arrival) {
    switch (arrival->parcel->kind) {
        case Transaction::write_blocks:
            return write(arrival);
        case Transaction::read_request:
            return read_request(arrival);
        case Transaction::set_event:
            return set_event(arrival);
        case Transaction::enqueue:
            return enqueue(arrival);
        case Transaction::test:
            return test(arrival);
    }
}

void Inputter::accept(Arrival& arrival) {
    // Its source may have given it up meanwhile, and may send another under its number.
    known_[arrival.from].take(arrival.parcel->serial);
    ++taken_;
}

void Inputter::refuse(const Arrival& arrival, Verdict verdict) {
    known_[arrival.from].remove(arrival.parcel->serial);
    answers_.answer(arrival, verdict);
}

/// Lost in a reset, before it was taken: it comes again. The network has told its source; who sent
/// it here has to be told.
void Inputter::lose(const Arrival& arrival) {
    if (arrival.from_here) answers_.answer(arrival, Verdict::later);
}

void Inputter::write(const ArrivalHandle& arrival) {
    Parcel& parcel = *arrival->parcel;
    if (parcel.size > 0 &&
        !arrival->context->space.allows(parcel.from, parcel.address, parcel.size, Access::write))
        return refuse(*arrival, Verdict::no_right);
    arrival->write = ++writes_;
    const MoveHandle move = chip_.pools.moves.take();
    move->mover = this;
    move->subject = arrival;
    move->context = arrival->context;
    move->access = Access::write;
    move->address = parcel.address;
    move->size = parcel.size;
    move->bytes = parcel.has_data ? parcel.data.data() : nullptr;
    move->dma = parcel.dma;
    chip_.start(move);
}

void Inputter::checked(const MoveHandle& move, Verdict verdict) {
    const ArrivalHandle arrival = elan::arrival_of(move);
    if (verdict != Verdict::taken) return refuse(*arrival, verdict);
    accept(*arrival);
    writing_.insert(std::upper_bound(writing_.begin(), writing_.end(), arrival->write),
                    arrival->write);
}

void Inputter::issued(const MoveHandle& move) {
    const ArrivalHandle arrival = elan::arrival_of(move);
    if (!arrival->parcel->last) return answers_.answer(*arrival, Verdict::taken);
    end_of_dma(arrival);
    // The event is looked up while the data go to memory.
    if (arrival->parcel->event == null_address) return;
    events_.look(Role::inputter, *arrival->context, arrival->parcel->event,
                 {arrival->parcel->dma, Step::destination_event}, [this, arrival] {
                     arrival->looked_up = true;
                     set_due_events();
                 });
}

/// Steps 6 and 7: the DMA engine of this side is told, and acknowledges.
void Inputter::end_of_dma(const ArrivalHandle& arrival) {
    const MicrocodeTimes& times = chip_.parameters.microcode;
    const DmaId dma = arrival->parcel->dma;
    chip_.note(Step::notify_engine, dma);
    chip_.microcode.run(
        Role::inputter, times.notify, label(Step::notify_engine, dma), [this, arrival] {
            chip_.microcode.run(Role::dma, chip_.parameters.microcode.acknowledge,
                                label(Step::acknowledge, arrival->parcel->dma), [this, arrival] {
                                    chip_.note(Step::acknowledge, arrival->parcel->dma);
                                    answers_.answer(*arrival, Verdict::taken);
                                });
        });
}

/// An event behind data waits until all that came before it is in place (RD-4).
void Inputter::moved(const MoveHandle& move, Verdict) {
    const ArrivalHandle arrival = elan::arrival_of(move);
    if (arrival->parcel->event != null_address) due_.push_back(arrival);
    writing_.erase(std::find(writing_.begin(), writing_.end(), arrival->write));
    // A process may watch its memory.
    if (arrival->context->notify_host) arrival->context->notify_host();
    set_due_events();
}

void Inputter::set_due_events() {
    while (!due_.empty() && due_.front()->looked_up &&
           (writing_.empty() || writing_.front() > due_.front()->write)) {
        const ArrivalHandle due = due_.front();
        due_.pop_front();
        events_.apply(*due->context, due->parcel->event, due->parcel->status,
                      {due->parcel->dma, Step::destination_event});
    }
}

void Inputter::enqueue(const ArrivalHandle& arrival) {
    Parcel& parcel = *arrival->parcel;
    const auto found = arrival->context->queues.find(parcel.number);
    if (found == arrival->context->queues.end() || !found->second.open)
        return refuse(*arrival, Verdict::bad_address);
    InputQueue& queue = found->second;
    if (queue.messages.size() + queue.coming == queue.slots)
        return refuse(*arrival, Verdict::later);
    ++queue.coming;
    accept(*arrival);
    end_of_dma(arrival);
    chip_.path.write({Home::sdram, Bytes(parcel.size)}, {}, [this, arrival, &queue] {
        --queue.coming;
        Parcel& message = *arrival->parcel;
        const auto content = message.content();
        queue.messages.push_back({message.from, std::vector<std::byte>(message.size)});
        if (message.has_data)
            std::copy(content.begin(), content.end(), queue.messages.back().bytes.begin());
        events_.set(Role::inputter, *arrival->context, queue.event);
    });
}

/// The DMA engine here writes what the other side wants to read.
void Inputter::read_request(const ArrivalHandle& arrival) {
    const Parcel& parcel = *arrival->parcel;
    Descriptor back = parcel.descriptor;
    if (!arrival->context->space.allows(parcel.from, back.source_address, back.size, Access::read))
        return refuse(*arrival, Verdict::no_right);
    if (back.size > 0 && !arrival->context->space.home_of(back.source_address))
        return refuse(*arrival, Verdict::bad_address);
    const auto event = arrival->context->events.find(back.source_event);
    if (event != arrival->context->events.end() && event->second.revoked)
        return refuse(*arrival, Verdict::no_right);
    accept(*arrival);
    answers_.answer(*arrival, Verdict::taken);
    back.direction = Direction::write;
    back.failure_event = null_address;  // an event of the one who asks, and not of this context
    dma_.enqueue(*arrival->context, back, parcel.dma, DmaEngine::For::asker);
}

void Inputter::set_event(const ArrivalHandle& arrival) {
    accept(*arrival);
    answers_.answer(*arrival, Verdict::taken);
    events_.set(Role::inputter, *arrival->context, arrival->parcel->event, arrival->parcel->status);
}

void Inputter::test(const ArrivalHandle& arrival) {
    chip_.touch(*arrival->context, arrival->parcel->address, [this, arrival] {
        const std::byte* const word = chip_.word(*arrival->context, arrival->parcel->address);
        if (!word) return refuse(*arrival, Verdict::bad_address);
        std::uint32_t value = 0;
        std::memcpy(&value, word, sizeof value);
        if (value < arrival->parcel->number) return refuse(*arrival, Verdict::not_yet);
        accept(*arrival);
        answers_.answer(*arrival, Verdict::taken);
    });
}

}  // namespace railyard::elan
