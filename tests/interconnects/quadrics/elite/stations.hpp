#pragma once
/// A network with an adapter on every node that writes down all it is told, and accepts what comes.

#include <functional>
#include <memory>
#include <ostream>
#include <vector>

#include "interconnects/quadrics/elite/network.hpp"
#include "interconnects/quadrics/elite/routing.hpp"
#include "sim/engine.hpp"

namespace railyard::elite {

inline void PrintTo(Detail detail, std::ostream* out) {
    *out << (detail == Detail::flits ? "flits" : "packets");
}

class Stations {
  public:
    struct Note {
        NodeId node = 0;
        Time at;
        Delivery delivery;
    };
    struct End {
        NodeId node = 0;
        Time at;
        PacketId id;
        Outcome outcome;
    };

    explicit Stations(Parameters parameters, std::uint64_t seed = 1)
        : engine({.seed = seed}), network(make_network(engine, parameters)) {
        for (NodeId node = 0; node < network->tree().nodes(); ++node) {
            adapters_.push_back(std::make_unique<Station>(*this, node));
            network->attach(node, adapters_.back().get());
        }
    }

    const FatTree& tree() const { return network->tree(); }
    Packet packet(NodeId from, NodeId to, Bytes payload,
                  Routing routing = Routing::adaptive) const {
        Packet made;
        made.source = from;
        made.payload = payload;
        made.route = *find_route(tree(), from, to, routing);
        made.cookie = to;
        return made;
    }
    void send_at(Time at, const Packet& packet) {
        // A packet is too large for an event to hold.
        kept_.push_back(std::make_unique<Packet>(packet));
        engine.schedule(at, [this, kept = kept_.back().get()] { network->send(*kept); });
    }
    void answer_at(Time at, const Delivery& delivery, Answer answer = Answer::accept) {
        answers_.push_back(std::make_unique<Delivery>(delivery));
        engine.schedule(
            at, [this, answer, kept = answers_.back().get()] { network->answer(*kept, answer); });
    }
    PacketId send(NodeId from, NodeId to, Bytes payload) {
        return network->send(packet(from, to, payload));
    }

    sim::Engine engine;
    std::unique_ptr<Network> network;
    std::vector<Note> headers;
    std::vector<Note> arrivals;
    std::vector<Note> breaks;
    std::vector<End> ends;
    /// What to do instead of accepting at once, or after a packet's end.
    std::function<void(const Delivery&)> on_header;
    std::function<void(const Delivery&)> on_arrival;
    std::function<void(PacketId, const Outcome&)> on_end;

  private:
    struct Station final : Adapter {
        Station(Stations& all, NodeId at) : stations(all), node(at) {}
        void header(const Delivery& delivery) override {
            stations.headers.push_back({node, stations.engine.now(), delivery});
            if (stations.on_header) stations.on_header(delivery);
        }
        void arrived(const Delivery& delivery) override {
            stations.arrivals.push_back({node, stations.engine.now(), delivery});
            if (stations.on_arrival) return stations.on_arrival(delivery);
            stations.network->answer(delivery, Answer::accept);
        }
        void broken(const Delivery& delivery) override {
            stations.breaks.push_back({node, stations.engine.now(), delivery});
        }
        void settled(PacketId id, const Outcome& outcome) override {
            stations.ends.push_back({node, stations.engine.now(), id, outcome});
            if (stations.on_end) stations.on_end(id, outcome);
        }
        Stations& stations;
        NodeId node;
    };
    std::vector<std::unique_ptr<Station>> adapters_;
    std::vector<std::unique_ptr<Packet>> kept_;
    std::vector<std::unique_ptr<Delivery>> answers_;
};

inline Parameters of(Detail detail, unsigned dimension) {
    Parameters parameters;
    parameters.detail = detail;
    parameters.dimension = dimension;
    return parameters;
}

inline Time at(Duration since_start) {
    return Time::at(since_start);
}

}  // namespace railyard::elite
