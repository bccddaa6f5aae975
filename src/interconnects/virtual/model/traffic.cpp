#include "interconnects/virtual/model/traffic.hpp"

#include <algorithm>
#include <array>

namespace railyard::model {

using virtual_time::Kind;

namespace {

constexpr std::array<std::string_view, 12> names = {
    "send",           "write",           "read request",   "read response",
    "atomic request", "atomic response", "acknowledgment", "control",
    "tagged",         "tagged request",  "tagged pull",    "tagged data"};

bool asks_for_answer(Kind kind) {
    return kind == Kind::read_request || kind == Kind::atomic_request;
}
bool is_request(Kind kind) {
    return kind == Kind::send || kind == Kind::write || asks_for_answer(kind);
}
bool is_answer(Kind kind) {
    return kind == Kind::read_response || kind == Kind::atomic_response;
}

Place home(std::span<const virtual_time::Extent> extents) {
    return !extents.empty() && extents.front().home == fabric::Home::adapter ? Place::adapter
                                                                             : Place::host;
}

}  // namespace

/// A message on its way, from carry() until it is in memory and that has been told.
struct Traffic::Parcel final : Message {
    void retired() override {
        left_lane = true;
        stage = Stage::gone;
        if (told) traffic->give_back(*this);
    }

    Traffic* traffic = nullptr;
    Kind kind = Kind::control;
    virtual_time::End from;
    virtual_time::End to;
    Node* source = nullptr;
    Node* target = nullptr;
    Duration fetch;  ///< of data that the send engine waits for
    enum class Stage : std::uint8_t { engine, lane, gone };
    Stage stage = Stage::gone;
    bool recalled = false;  ///< and so does not go to the lane
    bool takes_receive = false;
    bool delivered_to_memory = false;
    bool left_lane = false;
    bool told = false;  ///< `placed` has run
    sim::Action arrived;
    sim::Action placed;
};

Traffic::Traffic(sim::Engine& engine, const hardware::Parameters& parameters,
                 std::unique_ptr<FaultPlan> plan)
    : engine_(engine),
      parameters_(parameters),
      engine_in_order_(parameters.adapter.engines == hardware::Engines::separate &&
                       parameters.adapter.acknowledge == Duration{}),
      plan_(std::move(plan)),
      switches_(engine, parameters_, plan_.get()) {
    if (!plan_) return;
    answers_ = std::make_unique<Answers>(engine, parameters_, switches_, *plan_,
                                         [this](Answers::Place asker) -> Resender& {
                                             return node(asker.node).resender(asker.port);
                                         });
}

Traffic::~Traffic() = default;

void Traffic::stop() {
    stopped_ = true;
    if (plan_) {
        plan_->given_up = nullptr;
        answers_->stop();
    }
    for (const auto& parcel : parcels_) {
        parcel->arrived.reset();
        parcel->placed.reset();
    }
}

std::vector<fabric::PartUse> Traffic::parts() const {
    std::vector<fabric::PartUse> all;
    for (const auto& node : nodes_)
        if (node) node->add_parts(all);
    switches_.add_parts(all);
    return all;
}

Node& Traffic::node(fabric::NodeId id) {
    if (nodes_.size() <= id) nodes_.resize(id + 1);
    if (!nodes_[id]) {
        nodes_[id] = std::make_unique<Node>(engine_, parameters_, switches_, id);
        if (plan_)
            nodes_[id]->expect_faults(
                engine_, *plan_, [this](fabric::NodeId other) -> Node& { return node(other); });
    }
    return *nodes_[id];
}

/// A parcel that takes no way yet.
Traffic::Parcel& Traffic::take_parcel(const virtual_time::Transfer& transfer, sim::Action arrived) {
    if (free_.empty()) {
        parcels_.push_back(std::make_unique<Parcel>());
        free_.push_back(parcels_.back().get());
    }
    Parcel& parcel = *free_.back();
    free_.pop_back();
    parcel.traffic = this;
    parcel.id = transfer.message;
    parcel.kind = transfer.kind;
    parcel.from = transfer.from;
    parcel.to = transfer.to;
    parcel.source = &node(transfer.from.node);
    parcel.target = &node(transfer.to.node);
    if (plan_)
        for (Node* one : {parcel.source, parcel.target})
            one->see_resets(plan_->resets(one->id(), engine_.now()));
    parcel.route = nullptr;
    parcel.arrived = std::move(arrived);
    return parcel;
}

Traffic::Parcel& Traffic::wrap(const virtual_time::Transfer& transfer, sim::Action arrived) {
    Parcel& parcel = take_parcel(transfer, std::move(arrived));
    parcel.what = transfer.again ? "sent again" : names[static_cast<std::size_t>(transfer.kind)];
    parcel.size = transfer.size;
    parcel.takes_receive = transfer.takes_receive;
    parcel.delivered_to_memory = parcel.left_lane = parcel.told = parcel.recalled = false;
    parcel.stage = Parcel::Stage::engine;

    const bool empty = transfer.size == Bytes();
    const Place source = empty || transfer.inlined ? Place::nowhere : home(transfer.source);
    const Place target = empty ? Place::nowhere : home(transfer.target);
    parcel.route =
        &parcel.source->route(transfer.from.port, source, *parcel.target, transfer.to.port, target);
    parcel.read_rest = {};
    parcel.fetch = source == Place::host ? parameters_.bus.read_latency : Duration{};
    const Bytes packet = parcel.route->path.packet;
    if (source == Place::host)
        parcel.source->pages.use(transfer.from.nic, transfer.source, packet, parcel.read_extra);
    if (target == Place::host)
        parcel.target->pages.use(transfer.to.nic, transfer.target, packet, parcel.write_extra);
    parcel.first = [this, &parcel] { at_target(parcel); };
    parcel.done = [this, &parcel] { in_memory(parcel); };
    return parcel;
}

void Traffic::give_back(Parcel& parcel) {
    if (parcel.route) parcel.source->give_back(parcel.from.port, *parcel.route);
    parcel.read_extra.clear();
    parcel.write_extra.clear();
    free_.push_back(&parcel);
}

void Traffic::carry(const virtual_time::Transfer& transfer, sim::Action arrived) {
    if (transfer.kind == Kind::acknowledgment) return acknowledge(transfer, std::move(arrived));
    Parcel& parcel = wrap(transfer, std::move(arrived));
    // An answer has been prepared by the engine that served the request.
    if (is_answer(transfer.kind)) return leave(parcel);
    const bool by_thread = transfer.kind == Kind::tagged_pull || transfer.kind == Kind::tagged_data;
    if (!by_thread || parameters_.tagged.thread == Duration{}) return ask_engine(parcel);
    engine_.schedule(engine_.now() + parameters_.tagged.thread,
                     [this, &parcel] { ask_engine(parcel); });
}

/// It crosses the network and is dealt with by the sender's adapter when that has nothing better
/// to do. What it takes of the links is counted with the packets that it acknowledges.
void Traffic::acknowledge(const virtual_time::Transfer& transfer, sim::Action arrived) {
    const Duration way = switches_.latency(transfer.from.node, transfer.to.node);
    const Duration work = parameters_.adapter.acknowledge;
    const auto cross = [&](sim::Action there) {
        if (!answers_)
            engine_.schedule_on(transfer.to.node, engine_.now() + way, std::move(there));
        else
            answers_->tell({transfer.from.node, transfer.from.port},
                           {transfer.to.node, transfer.to.port}, std::move(there));
    };
    if (work == Duration{}) return cross(std::move(arrived));
    Parcel& parcel = take_parcel(transfer, std::move(arrived));
    cross([this, &parcel] {
        parcel.target->sender().run_when_idle(parcel.from.node, parameters_.adapter.acknowledge,
                                              [this, &parcel] {
                                                  if (stopped_) return;
                                                  sim::Action told = std::move(parcel.arrived);
                                                  give_back(parcel);
                                                  told();
                                              });
    });
}

Duration Traffic::send_work(const Parcel& parcel, Node& from) {
    const hardware::Adapter& adapter = parameters_.adapter;
    if (parcel.kind == Kind::control) return {};
    Duration work = adapter.send + adapter.scan * std::int64_t{from.open_queue_pairs};
    work += from.context(parcel.from.nic, parcel.from.queue_pair);
    if (parcel.kind == Kind::write) work += adapter.write_extra;
    if (adapter.waits_for_bus)
        work += parameters_.bus.read_latency * std::int64_t{adapter.send_reads} + parcel.fetch;
    return work;
}

/// The doorbell rings, and the adapter reads the descriptor.
void Traffic::ask_engine(Parcel& parcel) {
    if (stopped_) return;
    Duration delay;
    if (parcel.kind != Kind::control) {
        const Duration read =
            parameters_.bus.read_latency * std::int64_t{parameters_.adapter.send_reads};
        delay = parameters_.bus.doorbell;
        if (!parameters_.adapter.waits_for_bus) delay += read;
        // Descriptors come by the same stream of reads as data. A message's own is part of its
        // latency; as a load on the stream it counts behind the next data.
        Duration& unread = parcel.source->descriptors_unread;
        if (parameters_.bus.read_stream > Rate{}) unread += read;
        if (parcel.fetch > Duration{}) parcel.read_rest = std::exchange(unread, {});
    }
    Time& last = parcel.source->last_request;
    last = std::max(last, engine_.now() + delay);
    if (engine_in_order_)
        send(parcel, last);
    else
        engine_.schedule(last, [this, &parcel] { send(parcel, engine_.now()); });
}

/// The send engine gets it at that time.
void Traffic::send(Parcel& parcel, Time at) {
    if (stopped_ || take_back(parcel)) return;
    const Duration rest = parcel.kind == Kind::control ? Duration{} : parameters_.adapter.send_rest;
    const Time ready = parcel.source->sender().run_from(at, send_work(parcel, *parcel.source), rest,
                                                        parcel.what, parcel.id);
    engine_.schedule(ready, [this, &parcel] { leave(parcel); });
}

void Traffic::leave(Parcel& parcel) {
    if (stopped_ || take_back(parcel)) return;
    parcel.stage = Parcel::Stage::lane;
    parcel.source->lane(parcel.from.port).submit(&parcel);
}

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

void Traffic::recall(const virtual_time::End& from) {
    // Where faults can strike, packets have numbers: what did not leave would count as lost.
    if (stopped_ || plan_) return;
    for (const auto& parcel : parcels_) {
        if (parcel->stage == Parcel::Stage::gone || !is_request(parcel->kind)) continue;
        if (parcel->from != from) continue;
        parcel->recalled = true;
        if (parcel->stage == Parcel::Stage::engine) continue;  // it looks when its turn comes
        parcel->source->lane(from.port).stop(*parcel);
        if (parcel->packets == 0) take_back(*parcel);
    }
}

/// If it was recalled before any of it left.
bool Traffic::take_back(Parcel& parcel) {
    if (!parcel.recalled) return false;
    parcel.arrived.reset();
    parcel.stage = Parcel::Stage::gone;
    give_back(parcel);
    return true;
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

void Traffic::complete(const virtual_time::End& end, const virtual_time::Finished& what,
                       sim::Action visible) {
    const hardware::Completion& completion = parameters_.completion;
    const bool free = what.receive && what.size <= completion.with_data;
    std::vector<Time>& last = node(end.node).last_visible;
    if (last.size() <= end.nic) last.resize(end.nic + 1);
    Time& at = last[end.nic];
    at = std::max(at, engine_.now() + (free ? Duration{} : completion.write));
    if (at == engine_.now()) return visible();
    engine_.schedule(at, std::move(visible));
}

void Traffic::match(const virtual_time::End& end, std::size_t posted, std::size_t unexpected,
                    sim::Action matched) {
    const hardware::Tagged& tagged = parameters_.tagged;
    const Duration work = tagged.match + tagged.posted_entry * static_cast<std::int64_t>(posted) +
                          tagged.unexpected_entry * static_cast<std::int64_t>(unexpected);
    const Time ready = node(end.node).receiver().run_from(engine_.now(), work, {}, "match", 0);
    engine_.schedule(ready, std::move(matched));
}

}  // namespace railyard::model
