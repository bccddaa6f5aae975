/// A lane that has its parts to itself. What will happen is rehearsed: the packets are run through
/// their stages, the moments that matter are noted, and the parts are put back as they were. What
/// has happened is caught up with when somebody looks.

#include <algorithm>
#include <array>

#include "interconnects/virtual/model/lane.hpp"

namespace railyard::model {

/// The next packet of the message that has its turn, if it can be read by then.
inline bool Lane::inject(State& state, Message* message, Until until, Packet& packet) {
    if (state.injected == message->packets) return false;
    Time at = message->turn_at;
    if (state.sequence >= buffer_) {
        if (state.departed + buffer_ <= state.sequence) return false;
        at = std::max(at, state.left[state.sequence % buffer_]);
    }
    // What need not be read from memory must not overtake what is being read.
    if (!message->route->path.reads()) {
        if (state.departed < state.sequence) return false;
        at = std::max(at, state.at_link);
    }
    if (!until.reaches(at, node_)) return false;
    packet = Packet(*message, state.injected++, at);
    ++state.sequence;
    return true;
}

/// Takes a packet through its stages, as far as it gets by then.
template <Lane::Mode mode>
inline void Lane::run(State& state, Packet& packet, Until until) {
    Message& message = *packet.message;
    const Path& path = packet.route->path;
    for (;;) {
        if (packet.stage == path.target) {
            if (!message.admitted) return;
            packet.ready = std::max(packet.ready, message.admitted_at);
            if (message.dropped) packet.drop();
            if (packet.last && packet.past_all()) {
                message.done_at = packet.ready + path.visible;
                if constexpr (mode == Mode::real) message.placed = true;
            }
        }
        if (packet.past_all() || !until.reaches(packet.ready, sent_by(packet))) return;
        if (packet.stage != path.link) {
            serve<mode>(packet);
            continue;
        }
        state.at_link = packet.ready;
        state.left[state.departed++ % buffer_] = serve<mode>(packet);
    }
}

/// After how many packets what holds them up repeats itself: one if nothing does; 0 if it does
/// not repeat at all.
std::uint32_t Lane::period(const Message& message) const {
    if (message.read_extra.empty() && message.write_extra.empty()) return 1;
    const std::uint32_t pages = message.route->path.page_packets;
    const auto repeats = [&](const std::vector<Duration>& extra) {
        return extra.size() <= pages ||
               std::equal(extra.begin() + pages, extra.end(), extra.begin());
    };
    return repeats(message.read_extra) && repeats(message.write_extra) ? pages : 0;
}

/// Notices when packets follow each other at one and the same distance at every stage. From then on
/// they always will, as long as they are alike: what each waits for (the packet before it, and the
/// one that leaves room in the buffer) moves on by that distance, too. Where every so many packets
/// are alike, the same holds for each group of them.
class Lane::Pace {
  public:
    /// Of packets that pass the first so many stages. `loads`: what they load on the side matters.
    Pace(const Route& route, std::size_t stages, std::uint32_t packets_alike, bool loads)
        : group(packets_alike), route_(route), stages_(stages) {
        if (loads) loaded_.resize(route.path.loads.size() * group);
    }

    /// A packet has passed them.
    void note() {
        for (std::size_t i = 0; i * group < loaded_.size(); ++i) {
            const std::size_t stage = route_.path.loads[i].stage;
            loaded_[i * group + in_group_] =
                Time::at(route_.part(stage).free_at.since_start() - route_.path.stages[stage].rest);
        }
        if (++in_group_ < group) return;
        in_group_ = 0;
        Duration found = Duration::forever();
        bool same = true;
        for (std::size_t i = 0; i < stages_; ++i) {
            const Time now = route_.part(i).free_at;
            const Duration since = now - last_[i];
            same = same && (i == 0 || since == found);
            found = since;
            last_[i] = now;
        }
        alike_ = same && found == distance ? alike_ + 1 : 0;
        distance = found;
    }
    bool steady(unsigned buffer) const {
        return in_group_ == 0 && alike_ * group > buffer && distance > Duration{} &&
               std::ranges::none_of(route_.parts().first(stages_), &Fifo::has_loads);
    }
    /// When the packets of the last group began to load that part.
    std::span<const Time> loaded(std::size_t load) const {
        return std::span(loaded_).subspan(load * group, group);
    }
    std::size_t stages() const { return stages_; }
    Time last_end() const { return last_[stages_ - 1]; }

    static constexpr std::size_t most_stages = 32;
    const std::uint32_t group;
    Duration distance;

