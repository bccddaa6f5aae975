#pragma once
/// The way of packets from the memory of one node to that of another, as the list of parts that
/// they pass. What the parts do to a packet is a Path, which all pairs of nodes alike share; which
/// parts they are is a Route.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/rate.hpp"
#include "interconnects/virtual/model/input_buffer.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"
#include "sim/trace.hpp"

namespace railyard::model {

class Health;
class Lane;

/// A part that serves packets one after the other, in the order in which they come to it: a bus, a
/// link, a switch's output, the adapter's memory. Its state is the moment from which it is free.
///
/// Some packets load a part on the side, by an acknowledgment or by what a transfer takes of the
/// other way of a bus. Such loads hold nobody up but those who come later, so they are merged when
/// the part is next used, and need no event.
class Fifo {
  public:
    Fifo() = default;
    Fifo(sim::Trace* trace, std::string_view group, std::string_view name)
        : trace_(trace), row_(trace ? trace->lane(group, name) : 0) {}
    Fifo(Fifo&&) = default;
    Fifo& operator=(Fifo&&) = default;
    ~Fifo() {
        others_ = {};
        if (traced()) merge(Time::never(), true);
    }

    Time free_at;
    Duration busy;  ///< in all, so far

  private:
    // Every packet asks for these.
    sim::Trace* trace_ = nullptr;
    sim::Trace::Lane row_ = 0;
    bool has_loads_ = false;

  public:
    bool traced() const { return trace_ != nullptr; }
    /// Tells the trace, if there is one.
    void show(std::string_view what, Time begin, Time end, std::uint64_t id) const {
        if (trace_ && end > begin) trace_->slice(row_, what, begin, end, id);
    }

    struct Load {
        Time from;  ///< it takes the part from then on, or as soon as that is free
        Duration time;
        std::string_view what;
        std::uint64_t id;
    };
    /// Whoever uses the part next comes now or later.
    void load(const Load& load, Time now);
    /// The part is used from then on: what loads it before that comes first. A load of that very
    /// moment does not, whoever was told of it first. `real`: and not just to see.
    void merge(Time before, bool real) {
        for (; merged_ < loads_.size() && loads_[merged_].from < before; ++merged_) {
            const Load& load = loads_[merged_];
            if (is_shared()) merge_others(load.from, real);
            const Time begin = std::max(free_at, load.from);
            free_at = begin + load.time;
            if (real) show(load.what, begin, free_at, load.id);
        }
        if (is_shared()) merge_others(before, real);
        has_loads_ = is_loaded();
    }
    bool has_loads() const { return has_loads_; }

    /// From now on others use it, too: every `period`, for `time` each, which is less.
    void share(Duration period, Duration time) {
        others_ = {period, time, {}};
        has_loads_ = true;
    }

    /// Its state, for those who only want to see what would become of it.
    struct State {
        Time free_at;
        std::size_t merged;
        Time others;
    };
    State state() const { return {free_at, merged_, others_.next}; }
    void restore(const State& state) {
        free_at = state.free_at;
        merged_ = state.merged;
        others_.next = state.others;
        has_loads_ = is_loaded();
    }

    // Who sends through here at present (see Lane), and who loads it on the side.
    unsigned users = 0;
    unsigned loaders = 0;
    Lane* sole = nullptr;         ///< the only one, as long as no other has come
    Lane* sole_loader = nullptr;  ///< likewise

    Health* health = nullptr;  ///< null: no fault ever strikes it
    /// A link's, in the switch or the adapter that it leads to. Null: without limit, or no such
    /// link.
    std::unique_ptr<InputBuffer> buffer;

  private:
    struct Others {
        Duration period;
        Duration time;
        Time next;  ///< the first of their turns that is not merged
    };
    bool is_loaded() const { return merged_ < loads_.size() || is_shared(); }
    bool is_shared() const { return others_.period > Duration{}; }
    void merge_others(Time before, bool real);

    std::vector<Load> loads_;  ///< in order of time
    std::size_t merged_ = 0;   ///< so many of them
    Others others_;
};

/// How long a part takes for a packet with some payload, from which it takes time by the byte. To
/// divide is dear, and packets that are not full are mostly alike: the last answer is kept.
class PacketTime {
  public:
    Duration of(Bytes payload, Bytes header, Rate rate, Duration fixed) const {
        if (payload != payload_) {
            payload_ = payload;
            time_ = (payload + header) / rate + fixed;
        }
        return time_;
    }
    /// Part of no value.
    friend bool operator==(const PacketTime&, const PacketTime&) { return true; }

  private:
    mutable Bytes payload_{~std::uint64_t{0}};
    mutable Duration time_;
};

struct Stage {
    Fifo* fifo = nullptr;      ///< only while a route is being made: see Route::add
    Rate rate{};               ///< 0: only `fixed`
    Bytes header{};            ///< on top of the payload
    Duration fixed{};          ///< per packet
    Duration rest{};           ///< for which it stays busy after a packet, in nobody's way
    Duration latency{};        ///< from here to the next part; holds up nobody
    bool leads_on = false;     ///< whoever comes to the next part comes through this one
    std::size_t paced_by = 0;  ///< the stage, this or a later one, whose pace its data have
    Duration full{};           ///< what a full packet takes
    PacketTime last{};

    Duration time(Bytes payload) const {
        return rate == Rate{} ? fixed : last.of(payload, header, rate, fixed);
    }
    friend bool operator==(const Stage&, const Stage&) = default;
};

/// What a packet takes of another part on the side, once it has passed a stage.
struct SideLoad {
    std::string_view what = "";  ///< for the trace
    std::size_t stage = 0;
    Rate rate{};       ///< 0: only `fixed`
    Duration fixed{};  ///< per packet
    PacketTime last{};

