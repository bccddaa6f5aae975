#include "interconnects/virtual/model/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::model {

namespace {

// The names of parts, as traces and summaries have them.
constexpr std::string_view receive_engine = "receive engine";
constexpr std::string_view dma_read = "DMA read";
constexpr std::string_view dma_write = "DMA write";
constexpr std::string_view bus_write = "bus to memory";
constexpr std::string_view internal = "adapter's data bus";
constexpr std::string_view memory = "adapter memory";

std::string_view sender_name(const hardware::Parameters& parameters) {
    return parameters.adapter.engines == hardware::Engines::shared ? "adapter engine"
                                                                   : "send engine";
}
std::string_view bus_name(const hardware::Parameters& parameters) {
    return parameters.bus.duplex == hardware::Duplex::half ? "bus" : "bus to adapter";
}

}  // namespace

Node::Node(sim::Engine& engine, const hardware::Parameters& parameters, Switches& switches,
           fabric::NodeId id)
    : pages(parameters.translation),
      parameters_(parameters),
      switches_(switches),
      id_(id),
      name_(fmt::format("node {}", id)),
      sender_(engine, id, name_, sender_name(parameters)),
      receiver_(parameters.adapter.engines == hardware::Engines::shared
                    ? nullptr
                    : std::make_unique<Processor>(engine, id, name_, receive_engine)),
      dma_read_(engine.trace(), name_, dma_read),
      dma_write_(engine.trace(), name_, dma_write),
      bus_(engine.trace(), name_, bus_name(parameters)),
      contexts_(parameters.contexts.entries) {
    const hardware::Bus& bus = parameters.bus;
    if (bus.duplex == hardware::Duplex::full)
        bus_write_ = Fifo(engine.trace(), name_, bus_write);
    else if (bus.other > Rate{})
        bus_.share(bus.other_burst / bus.other, bus.other_burst / hardware::fastest(bus));
    if (parameters.adapter.internal > Rate{}) internal_ = Fifo(engine.trace(), name_, internal);
    if (parameters.memory.size > Bytes()) memory_ = Fifo(engine.trace(), name_, memory);
    ports_.resize(parameters.adapter.ports);
    for (Port& port : ports_) {
        port.lane = std::make_unique<Lane>(engine, id, parameters.adapter.buffer);
        if (!switches.never_hold_up_one_alone()) port.lane->never_look_ahead();
    }
}

void Node::add_parts(std::vector<fabric::PartUse>& all) {
    using fabric::PartKind;
    const auto add = [&](PartKind kind, std::string_view part, Duration busy) {
        if (busy > Duration{}) all.push_back({kind, fmt::format("{}, {}", name_, part), busy});
    };
    add(PartKind::adapter, sender_name(parameters_), sender_.busy());
    if (receiver_) add(PartKind::adapter, receive_engine, receiver_->busy());
    add(PartKind::adapter, dma_read, dma_read_.busy);
    add(PartKind::adapter, dma_write, dma_write_.busy);
    add(PartKind::adapter, internal, internal_.busy);
    add(PartKind::adapter, memory, memory_.busy);
    add(PartKind::bus, bus_name(parameters_), bus_.busy);
    add(PartKind::bus, bus_write, bus_write_.busy);
}

Duration Node::context(std::uint32_t nic, std::uint32_t queue_pair) {
    return contexts_.misses(std::uint64_t{nic} << 32 | queue_pair) ? parameters_.contexts.miss
                                                                   : Duration{};
}

Route& Node::route(unsigned port, Place source, Node& to, unsigned to_port, Place target) {
    Port& out = ports_[port];
    const RouteName name{to.id_, to_port, static_cast<unsigned>(source),
                         static_cast<unsigned>(target),
                         out.resender ? out.resender->detour(to.id_) : 0};
    if (Route* const known = out.routes.find(name.key())) return *known;
    return make_route(port, name, to);
}

