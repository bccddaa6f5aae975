/// A message at its target: the engine looks at it, it is judged, and its data go to memory or
/// nowhere.

#include <algorithm>

#include "interconnects/virtual/model/parcel.hpp"

namespace railyard::model {

using virtual_time::Kind;

Duration Traffic::receive_work(const Parcel& parcel, Node& to) {
    const hardware::Adapter& adapter = parameters_.adapter;
    // A request's work is that of its answer.
    if (parcel.kind == Kind::control || asks_for_answer(parcel.kind)) return {};
    Duration work = adapter.receive + to.context(parcel.to.nic, parcel.to.queue_pair);
    if (parcel.takes_receive && adapter.waits_for_bus)
        work += parameters_.bus.read_latency * std::int64_t{adapter.receive_reads};
    return work;
}

/// The first packet has come to the target's adapter.
void Traffic::at_target(Parcel& parcel) {
    if (stopped_) return;
    Node& to = *parcel.target;
    const hardware::Adapter& adapter = parameters_.adapter;
    const Duration work = receive_work(parcel, to);
    Duration rest = work > Duration{} ? adapter.receive_rest : Duration{};
    if (parcel.takes_receive) rest += adapter.completion;
    Time ready = to.receiver().run_from(engine_.now(), work, rest, parcel.what, parcel.id);
    if (parcel.takes_receive && !adapter.waits_for_bus)
        ready = ready + parameters_.bus.read_latency * std::int64_t{adapter.receive_reads};
    ready = hold_order(parcel, ready);
    engine_.schedule(ready, [this, &parcel] { admit(parcel); });
}

/// Nothing overtakes: neither a message another of its lane, nor anything what makes a connection.
Time Traffic::hold_order(const Parcel& parcel, Time ready) {
    Node& to = *parcel.target;
    Time& last = parcel.route->deliveries.last_admitted;
    ready = std::max(ready, last);
    if (parcel.kind == Kind::control && !parameters_.connection.connectionless) {
        ready = ready + parameters_.connection.setup;
        to.connecting[parcel.from.node] = ready;
    } else if (!to.connecting.empty()) {
        const auto made = to.connecting.find(parcel.from.node);
        if (made != to.connecting.end()) {
            if (made->second < ready)
                to.connecting.erase(made);
            else
                ready = made->second;
        }
    }
    return last = ready;
}

/// The target's engine has looked at it: its data go to memory, and the message can be judged.
void Traffic::admit(Parcel& parcel) {
    if (stopped_) return;
    Lane& lane = parcel.source->lane(parcel.from.port);
    if (parcel.kind == Kind::control) {
        lane.admit(&parcel);
        return control_arrived(parcel);
    }
    Parcel* const outer = std::exchange(arriving_, &parcel);
    sim::Action arrived = std::move(parcel.arrived);
    arrived();
    if (parcel.kind == Kind::tagged_pull || parcel.kind == Kind::tagged_request)
        parcel.told = true;  // nobody will ask
    else if (arriving_)
        late_.emplace(parcel.id, &parcel);
    arriving_ = outer;
    lane.admit(&parcel);
}

void Traffic::drop() {
    Parcel& parcel = *std::exchange(arriving_, nullptr);
    parcel.dropped = true;
    parcel.told = true;  // nobody will ask where it was placed
}

/// Nothing that was sent before it, acknowledgments included, may be told after it.
void Traffic::control_arrived(Parcel& parcel) {
    if (answers_) answers_->tell_now(parcel.from.node, parcel.to.node);
    if (stopped_) return;
    parcel.target->sender().tell_now(parcel.from.node);
    if (stopped_) return;
    parcel.told = true;  // nobody will ask where it was placed
    sim::Action arrived = std::move(parcel.arrived);
    if (parcel.left_lane) give_back(parcel);
    arrived();
}

void Traffic::place(const virtual_time::Transfer& transfer, sim::Action placed) {
    Parcel* parcel = nullptr;
    if (arriving_ && arriving_->id == transfer.message) {
        parcel = std::exchange(arriving_, nullptr);
    } else {
        const auto late = late_.find(transfer.message);
        if (late == late_.end()) return placed();
        parcel = late->second;
        late_.erase(late);
    }
    parcel->placed = std::move(placed);
    if (parcel->delivered_to_memory) this->placed(*parcel);
}

/// All of it has been written over the target's bus, and so has all before it.
void Traffic::in_memory(Parcel& parcel) {
    if (stopped_) return;
    parcel.delivered_to_memory = true;
    if (parcel.placed) placed(parcel);
}

void Traffic::placed(Parcel& parcel) {
    if (asks_for_answer(parcel.kind)) return respond(parcel);
    sim::Action tell = std::move(parcel.placed);
    parcel.told = true;
    if (parcel.left_lane) give_back(parcel);
    tell();
}

/// The engine reads what was asked for.
void Traffic::respond(Parcel& parcel) {
    const hardware::Adapter& adapter = parameters_.adapter;
    const Duration reads = parameters_.bus.read_latency * std::int64_t{adapter.respond_reads};
    Node& to = *parcel.target;
    const Time ready = to.receiver().run_from(
        engine_.now(), adapter.respond + reads + to.context(parcel.to.nic, parcel.to.queue_pair),
        {}, parcel.what, parcel.id);
    engine_.schedule(ready, [this, &parcel] {
        if (stopped_) return;
        sim::Action tell = std::move(parcel.placed);
        parcel.told = true;
        if (parcel.left_lane) give_back(parcel);
        tell();
    });
}

}  // namespace railyard::model
