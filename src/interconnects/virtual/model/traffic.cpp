#include "interconnects/virtual/model/traffic.hpp"

#include <algorithm>
#include <array>

#include "interconnects/virtual/model/parcel.hpp"

namespace railyard::model {

using virtual_time::Kind;

namespace {

constexpr std::array<std::string_view, 12> names = {
    "send",           "write",           "read request",   "read response",
    "atomic request", "atomic response", "acknowledgment", "control",
    "tagged",         "tagged request",  "tagged pull",    "tagged data"};

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
    for (const auto& one : nodes_)
        if (one) one->sender().stop();
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
    if (transfer.kind == Kind::acknowledgment)
        return acknowledge(transfer, std::move(arrived), Processor::Hearing::event);
    Parcel& parcel = wrap(transfer, std::move(arrived));
    // An answer has been prepared by the engine that served the request.
    if (is_answer(transfer.kind)) return leave(parcel);
    const bool by_thread = transfer.kind == Kind::tagged_pull || transfer.kind == Kind::tagged_data;
    if (!by_thread || parameters_.tagged.thread == Duration{}) return ask_engine(parcel);
    engine_.schedule(engine_.now() + parameters_.tagged.thread,
                     [this, &parcel] { ask_engine(parcel); });
}

void Traffic::carry_unheard(const virtual_time::Transfer& transfer, sim::Action arrived) {
    acknowledge(transfer, std::move(arrived), Processor::Hearing::later);
}

void Traffic::tell(const virtual_time::End& end) {
    if (Node* const one = nodes_[end.node].get()) one->sender().tell();
}

void Traffic::tell_by_events(const virtual_time::End& end) {
    if (Node* const one = nodes_[end.node].get()) one->sender().tell_by_events();
}

/// It crosses the network and is dealt with by the sender's adapter when that has nothing better
/// to do. What it takes of the links is counted with the packets that it acknowledges.
void Traffic::acknowledge(const virtual_time::Transfer& transfer, sim::Action arrived,
                          Processor::Hearing hearing) {
    const Duration work = parameters_.adapter.acknowledge;
    Node& asker = node(transfer.to.node);
    if (!answers_) {
        const Duration way = switches_.latency(transfer.from.node, transfer.to.node);
        return asker.sender().acknowledge(engine_.now() + way, transfer.from.node, work,
                                          std::move(arrived), hearing);
    }
    // Where faults can take it, it comes when it does.
    Parcel& parcel = take_parcel(transfer, std::move(arrived));
    answers_->tell({transfer.from.node, transfer.from.port}, {transfer.to.node, transfer.to.port},
                   [this, &parcel, work] {
                       sim::Action told = std::move(parcel.arrived);
                       Node& target = *parcel.target;
                       const fabric::NodeId from = parcel.from.node;
                       give_back(parcel);
                       target.sender().acknowledge(engine_.now(), from, work, std::move(told),
                                                   Processor::Hearing::event);
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