Route& Node::make_route(unsigned port, const RouteName& name, Node& to) {
    const auto source = static_cast<Place>(name.source);
    const auto target = static_cast<Place>(name.target);
    const unsigned to_port = name.to_port;
    Way& way = switches_.new_way();
    Path& path = way.path;
    path.packet = parameters_.link.packet;
    path.block = parameters_.link.block;
    path.page_packets = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, parameters_.translation.page.count() / path.packet.count()));
    add_read(way, source);
    path.link = way.parts.size();
    if (&to == this)
        way.add({.fifo = &loop_});
    else
        switches_.add_way(way, {id_, port}, {to.id_, to_port}, name.detour);
    path.target = way.parts.size();
    path.link_is_foreseen =
        &to != this && path.credits == 0 && parameters_.link.acknowledgment == Bytes();
    to.add_write(way, target);
    if (&to != this && parameters_.link.acknowledgment > Bytes())
        way.add_load(switches_.link_out({to.id_, to_port}),
                     {.what = "acknowledgment",
                      .stage = way.parts.size() - 1,
                      .fixed = parameters_.link.acknowledgment / parameters_.link.rate});
    return ports_[port].routes.make(name.key(), to.id_, switches_.shared(path), way);
}

void Node::expect_faults(sim::Engine& engine, FaultPlan& plan,
                         std::function<Node&(fabric::NodeId)> find) {
    loop_.health = plan.loop(id_);
    for (unsigned port = 0; port < ports_.size(); ++port) {
        // A message that changes its way keeps the old route in use: packets may still be on it.
        const auto route_by = [this, port, find](const Route& route, unsigned by) -> Route& {
            RouteName name = RouteName::of(route.key);
            name.detour = by;
            if (Route* const known = ports_[port].routes.find(name.key())) return *known;
            return make_route(port, name, find(name.to));
        };
        Lane& lane = *ports_[port].lane;
        ports_[port].resender = std::make_unique<Resender>(
            Resender::Setup{engine, parameters_, switches_, plan, lane, {id_, port}, route_by});
        lane.watch(*ports_[port].resender);
    }
}

void Node::see_resets(unsigned resets) {
    if (resets == resets_) return;
    resets_ = resets;
    contexts_ = Cache(parameters_.contexts.entries);
    pages.forget_all();
}

void Node::add_read(Way& way, Place source) {
    const hardware::Bus& bus = parameters_.bus;
    if (source == Place::nowhere) return;
    if (source == Place::host) {
        way.add({.fifo = &dma_read_,
                 .rate = bus.read_stream,
                 .fixed = parameters_.adapter.packet,
                 .leads_on = bus.duplex == hardware::Duplex::full});
        // An engine that waits for the bus has waited for the first data already.
        way.add({.fifo = &bus_,
                 .rate = bus.read_rate,
                 .latency = parameters_.adapter.waits_for_bus ? Duration{} : bus.read_latency});
        load_opposite(way, bus_write_, bus.read_rate);
    } else {
        way.add({.fifo = &memory_, .rate = parameters_.memory.rate});
    }
    if (parameters_.adapter.internal > Rate{})
        way.add({.fifo = &internal_, .rate = parameters_.adapter.internal});
}

void Node::add_write(Way& way, Place target) {
    const hardware::Bus& bus = parameters_.bus;
    if (target != Place::nowhere && parameters_.adapter.internal > Rate{})
        way.add({.fifo = &internal_, .rate = parameters_.adapter.internal});
    if (target == Place::adapter) way.add({.fifo = &memory_, .rate = parameters_.memory.rate});
    if (target == Place::host) {
        way.add({.fifo = &dma_write_,
                 .rate = bus.write_stream,
                 .leads_on = bus.duplex == hardware::Duplex::full});
        way.add({.fifo = bus.duplex == hardware::Duplex::half ? &bus_ : &bus_write_,
                 .rate = bus.write_rate});
        load_opposite(way, bus_, bus.write_rate);
        way.path.visible = bus.write_latency;
    }
}

/// What a transfer's requests and acknowledgments take of the other way of the bus that it has just
/// passed. They are short, and slip in between whatever waits there.
void Node::load_opposite(Way& way, Fifo& other_way, Rate rate) {
    const hardware::Bus& bus = parameters_.bus;
    if (bus.duplex == hardware::Duplex::half || bus.opposite == 0) return;
    way.add_load(other_way, {.what = "requests",
                             .stage = way.parts.size() - 1,
                             .rate = Rate::bytes_per_second(
                                 static_cast<double>(rate.bytes_per_second()) / bus.opposite)});
}

}  // namespace railyard::model
