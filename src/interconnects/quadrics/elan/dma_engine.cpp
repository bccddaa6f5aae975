#include "interconnects/quadrics/elan/dma_engine.hpp"

#include <algorithm>
#include <utility>

namespace railyard::elan {

using elite::Priority;

DmaHandle DmaEngine::make(Context& context, const Descriptor& descriptor, DmaId id, For whom) {
    DmaHandle dma = chip_.pools.dmas.take();
    dma->context = &context;
    dma->descriptor = descriptor;
    dma->id = id;
    dma->whom = whom;
    return dma;
}

void DmaEngine::enqueue(const DmaHandle& dma) {
    put_back(dma, false);
    pump();
}

void DmaEngine::put_back(const DmaHandle& dma, bool in_front) {
    auto& queue = queues_[static_cast<std::size_t>(dma->descriptor.priority)];
    in_front ? queue.push_front(dma) : queue.push_back(dma);
}

bool DmaEngine::has_waiting(Priority at_least) const {
    return !queues_[1].empty() || (at_least == Priority::low && !queues_[0].empty());
}

/// After its slice to its equals; at once to what has priority.
bool DmaEngine::gives_way() const {
    const Priority mine = current_->descriptor.priority;
    if (mine == Priority::low && !queues_[1].empty()) return true;
    return current_->slice == 0 && has_waiting(mine);
}

bool DmaEngine::start_next() {
    auto& queue = queues_[1].empty() ? queues_[0] : queues_[1];
    if (queue.empty()) return false;
    current_ = queue.front();
    queue.pop_front();
    current_->slice = chip_.parameters.slice;
    current_->fresh = true;
    busy_ = true;
    const Label what("descriptor", current_->id);
    chip_.microcode.run(Role::dma, chip_.parameters.microcode.dma_start, what, [this] {
        busy_ = false;
        pump();
    });
    return true;
}

void DmaEngine::pump() {
    while (!busy_) {
        if (current_ && gives_way()) {
            put_back(current_, false);
            current_ = nullptr;
        }
        if (!current_) {
            start_next();
            return;
        }
        const DmaHandle dma = current_;
        if (dma->verdict != Verdict::taken) {
            current_ = nullptr;
            if (dma->in_flight == 0) finish(dma);
            continue;
        }
        if (buffers_used_ == chip_.parameters.buffers) return;
        dma->descriptor.direction == Direction::read ? ask_remote(dma) : next_packet(dma);
    }
}

ParcelHandle DmaEngine::parcel_of(const DmaHandle& dma) {
    ParcelHandle parcel = chip_.pools.parcels.take();
    parcel->from = dma->context->self;
    parcel->context = dma->context;
    parcel->retries = dma->descriptor.retries;
    parcel->priority = dma->descriptor.priority;
    parcel->dma = dma->id;
    parcel->sender = this;
    parcel->owner = dma;
    return parcel;
}

void DmaEngine::next_packet(const DmaHandle& dma) {
    const Descriptor& descriptor = dma->descriptor;
    const ParcelHandle parcel = parcel_of(dma);
    parcel->to = descriptor.destination;
    parcel->last_to = descriptor.last_destination;
    parcel->broadcast = descriptor.broadcast;
    parcel->size = std::min(packet_data, descriptor.size - dma->offset);
    parcel->last = parcel->size == descriptor.size - dma->offset;
    parcel->address = descriptor.destination_address + dma->offset;
    if (descriptor.direction == Direction::message) {
        parcel->kind = Transaction::enqueue;
        parcel->number = descriptor.destination_address;
    }
    parcel->event = parcel->last ? descriptor.destination_event : null_address;
    busy_ = true;
    ++buffers_used_;
    if (dma->offset == 0) chip_.note(Step::transfer, dma->id);
    const Label what = label(Step::transfer, dma->id);
    chip_.microcode.run(Role::dma, chip_.parameters.microcode.packet, what, [this, parcel] {
        fetch(parcel, std::exchange(dma_of(*parcel)->fresh, false));
    });
}

void DmaEngine::fetch(const ParcelHandle& parcel, bool first) {
    if (chip_.is_away()) {
        chip_.engine.schedule(chip_.back_at, [this, parcel, first] { fetch(parcel, first); });
        return;
    }
    const Dma& dma = *dma_of(*parcel);
    const MoveHandle move = chip_.pools.moves.take();
    move->mover = this;
    move->subject = parcel;
    move->context = dma.context;
    move->access = Access::read;
    move->address =
        dma.descriptor.source_address + parcel->address - dma.descriptor.destination_address;
    move->size = parcel->size;
    move->bytes = parcel->data.data();
    move->first = first;
    move->dma = parcel->dma;
    chip_.start(move);
}

void DmaEngine::checked(const MoveHandle& move, Verdict verdict) {
    const ParcelHandle parcel(static_cast<Parcel*>(move->subject.get()));
    parcel->fetched_anew ? asked_again(parcel, verdict) : asked(parcel, verdict);
}

/// The memory has been asked for the packet: the engine can turn to the next.
void DmaEngine::asked(const ParcelHandle& parcel, Verdict verdict) {
    const DmaHandle dma = dma_of(*parcel);
    busy_ = false;
    if (verdict == Verdict::taken) {
        dma->offset += parcel->size;
        dma->sent_last = parcel->last;
        dma->slice -= dma->slice > 0 ? 1 : 0;
        ++dma->in_flight;
        if (parcel->last) current_ = nullptr;
        return pump();
    }
    --buffers_used_;
    current_ = nullptr;
    if (verdict == Verdict::later) {
        // Others go on while system software binds the page.
        chip_.engine.schedule(chip_.engine.now() + chip_.parameters.host.trap, [this, dma] {
            if (!dma->finished) put_back(dma, true);
            pump();
        });
    } else {
        dma->verdict = verdict;
        if (dma->in_flight == 0) finish(dma);
    }
    pump();
}

void DmaEngine::moved(const MoveHandle& move, Verdict verdict) {
    const ParcelHandle parcel(static_cast<Parcel*>(move->subject.get()));
    const bool lost = move->resets != chip_.resets;
    if (verdict == Verdict::later || lost) return fetch_again(parcel);
    parcel->has_data = move->has_data;
    Dma& dma = *dma_of(*parcel);
    // Nobody wants the rest of what has failed; least of all its event.
    if (dma.verdict != Verdict::taken) return settled(parcel, dma.verdict);
    // The last one says that all is there, so all others must be.
    if (parcel->last && dma.in_flight > 1)
        dma.held = parcel;
    else
        leave(parcel);
}

/// A page went away while it was being read, and what stands there now is what counts; or the
/// adapter was reset with the data in it. The engine has
/// gone on, to other packets and perhaps to other DMAs; this one keeps its buffer and counts as in
/// flight.
void DmaEngine::fetch_again(const ParcelHandle& parcel) {
    parcel->fetched_anew = true;
    fetch(parcel, true);
}

void DmaEngine::asked_again(const ParcelHandle& parcel, Verdict verdict) {
    if (verdict == Verdict::later)
        chip_.engine.schedule(chip_.engine.now() + chip_.parameters.host.trap,
                              [this, parcel] { fetch_again(parcel); });
    else if (verdict != Verdict::taken)
        settled(parcel, verdict);
}

void DmaEngine::leave(const ParcelHandle& parcel) {
    ++packets_;
    parcel->channel = channel_;
    channel_ ^= 1;
    sender_.send(parcel);
}

/// A read is a write by the adapter where the data are; what comes back is all there is to see.
void DmaEngine::ask_remote(const DmaHandle& dma) {
    const ParcelHandle parcel = parcel_of(dma);
    parcel->kind = Transaction::read_request;
    parcel->descriptor = dma->descriptor;
    parcel->to = dma->descriptor.source;
    parcel->channel = 1;
    busy_ = true;
    ++buffers_used_;
    ++dma->in_flight;
    dma->sent_last = true;
    current_ = nullptr;
    const Label what = label(Step::transfer, dma->id);
    chip_.microcode.run(Role::dma, chip_.parameters.microcode.packet, what, [this, parcel] {
        busy_ = false;
        sender_.send(parcel);
        pump();
    });
}

void DmaEngine::settled(const ParcelHandle& parcel, Verdict verdict) {
    const DmaHandle dma = dma_of(*parcel);
    --buffers_used_;
    --dma->in_flight;
    if (dma->verdict == Verdict::taken) dma->verdict = verdict;
    const bool was_sent = parcel->serial != 0;
    if (verdict == Verdict::unreachable && was_sent && parcel->event != null_address)
        dma->lost_last = parcel->serial;
    if (dma->held && (dma->in_flight == 1 || dma->verdict != Verdict::taken)) {
        const ParcelHandle held = std::exchange(dma->held, nullptr);
        if (dma->verdict == Verdict::taken) {
            leave(held);
        } else {
            --buffers_used_;
            --dma->in_flight;
        }
    }
    const bool over = dma->sent_last || dma->verdict != Verdict::taken;
    if (dma->in_flight == 0 && over && dma != current_) {
        std::erase(queues_[static_cast<std::size_t>(dma->descriptor.priority)], dma);
        finish(dma);
    }
    pump();
}

void DmaEngine::finish(const DmaHandle& dma) {
    if (std::exchange(dma->finished, true)) return;
    const Descriptor& descriptor = dma->descriptor;
    const Status status = to_status(dma->verdict);
    const bool is_read = descriptor.direction == Direction::read;
    // The one who asked for the data hears from where they are, unless the asking itself failed.
    if (is_read && status.ok()) return;
    Address event = is_read ? descriptor.destination_event : descriptor.source_event;
    if (event == null_address && !status.ok() && !is_read) event = descriptor.failure_event;
    if (event != null_address)
        // The token comes in where packets do: its thread sets the event.
        events_.set(Role::inputter, *dma->context, event, status, {dma->id, Step::source_event});
    else if (!status.ok())
        dma->context->troubles.push_back(status);
    if (dma->whom == For::asker && !status.ok() && descriptor.destination_event != null_address)
        tell_asker(dma, status);
}

/// The one who asked still waits, unless the last packet got there and only its token was lost:
/// what is sent under that packet's number sets the event once, whichever of the two is first.
void DmaEngine::tell_asker(const DmaHandle& dma, Status status) {
    const Descriptor& descriptor = dma->descriptor;
    if (!dma->lost_last)
        return events_.set_anywhere(Role::dma, *dma->context, descriptor.destination,
                                    descriptor.destination_event, status);
    const ParcelHandle parcel =
        events_.parcel_for(*dma->context, descriptor.destination, descriptor.destination_event);
    parcel->status = status;
    sender_.send_instead(parcel, *dma->lost_last);
}

}  // namespace railyard::elan
