#include "interconnects/elan/inputter.hpp"

#include <cstring>

namespace railyard::elan {

void Inputter::take(const std::shared_ptr<Parcel>& parcel, elite::NodeId from, Answer answer) {
    auto arrival = std::make_shared<Arrival>(Arrival{parcel, from, std::move(answer)});
    chip_.microcode.run(Role::inputter, chip_.parameters.microcode.input, "packet",
                        [this, arrival] { judge(arrival); });
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
void Inputter::judge(const ArrivalPointer& arrival) {
    const Parcel& parcel = *arrival->parcel;
    auto& known = known_[arrival->from];
    known.erase(known.begin(), known.lower_bound(parcel.oldest));
    if (const auto [found, is_new] = known.emplace(parcel.serial, false); !is_new) {
        ++duplicates_;
        return arrival->answer(found->second ? Verdict::taken : Verdict::later);
    }
    arrival->context = find_context(parcel);
    if (!arrival->context) return refuse(arrival, Verdict::no_context);
    const AddressSpace& space = arrival->context->space;
    if (parcel.event != null_address && !space.allows(parcel.from, parcel.event, 4, Access::write))
        return refuse(arrival, Verdict::no_right);
    carry_out(arrival);
}

void Inputter::carry_out(const ArrivalPointer& arrival) {
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

void Inputter::accept(const ArrivalPointer& arrival) {
    known_[arrival->from][arrival->parcel->serial] = true;
    ++taken_;
}

void Inputter::refuse(const ArrivalPointer& arrival, Verdict verdict) {
    known_[arrival->from].erase(arrival->parcel->serial);
    arrival->answer(verdict);
}

void Inputter::write(const ArrivalPointer& arrival) {
    const Parcel& parcel = *arrival->parcel;
    if (parcel.size > 0 &&
        !arrival->context->space.allows(parcel.from, parcel.address, parcel.size, Access::write))
        return refuse(arrival, Verdict::no_right);
    auto writing = std::make_shared<Chip::Writing>();
    const std::uint64_t number = ++writes_;
    writing->checked = [this, arrival, number](Verdict verdict) {
        if (verdict != Verdict::taken) return refuse(arrival, verdict);
        accept(arrival);
        writing_.insert(number);
    };
    writing->issued = [this, arrival] {
        if (!arrival->parcel->last) return arrival->answer(Verdict::taken);
        end_of_dma(arrival);
        // The event is looked up while the data go to memory.
        if (arrival->parcel->event == null_address) return;
        events_.look(Role::inputter, *arrival->context, arrival->parcel->event, [this, arrival] {
            arrival->looked_up = true;
            set_due_events();
        });
    };
    writing->done = [this, arrival, number] { placed(number, arrival); };
    chip_.deliver(*arrival->context, parcel.address, parcel.data, std::move(writing));
}

/// Steps 6 and 7: the DMA engine of this side is told, and acknowledges.
void Inputter::end_of_dma(const ArrivalPointer& arrival) {
    const MicrocodeTimes& times = chip_.parameters.microcode;
    chip_.note(Step::notify_engine, arrival->parcel->dma);
    chip_.microcode.run(Role::inputter, times.notify, "notify", [this, arrival] {
        chip_.microcode.run(Role::dma, chip_.parameters.microcode.acknowledge, "acknowledge",
                            [this, arrival] {
                                chip_.note(Step::acknowledge, arrival->parcel->dma);
                                arrival->answer(Verdict::taken);
                            });
    });
}

/// An event behind data waits until all that came before it is in place (RD-4).
void Inputter::placed(std::uint64_t write, const ArrivalPointer& arrival) {
    if (arrival->parcel->event != null_address) due_.emplace_back(write, arrival);
    writing_.erase(write);
    // A process may watch its memory.
    if (arrival->context->notify_host) arrival->context->notify_host();
    set_due_events();
}

void Inputter::set_due_events() {
    while (!due_.empty() && due_.front().second->looked_up &&
           (writing_.empty() || *writing_.begin() > due_.front().first)) {
        const ArrivalPointer due = due_.front().second;
        due_.pop_front();
        events_.apply(*due->context, due->parcel->event, due->parcel->status,
                      {due->parcel->dma, Step::destination_event});
    }
}

void Inputter::enqueue(const ArrivalPointer& arrival) {
    Parcel& parcel = *arrival->parcel;
    const auto found = arrival->context->queues.find(parcel.number);
    if (found == arrival->context->queues.end()) return refuse(arrival, Verdict::bad_address);
    InputQueue& queue = found->second;
    if (queue.messages.size() + queue.coming == queue.slots) return refuse(arrival, Verdict::later);
    ++queue.coming;
    accept(arrival);
    end_of_dma(arrival);
    chip_.path.write(Home::sdram, Bytes(parcel.data.size()), {}, [this, arrival, &queue] {
        --queue.coming;
        queue.messages.push_back({arrival->parcel->from, arrival->parcel->data});
        events_.set(Role::inputter, *arrival->context, queue.event);
    });
}

/// The DMA engine here writes what the other side wants to read.
void Inputter::read_request(const ArrivalPointer& arrival) {
    const Parcel& parcel = *arrival->parcel;
    Descriptor back = parcel.descriptor;
    if (!arrival->context->space.allows(parcel.from, back.source_address, back.size, Access::read))
        return refuse(arrival, Verdict::no_right);
    if (back.size > 0 && !arrival->context->space.home_of(back.source_address))
        return refuse(arrival, Verdict::bad_address);
    accept(arrival);
    arrival->answer(Verdict::taken);
    back.direction = Direction::write;
    back.failure_event = null_address;  // an event of the one who asks, and not of this context
    dma_.enqueue(*arrival->context, back, parcel.dma, DmaEngine::For::asker);
}

void Inputter::set_event(const ArrivalPointer& arrival) {
    accept(arrival);
    arrival->answer(Verdict::taken);
    events_.set(Role::inputter, *arrival->context, arrival->parcel->event, arrival->parcel->status);
}

void Inputter::test(const ArrivalPointer& arrival) {
    chip_.touch(*arrival->context, arrival->parcel->address, [this, arrival](std::byte* word) {
        if (!word) return refuse(arrival, Verdict::bad_address);
        std::uint32_t value = 0;
        std::memcpy(&value, word, sizeof value);
        if (value < arrival->parcel->number) return refuse(arrival, Verdict::not_yet);
        accept(arrival);
        arrival->answer(Verdict::taken);
    });
}

}  // namespace railyard::elan
