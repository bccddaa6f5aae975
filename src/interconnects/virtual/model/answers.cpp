#include "interconnects/virtual/model/answers.hpp"

namespace railyard::model {

namespace {

std::uint64_t key_of(Switches::Place place) {
    return std::uint64_t{place.node} << 8 | place.port;
}

}  // namespace

void Answers::tell(Place from, Place asker, sim::Action heard) {
    Line& line = lines_[{key_of(from), key_of(asker)}];
    line.from = from;
    line.asker = asker;
    find_way(line);
    line.unheard.push_back(std::move(heard));
    const std::uint64_t last = line.first + line.unheard.size() - 1;
    const Fifo* const part = FaultPlan::loses(line.back, engine_.now(), small_packet);
    if (!part) {
        const Duration way = switches_.latency(from.node, asker.node);
        engine_.schedule(engine_.now() + way, [this, &line, last] { this->heard(line, last); });
        return;
    }
    ++plan_.report().acknowledgments;
    if (!line.asks) lost_at(line, part);
}

void Answers::find_way(Line& line) {
    if (line.from.node == line.asker.node) return;
    const unsigned detour = resender_(line.asker).detour(line.from.node);
    if (detour == line.detour) return;
    line.detour = detour;
    Way& forth = switches_.new_way();
    switches_.add_way(forth, line.asker, line.from, detour);
    line.forth = forth.parts;
    Way& back = switches_.new_way();
    switches_.add_way(back, line.from, line.asker,
                      switches_.back(line.asker.node, line.from.node, detour));
    line.back = back.parts;
}

/// All up to that one.
void Answers::heard(Line& line, std::uint64_t last) {
    line.tries = line.in_vain = 0;
    while (!line.unheard.empty() && line.first <= last) {
        sim::Action one = std::move(line.unheard.front());
        line.unheard.pop_front();
        ++line.first;
        one();
    }
}

void Answers::tell_now(fabric::NodeId from, fabric::NodeId asker) {
    const auto begin = lines_.lower_bound({key_of({from, 0}), 0});
    for (auto line = begin; line != lines_.end() && line->second.from.node == from; ++line)
        if (line->second.asker.node == asker) heard(line->second, ~std::uint64_t{0});
}

/// Where hops tell of a loss, the asker tries again at once, then another way; otherwise, and where
/// there is none, later.
void Answers::lost_at(Line& line, const Fifo* part) {
    line.asks = true;
    const hardware::Reliability& reliability = parameters_.reliability;
    bool at_once = false;
    if (reliability.detection == hardware::Detection::hops) {
        at_once = line.tries++ < reliability.attempts;
        if (!at_once) {
            line.tries = 0;
            at_once = resender_(line.asker).avoid(line.from.node, part);
        }
    }
    if (!at_once) ++plan_.report().timeouts;
    const Duration wait = at_once ? Duration{} : patience(reliability, line.in_vain++);
    const Duration way = switches_.latency(line.from.node, line.asker.node);
    engine_.schedule(engine_.now() + way + wait, [this, &line] { ask(line); });
}

/// The asker sends its last packet again: the peer has it, drops it, and answers anew.
void Answers::ask(Line& line) {
    line.asks = false;
    if (line.unheard.empty()) return;
    if (line.in_vain > parameters_.reliability.retries) {
        ++plan_.report().unreachable;
        line.first += line.unheard.size();
        line.unheard.clear();
        line.tries = line.in_vain = 0;
        if (plan_.given_up) plan_.given_up(line.asker.node, line.from.node);
        return;
    }
    find_way(line);
    fabric::FaultReport& report = plan_.report();
    ++report.retransmitted;
    if (const Fifo* const part = FaultPlan::loses(line.forth, engine_.now(), small_packet)) {
        ++report.lost;
        return lost_at(line, part);
    }
    ++report.duplicates;
    if (const Fifo* const part = FaultPlan::loses(line.back, engine_.now(), small_packet)) {
        ++report.acknowledgments;
        return lost_at(line, part);
    }
    const Duration way = switches_.latency(line.from.node, line.asker.node);
    const std::uint64_t last = line.first + line.unheard.size() - 1;
    engine_.schedule(engine_.now() + way * 2, [this, &line, last] { heard(line, last); });
}

void Answers::stop() {
    for (auto& [key, line] : lines_)
        line.unheard.clear();
}

}  // namespace railyard::model