  private:
    const Route& route_;
    std::size_t stages_;
    std::uint32_t in_group_ = 0;
    unsigned alike_ = 0;
    std::array<Time, most_stages> last_{};
    std::vector<Time> loaded_;
};

/// Moves on by as many packets as will have passed all these stages by then. How many.
std::uint32_t Lane::skip(State& state, const Message& message, const Pace& pace, Until until) {
    // The last packet may be shorter, and is the one that others hear of.
    std::uint64_t groups = (message.packets - 1 - state.injected) / pace.group;
    if (until.time != Time::never()) {
        const Duration left = until.time - pace.last_end();
        if (left < pace.distance) return 0;
        groups = std::min(
            groups, static_cast<std::uint64_t>(left.picoseconds() / pace.distance.picoseconds()));
    }
    const std::uint64_t many = groups * pace.group;
    const Duration shift = pace.distance * static_cast<std::int64_t>(groups);
    for (std::size_t i = 0; i < pace.stages(); ++i) {
        Fifo& fifo = message.route->part(i);
        fifo.free_at = fifo.free_at + shift;
    }
    const std::vector<Time> before = state.left;
    for (std::uint64_t i = state.departed - buffer_; i != state.departed; ++i)
        state.left[(i + many) % buffer_] = before[i % buffer_] + shift;
    state.at_link = state.at_link + shift;
    state.injected += static_cast<std::uint32_t>(many);
    state.sequence += many;
    state.departed += many;
    return static_cast<std::uint32_t>(many);
}

/// What full packets, from the first of them on, take of the parts that they pass.
void Lane::count_as_busy(const Message& message, std::uint32_t first, std::uint32_t packets) {
    const Route& route = *message.route;
    for (std::size_t i = 0; i < route.path.stages.size(); ++i) {
        const Stage& stage = route.path.stages[i];
        route.part(i).busy += (stage.full + stage.rest) * std::int64_t{packets};
    }
    const auto hold_up = [&](const std::vector<Duration>& extra, std::size_t stage) {
        if (extra.empty() || stage >= route.path.stages.size()) return;
        for (std::uint32_t index = first; index != first + packets; ++index)
            route.part(stage).busy += extra[index];
    };
    hold_up(message.read_extra, 0);
    hold_up(message.write_extra, route.path.target);
}

/// What they take of other parts on the side, and of credits. A group that comes to a free part
/// leaves it free at `end`; what waits there is put off by all of them.
void Lane::load_by_skipped(const Message& message, const Pace& pace, std::uint32_t packets) {
    const Route& route = *message.route;
    const auto groups = std::int64_t{packets / pace.group};
    for (std::size_t i = 0; i < route.path.loads.size(); ++i) {
        const Duration each = route.path.loads[i].time(route.path.packet);
        const Duration all = each * std::int64_t{pace.group};
        Time end;
        for (const Time from : pace.loaded(i))
            end = std::max(end, from + pace.distance) + each;
        Fifo& part = *route.loaded()[i];
        part.merge(pace.loaded(i).front() + pace.distance, true);
        part.free_at = std::max({part.free_at + all * groups, end + all * (groups - 1),
                                 end + pace.distance * (groups - 1)});
        part.busy += all * groups;
    }
    if (route.path.credits == 0) return;
    for (std::size_t i = route.path.link; i + 1 < route.path.target; ++i)
        route.part(i).buffer->shift(pace.distance * groups);
}

/// Injects what can be by then, and takes each packet as far as it gets; `done` is told of it.
template <Lane::Mode mode, class Done>
inline void Lane::inject_all(State& state, Message* message, Until until, Done&& done) {
    const Route& route = *message->route;
    const std::size_t stages = message->admitted ? route.path.stages.size() : route.path.target;
    // A few packets are not worth the watching; and what was really done, a trace wants to see.
    bool watches = message->packets - state.injected > 2 * buffer_ + 4 &&
                   stages <= Pace::most_stages &&
                   (mode == Mode::dry || (message->admitted && !engine_.trace()));
    const std::uint32_t group = watches ? period(*message) : 0;
    watches = group > 0;
    // So many that what others may look at later is all of their making: buffers in the adapter
    // and, of what really happens, in switches.
    const unsigned many = mode == Mode::real ? std::max(buffer_, route.path.credits) : buffer_;
    Pace pace(route, stages, group, mode == Mode::real);
    for (Packet packet; inject(state, message, until, packet);) {
        run<mode>(state, packet, until);
        done(packet);
        watches =
            watches && packet.stage == stages;  // those behind it will not get that far either
        if (!watches) continue;
        pace.note();
        if (!pace.steady(many) || state.injected + 1 >= message->packets) continue;
        const std::uint32_t skipped = skip(state, *message, pace, until);
        if constexpr (mode == Mode::real) {
            message->finished += skipped;
            count_as_busy(*message, state.injected - skipped, skipped);
            if (skipped > 0) load_by_skipped(*message, pace, skipped);
        }
    }
}

/// Brings the lane so far.
void Lane::catch_up(Until until) {
    std::size_t kept = 0;
    const auto keep = [&](const Packet& packet) {
        if (!packet.past_all() ||
            (packet.stage == packet.route->path.target && !packet.message->admitted))
            return true;
        ++packet.message->finished;
        return false;
    };
    for (Packet& packet : state_.packets) {
        run<Mode::real>(state_, packet, until);
        if (keep(packet)) state_.packets[kept++] = packet;
    }
    state_.packets.resize(kept);
    if (waiting_.empty()) return;
    Message* const message = waiting_.front();
    inject_all<Mode::real>(state_, message, until, [&](const Packet& packet) {
        if (keep(packet)) state_.packets.push_back(packet);
    });
    message->injected = state_.injected;
}

/// The front message may leave: when does its first packet reach the target, and when may the next
/// message leave?
void Lane::begin_turn() {
    Message* const message = waiting_.front();
    message->turn_at = engine_.now();
    state_.injected = 0;
    catch_up(so_far());
    foresee_departure(message);
}

void Lane::begin_rehearsal(const Route& route) {
    const auto save = [this](const Route& some) {
        for (Fifo* const part : some.parts())
            before_rehearsal_.push_back({part, part->state()});
    };
    save(route);
    const Route* last = &route;
    for (const Packet& packet : state_.packets) {
        if (packet.route == last) continue;
        last = packet.route;
        save(*last);
    }
    rehearsal_ = state_;
}

void Lane::end_rehearsal() {
    for (const Before& before : before_rehearsal_)
        before.part->restore(before.was);
    before_rehearsal_.clear();
}

void Lane::foresee_departure(Message* message) {
    begin_rehearsal(*message->route);
    Time first;
    for (Packet& packet : rehearsal_.packets) {
        run<Mode::dry>(rehearsal_, packet, Until::ever());
        if (packet.message == message && packet.index == 0) first = packet.ready;
    }
    Time turn_over = engine_.now();
    // Its turn is over when its last packet is injected.
    inject_all<Mode::dry>(rehearsal_, message, Until::ever(), [&](const Packet& packet) {
        turn_over = packet.injected;
        if (packet.index == 0) first = packet.ready;
    });
    end_rehearsal();
    message->first_event = engine_.schedule_on(message->route->to, first, [this, message] {
        message->first_event = {};
        reached_target(message);
    });
    turn_event_ = engine_.schedule_on(node_, turn_over, [this] {
        catch_up({engine_.now()});
        waiting_.pop_front();
        if (!waiting_.empty()) begin_turn();
    });
}

void Lane::admit(Message* message) {
    message->admitted = true;
    message->admitted_at = engine_.now();
    if (!follows_) return foresee_delivery(message);
    std::vector<Packet> released;
    const auto its = [&](const Packet& packet) { return packet.message == message; };
    std::copy_if(parked_.begin(), parked_.end(), std::back_inserter(released), its);
    std::erase_if(parked_, its);
    for (Packet& packet : released)
        go_on(packet, false);
}

void Lane::foresee_delivery(Message* message) {
    catch_up(so_far());
    begin_rehearsal(*message->route);
    for (Packet& packet : rehearsal_.packets)
        run<Mode::dry>(rehearsal_, packet, Until::ever());
    if (!waiting_.empty() && waiting_.front() == message)
        inject_all<Mode::dry>(rehearsal_, message, Until::ever(), [](const Packet&) {});
    end_rehearsal();
    message->done_event =
        engine_.schedule_on(message->route->to, message->done_at, [this, message] {
            message->done_event = {};
            delivered(message);
        });
}

void Lane::delivered(Message* message) {
    catch_up({engine_.now()});
    std::erase_if(state_.packets, [&](Packet& packet) {
        if (packet.message != message) return false;
        run<Mode::real>(state_, packet, Until::ever());
        ++message->finished;
        return true;
    });
    completed(message);
}

}  // namespace railyard::model
