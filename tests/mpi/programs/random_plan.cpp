#include "mpi/programs/random_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace railyard::mpi::programs {

namespace {

constexpr int unique_tags = 1000;

CommPlan world(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    CommPlan plan;
    plan.members.assign(static_cast<std::size_t>(ranks), all);
    return plan;
}

class Draw {
  public:
    Draw(std::uint64_t seed, int ranks) : random_(seed), ranks_(ranks) {
        plan_.seed = seed;
        plan_.ranks = ranks;
    }

    Plan all() {
        plan_.comms = {world(ranks_)};
        for (std::uint64_t i = 2 + below(3); i > 0; --i)
            plan_.comms.push_back(comm());
        for (std::uint64_t i = 2 + below(2); i > 0; --i)
            plan_.epochs.push_back(epoch());
        return std::move(plan_);
    }

  private:
    std::uint64_t below(std::uint64_t n) { return random_.below(n); }
    bool chance(unsigned percent) { return below(100) < percent; }
    int rank() { return static_cast<int>(below(static_cast<std::uint64_t>(ranks_))); }

    CommPlan comm() {
        CommPlan made;
        made.parent = static_cast<int>(below(plan_.comms.size()));
        const CommPlan& parent = plan_.comms[static_cast<std::size_t>(made.parent)];
        made.members = parent.members;
        made.is_split = chance(60);
        if (!made.is_split) return made;
        const std::uint64_t colours = 1 + below(3);
        for (int r = 0; r < ranks_; ++r) {
            made.colour.push_back(static_cast<int>(below(colours)));
            made.key.push_back(static_cast<int>(below(5)) - 2);
        }
        for (int r = 0; r < ranks_; ++r) {
            auto& members = made.members[static_cast<std::size_t>(r)];
            std::erase_if(members,
                          [&](int other) { return colour(made, other) != colour(made, r); });
            std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
                return made.key[static_cast<std::size_t>(a)] <
                       made.key[static_cast<std::size_t>(b)];
            });
        }
        return made;
    }
    static int colour(const CommPlan& comm, int r) {
        return comm.colour[static_cast<std::size_t>(r)];
    }

    std::size_t bytes() {
        const std::uint64_t kind = below(100);
        if (kind < 12) return 0;
        if (kind < 37) return 1 + below(64);
        if (kind < 62) return 1 + below(4 << 10);
        if (kind < 74) return (std::size_t{4 << 10} << below(2)) - 40 + below(80);  // about limits
        if (kind < 92 || large_left_ == 0) return below(32 << 10);
        --large_left_;
        return below(300 << 10);
    }

    void measure(PlannedMessage& message) {
        message.base = static_cast<int>(below(3));
        message.out = chance(50) ? Shape::dense : static_cast<Shape>(below(shape_count));
        message.in = chance(50) ? Shape::dense : static_cast<Shape>(below(shape_count));
        const Layout out = message.out_layout();
        const Layout in = message.in_layout();
        message.elements = bytes() / out.element_size() / out.elements() * out.elements();
        const std::size_t wanted = message.elements + (chance(30) ? below(20) : 0);
        message.room = (wanted + in.elements() - 1) / in.elements() * in.elements();
    }

    void address(PlannedMessage& message) {
        message.id = next_id_++;
        message.comm = static_cast<int>(below(plan_.comms.size()));
        message.from = rank();
        const auto& members = members_of(message);
        message.to = members[below(members.size())];
        message.tag = static_cast<int>(below(3));
    }
    const std::vector<int>& members_of(const PlannedMessage& message) const {
        return plan_.comms[static_cast<std::size_t>(message.comm)]
            .members[static_cast<std::size_t>(message.from)];
    }
    static void make_unique(PlannedMessage& message) {
        message.tag = unique_tags + static_cast<int>(message.id);
    }

    Event single() {
        PlannedMessage message;
        address(message);
        measure(message);
        message.mode = static_cast<SendMode>(below(3));
        message.send_way = static_cast<SendWay>(below(3));
        message.receive_way = static_cast<ReceiveWay>(below(6));
        const bool ahead = message.receive_way == ReceiveWay::posted_ahead;
        if (ahead || chance(25)) {
            make_unique(message);
            message.any_source = chance(50);
        }
        // Others of that sender were received, in order, before: this is its next.
        message.any_tag = !ahead && !message.any_source && chance(30);
        if (ahead && chance(50)) message.mode = SendMode::ready;
        const bool again = message.from != message.to &&
                           message.receive_way != ReceiveWay::immediate && !ahead &&
                           message.send_way != SendWay::immediate;
        if (again && chance(15)) message.times = 2 + static_cast<int>(below(4));
        // To oneself: nobody receives while this rank is in a blocking send.
        if (message.from == message.to && !ahead && message.mode != SendMode::buffered &&
            message.send_way == SendWay::blocking)
            message.send_way = SendWay::immediate;
        return {false, {message}};
    }

    Event shift() {
        PlannedMessage first;
        address(first);
        const std::vector<int>& members = members_of(first);
        Event event{true, {}};
        for (std::size_t i = 0; i < members.size(); ++i) {
            PlannedMessage message = first;
            message.id = next_id_++;
            message.from = members[i];
            message.to = members[(i + 1) % members.size()];
            measure(message);
            event.messages.push_back(message);
        }
        return event;
    }

    Epoch epoch() {
        Epoch made;
        large_left_ = 2;
        for (std::uint64_t i = 6 + below(12); i > 0; --i)
            made.events.push_back(chance(15) ? shift() : single());
        for (int r = 0; r < ranks_; ++r)
            made.has_orphan.push_back(chance(20));
        loosen(made);
        return made;
    }

    /// Where a rank hears of one sender alone on a communicator, any source is that one.
    void loosen(Epoch& made) {
        const auto is_lone = [&](const PlannedMessage& message) {
            for (const Event& event : made.events)
                for (const PlannedMessage& other : event.messages)
                    if (other.comm == message.comm && other.to == message.to &&
                        other.from != message.from)
                        return false;
            return true;
        };
        for (Event& event : made.events)
            for (PlannedMessage& message : event.messages)
                if (!event.is_shift && message.receive_way != ReceiveWay::posted_ahead &&
                    is_lone(message) && chance(60))
                    message.any_source = true;
    }

    sim::Random random_;
    int ranks_;
    std::uint64_t next_id_ = 0;
    int large_left_ = 0;
    Plan plan_;
};

}  // namespace

Plan draw_plan(std::uint64_t seed, int ranks) {
    return Draw(seed, ranks).all();
}

}  // namespace railyard::mpi::programs
