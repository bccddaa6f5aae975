#include "interconnects/model/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::model {

Node::Node(sim::Engine& engine, const Parameters& parameters, Switches& switches, fabric::NodeId id)
    : pages(parameters.translation),
      engine_(engine),
      parameters_(parameters),
      switches_(switches),
      id_(id),
      name_(fmt::format("node {}", id)),
      sender_(engine, name_,
              parameters.adapter.engines == Engines::shared ? "adapter engine" : "send engine"),
      receiver_(parameters.adapter.engines == Engines::shared
                    ? nullptr
                    : std::make_unique<Processor>(engine, name_, "receive engine")),
      dma_read_(engine.trace(), name_, "DMA read"),
      dma_write_(engine.trace(), name_, "DMA write"),
      bus_(engine.trace(), name_, parameters.bus.duplex == Duplex::half ? "bus" : "bus to adapter"),
      contexts_(parameters.contexts.entries) {
    if (parameters.bus.duplex == Duplex::full)
        bus_write_ = Fifo(engine.trace(), name_, "bus to memory");
    if (parameters.adapter.internal > Rate{})
        internal_ = Fifo(engine.trace(), name_, "adapter's data bus");
    if (parameters.memory.size > Bytes()) memory_ = Fifo(engine.trace(), name_, "adapter memory");
    ports_.resize(parameters.adapter.ports);
    for (Port& port : ports_)
        port.lane = std::make_unique<Lane>(engine, parameters.adapter.buffer);
}

Duration Node::context(std::uint32_t nic, std::uint32_t queue_pair) {
    return contexts_.misses(std::uint64_t{nic} << 32 | queue_pair) ? parameters_.contexts.miss
                                                                   : Duration{};
}

Route& Node::route(unsigned port, Place source, Node& to, unsigned to_port, Place target) {
    Port& out = ports_[port];
    const std::uint64_t key = std::uint64_t{to.id_} << 32 | to_port << 8 |
                              static_cast<unsigned>(source) << 4 | static_cast<unsigned>(target);
    std::unique_ptr<Route>& found = out.routes[key];
    if (found) return *found;
    found = std::make_unique<Route>();
    Route& route = *found;
    route.deliveries = &out.deliveries[to.id_];
    route.packet = parameters_.link.packet;
    route.block = parameters_.link.block;
    route.page_packets = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, parameters_.translation.page.count() / route.packet.count()));
    add_read(route, source);
    route.link = route.stages.size();
    if (&to == this)
        route.add({.fifo = &loop_});
    else
        switches_.add_way(route, {id_, port}, {to.id_, to_port});
    route.gate = route.stages.size();
    to.add_write(route, target);
    if (&to != this && parameters_.link.acknowledgment > Bytes())
        route.add({.fifo = &switches_.link_out({to.id_, to_port}),
                   .fixed = parameters_.link.acknowledgment / parameters_.link.rate});
    return route;
}

void Node::add_read(Route& route, Place source) {
    const Bus& bus = parameters_.bus;
    if (source == Place::nowhere) return;
    if (source == Place::host) {
        route.add(
            {.fifo = &dma_read_, .rate = bus.read_stream, .fixed = parameters_.adapter.packet});
        if (bus.duplex == Duplex::full && bus.opposite > 0)
            route.add({.fifo = &bus_write_,
                       .rate = Rate::bytes_per_second(
                           static_cast<double>(bus.read_rate.bytes_per_second()) / bus.opposite)});
        // An engine that waits for the bus has waited for the first data already.
        route.add({.fifo = &bus_,
                   .rate = bus.read_rate,
                   .latency = parameters_.adapter.waits_for_bus ? Duration{} : bus.read_latency});
    } else {
        route.add({.fifo = &memory_, .rate = parameters_.memory.rate});
    }
    if (parameters_.adapter.internal > Rate{})
        route.add({.fifo = &internal_, .rate = parameters_.adapter.internal});
}

void Node::add_write(Route& route, Place target) {
    const Bus& bus = parameters_.bus;
    if (target != Place::nowhere && parameters_.adapter.internal > Rate{})
        route.add({.fifo = &internal_, .rate = parameters_.adapter.internal});
    if (target == Place::adapter) route.add({.fifo = &memory_, .rate = parameters_.memory.rate});
    if (target == Place::host) {
        route.add({.fifo = &dma_write_, .rate = bus.write_stream});
        route.add(
            {.fifo = bus.duplex == Duplex::half ? &bus_ : &bus_write_, .rate = bus.write_rate});
        route.visible = bus.write_latency;
    }
    route.placed = route.stages.size();
    if (target == Place::host && bus.duplex == Duplex::full && bus.opposite > 0)
        route.add({.fifo = &bus_,
                   .rate = Rate::bytes_per_second(
                       static_cast<double>(bus.write_rate.bytes_per_second()) / bus.opposite)});
}

}  // namespace railyard::model
