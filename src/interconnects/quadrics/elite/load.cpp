#include "interconnects/quadrics/elite/load.hpp"

#include <bit>
#include <memory>

#include "base/lazy_queue.hpp"
#include "railyard/base/error.hpp"
#include "sim/engine.hpp"

namespace railyard::elite {

namespace {

class Sender;

/// All that the nodes of one run share.
struct Run {
    explicit Run(const Load& of) : load(of) {}

    const Load& load;
    sim::Engine engine{{.seed = load.seed}};
    std::unique_ptr<Network> network = make_network(engine, load.parameters);
    Time from = Time::at(load.warm_up);
    Time until = Time::at(load.warm_up + load.measured);
    std::vector<std::unique_ptr<Sender>> senders;
    std::uint64_t wished = 0;
    std::uint64_t arrived = 0;
    std::int64_t latency = 0;  ///< sums, in picoseconds
    std::int64_t network_latency = 0;

    bool counts(Time at) const { return at >= from && at < until; }
};

/// A node: wishes come at random, wait in line, and go out on whichever channel is free.
class Sender final : public Adapter {
  public:
    Sender(Run& run, NodeId node)
        : run_(run),
          node_(node),
          times_(run.engine.random(2 * std::uint64_t{node})),
          places_(run.engine.random(2 * std::uint64_t{node} + 1)) {
        run.network->attach(node, this);
        const double a_packet = static_cast<double>(run.load.payload.count()) /
                                static_cast<double>(run.load.parameters.rate.bytes_per_second());
        mean_ = a_packet / run.load.offered;
        if (destination(run.load.pattern, node, run.network->tree().nodes(), places_)) wish_later();
    }

    void arrived(const Delivery& delivery) override {
        const Time now = run_.engine.now();
        if (run_.counts(now)) {
            const Sender& source = *run_.senders[delivery.source];
            ++run_.arrived;
            run_.latency +=
                (now - Time::at(Duration::ps(static_cast<std::int64_t>(delivery.cookie))))
                    .picoseconds();
            run_.network_latency +=
                (now - source.went_[source.channel_of(delivery.packet)]).picoseconds();
        }
        run_.network->answer(delivery, Answer::accept);
    }
    void settled(PacketId id, const Outcome&) override {
        busy_[channel_of(id)] = 0;
        send_next();
    }

  private:
    unsigned channel_of(PacketId id) const { return busy_[0] == id.sequence ? 0 : 1; }

    void wish_later() {
        const Time at = run_.engine.now() + Duration::from_seconds(mean_ * times_.exponential());
        if (at < run_.until) run_.engine.schedule_on(node_, at, [this] { wish(); });
    }
    void wish() {
        if (run_.counts(run_.engine.now())) ++run_.wished;
        wishes_.push_back(run_.engine.now());
        send_next();
        wish_later();
    }
    void send_next() {
        for (unsigned turn = 0; turn < channels && !wishes_.empty(); ++turn) {
            const unsigned vc = (next_ + turn) % channels;
            if (busy_[vc] != 0 || run_.engine.now() >= run_.until) continue;
            next_ = vc + 1;
            const auto to =
                destination(run_.load.pattern, node_, run_.network->tree().nodes(), places_);
            Packet packet;
            packet.source = node_;
            packet.route = *find_route(run_.network->tree(), node_, *to, run_.load.routing);
            packet.payload = run_.load.payload;
            packet.channel = static_cast<std::uint8_t>(vc);
            packet.cookie = static_cast<std::uint64_t>(wishes_.front().since_start().picoseconds());
            wishes_.pop_front();
            went_[vc] = run_.engine.now();
            busy_[vc] = run_.network->send(packet).sequence;
        }
    }

    Run& run_;
    NodeId node_;
    sim::Random times_;
    sim::Random places_;
    double mean_ = 0;  ///< seconds between wishes
    LazyQueue<Time> wishes_;
    std::array<std::uint64_t, channels> busy_{};  ///< what is under way there
    std::array<Time, channels> went_;
    unsigned next_ = 0;
};

}  // namespace

std::string_view name(Pattern pattern) {
    static constexpr std::string_view names[] = {"uniform", "bit-complement", "transpose",
                                                 "hot-spot"};
    return names[static_cast<std::size_t>(pattern)];
}

std::optional<NodeId> destination(Pattern pattern, NodeId from, std::uint32_t nodes,
                                  sim::Random& random) {
    NodeId to = 0;
    const auto bits = static_cast<unsigned>(std::countr_zero(nodes));
    switch (pattern) {
        case Pattern::uniform:
            to = static_cast<NodeId>(random.below(nodes - 1));
            return to < from ? to : to + 1;
        case Pattern::bit_complement:
            to = nodes - 1 - from;
            break;
        case Pattern::transpose:
            to = (from >> bits / 2 | from << bits / 2) & (nodes - 1);
            break;
        case Pattern::hot_spot:
            break;
    }
    return to == from ? std::nullopt : std::optional(to);
}

LoadPoint run_load(const Load& load) {
    if (!(load.offered > 0) || load.payload.count() == 0)
        throw UsageError("an offered load needs a payload and a fraction above 0");
    Run run(load);
    const std::uint32_t nodes = run.network->tree().nodes();
    for (NodeId node = 0; node < nodes; ++node)
        run.senders.push_back(std::make_unique<Sender>(run, node));
    run.engine.run();

    const double capacity = static_cast<double>(load.parameters.rate.bytes_per_second()) *
                            load.measured.seconds() * nodes /
                            static_cast<double>(load.payload.count());
    LoadPoint point;
    point.offered = static_cast<double>(run.wished) / capacity;
    point.accepted = static_cast<double>(run.arrived) / capacity;
    point.packets = run.arrived;
    if (run.arrived > 0) {
        const auto count = static_cast<std::int64_t>(run.arrived);
        point.mean_latency = Duration::ps(run.latency / count);
        point.mean_network_latency = Duration::ps(run.network_latency / count);
    }
    point.counters = run.network->counters();
    point.events = run.engine.events_run();
    return point;
}

std::vector<LoadPoint> run_loads(Load load, const std::vector<double>& offered) {
    std::vector<LoadPoint> points;
    for (const double fraction : offered) {
        load.offered = fraction;
        points.push_back(run_load(load));
    }
    return points;
}

}  // namespace railyard::elite