    Duration time(Bytes payload) const {
        return rate == Rate{} ? fixed : last.of(payload, {}, rate, fixed);
    }
    friend bool operator==(const SideLoad&, const SideLoad&) = default;
};

struct Path {
    Bytes packet;  ///< payload of a full one
    Bytes block;   ///< payloads are filled up to a multiple of this; 0: they are not
    std::vector<Stage> stages;
    std::vector<SideLoad> loads;
    std::size_t link = 0;    ///< the stage whose end frees the packet's place in the adapter
    std::size_t target = 0;  ///< the first stage at the target: its engine admits messages there
    /// Full packets that the largest buffer behind a link has room for; 0: none has a limit.
    std::uint32_t credits = 0;
    /// Nothing comes to the link, or holds a packet up there, but what the same lane sends before:
    /// when a packet will leave is known as soon as it is known when it comes.
    bool link_is_foreseen = false;
    Duration visible;                ///< after the last stage, until data can be seen in memory
    std::uint32_t page_packets = 1;  ///< packets to a page of memory

    void add(const Stage& stage) {
        stages.push_back(stage);
        const std::size_t last = stages.size() - 1;
        stages[last].fifo = nullptr;
        stages[last].full = stages[last].time(packet);
        // A part that takes no time by the byte lets data through as the next one takes them.
        stages[last].paced_by = last;
        for (std::size_t i = last; i-- > 0 && stages[i].rate == Rate{};)
            stages[i].paced_by = last;
    }
    /// Does a packet wait in the target's adapter for a way to memory?
    bool writes() const { return target < stages.size(); }
    /// Does a packet have to be read from memory first?
    bool reads() const { return link > 0; }
    friend bool operator==(const Path&, const Path&) = default;
};

struct Message;

/// What tells the routes out of one port apart; as one number, Route::key.
struct RouteName {
    fabric::NodeId to = 0;
    unsigned to_port = 0;
    unsigned source = 0;  ///< whose memory the bytes come from ...
    unsigned target = 0;  ///< ... and go to
    unsigned detour = 0;  ///< around faults (Switches::add_way)

    std::uint64_t key() const {
        return std::uint64_t{to} << 32 | std::uint64_t{detour} << 16 | to_port << 8 | source << 4 |
               target;
    }
    static RouteName of(std::uint64_t key) {
        const auto low = static_cast<std::uint32_t>(key);
        return {static_cast<fabric::NodeId>(key >> 32), low >> 8 & 0xff, low >> 4 & 0xf, low & 0xf,
                low >> 16};
    }
};

/// Messages from one lane to one node: they get there in order.
struct Deliveries {
    Message* oldest = nullptr;  ///< not in memory yet; the others follow by Message::behind
    Message* newest = nullptr;
    Time last_admitted;  ///< when the latest is
};

/// A path and its parts while they are being put together.
struct Way {
    Path path;
    std::vector<Fifo*> parts;   ///< of the stages
    std::vector<Fifo*> loaded;  ///< on the side

    /// As new, but for the memory that its lists have: routes are made all the time.
    void clear() {
        std::vector<Stage> stages = std::move(path.stages);
        std::vector<SideLoad> loads = std::move(path.loads);
        stages.clear();
        loads.clear();
        path = {};
        path.stages = std::move(stages);
        path.loads = std::move(loads);
        parts.clear();
        loaded.clear();
    }
    void add(const Stage& stage) {
        path.add(stage);
        parts.push_back(stage.fifo);
    }
    void add_load(Fifo& fifo, const SideLoad& load) {
        path.loads.push_back(load);
        loaded.push_back(&fifo);
    }
};

class Route {
  public:
    /// The path must outlive the route.
    Route(const Path& its_path, const Way& way, Deliveries& its_deliveries);
    Route(const Route&) = delete;
    Route& operator=(const Route&) = delete;

    Fifo& part(std::size_t stage) const { return *parts_[stage]; }
    std::span<Fifo* const> parts() const { return {parts_, path.stages.size()}; }
    std::span<Fifo* const> loaded() const {
        return {parts_ + path.stages.size(), path.loads.size()};
    }

    const Path& path;
    Deliveries& deliveries;
    unsigned messages = 0;      ///< that a lane has
    bool meets_itself = false;  ///< passes one part twice

    // Of Routes.
    std::uint64_t key = 0;
    fabric::NodeId to = 0;
    unsigned users = 0;
    Route* idle_before = nullptr;
    Route* idle_behind = nullptr;

  private:
    // Here, and not somewhere else: every packet asks for them at every stage.
    static constexpr std::size_t few = 11;
    std::array<Fifo*, few> few_{};
    Fifo** parts_ = few_.data();
    std::unique_ptr<Fifo*[]> many_;
};

/// The routes out of one port. Those that messages use are kept, and the few that were used last:
/// what a lane remembers does not grow with the number of its peers.
class Routes {
  public:
    static constexpr std::size_t idle_kept = 192;

    /// The route of that name, in use from now on; null if it has to be made.
    Route* find(std::uint64_t key);
    /// Makes it, in use from now on.
    Route& make(std::uint64_t key, fabric::NodeId to, const Path& path, const Way& way);
    /// One user less.
    void give_back(Route& route);

    std::size_t size() const { return routes_.size(); }

  private:
    struct Destination {
        Deliveries deliveries;
        unsigned routes = 0;  ///< that lead there
    };
    void take_from_idle(Route& route);
    void drop(Route& route);

    std::unordered_map<std::uint64_t, Route> routes_;               ///< looked up only
    std::unordered_map<fabric::NodeId, Destination> destinations_;  ///< likewise
    Route* oldest_idle_ = nullptr;
    Route* newest_idle_ = nullptr;
    std::size_t idle_ = 0;
};

}  // namespace railyard::model
