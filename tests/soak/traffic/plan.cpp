#include "traffic/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace railyard::soak {

namespace {

constexpr int most_tags = 16;
constexpr int shared_tags = 4;  ///< the first few are for receives from any source
constexpr int small_octave = 12;
constexpr int large_octave = 22;
/// Of a buffered flow, so that the attached buffer holds a round of them.
constexpr int buffered_octave = 10;
constexpr int most_buffered = 16;

constexpr SendWay sends_at_once[] = {SendWay::isend,
                                     SendWay::isend,
                                     SendWay::isend,
                                     SendWay::issend,
                                     SendWay::ibsend,
                                     SendWay::persistent,
                                     SendWay::persistent_synchronous,
                                     SendWay::persistent_buffered};
constexpr SendWay sends_that_block[] = {SendWay::send, SendWay::send, SendWay::ssend,
                                        SendWay::bsend, SendWay::one_persistent};
constexpr SendWay sends_to_ready[] = {SendWay::irsend, SendWay::rsend, SendWay::persistent_ready,
                                      SendWay::isend};

bool is_buffered(SendWay way) {
    return way == SendWay::ibsend || way == SendWay::bsend || way == SendWay::persistent_buffered;
}

class Planner {
  public:
    Planner(std::uint64_t seed, const PlanOptions& options)
        : seed_(seed), draw_(seed), options_(options) {}

    Exchange plan() {
        plan_.is_ready = draw_.one_in(8);
        const int most = options_.large ? options_.ranks : 3 * options_.ranks;
        for (int rank = 0; rank < options_.ranks; ++rank)
            wild_tags_.push_back(options_.own_tags ? draw_.below(3) : 0);
        for (int n = draw_.from_to(1, most); n > 0; --n)
            add_flow();
        put_in_order();
        return std::move(plan_);
    }

  private:
    void add_flow() {
        const int destination = draw_.below(options_.ranks);
        const bool shared =
            wild_tags_[static_cast<std::size_t>(destination)] == 0 && draw_.one_in(3);
        Flow flow{};
        flow.seed = mix(seed_, 1 + plan_.flows.size());
        flow.source = draw_.below(options_.ranks);
        flow.destination = destination;
        const std::size_t inlet = inlet_for(flow, shared);
        if (inlet == none) return;
        size_up(flow, inlet);
        if (is_buffered(flow.way)) plan_.is_buffered = true;
        plan_.messages += static_cast<std::uint64_t>(flow.count);
        plan_.inlets[inlet].flows.push_back(plan_.flows.size());
        plan_.flows.push_back(std::move(flow));
    }

    /// Gives the flow its tag, and finds or makes where it is received.
    std::size_t inlet_for(Flow& flow, bool shared) {
        const int wild = wild_tags_[static_cast<std::size_t>(flow.destination)];
        if (wild > 0) {
            // Any tag from that source, or from all.
            flow.tag = options_.first_tag + draw_.below(most_tags);
            const int source = wild == 1 ? flow.source : MPI_ANY_SOURCE;
            return inlet_at({flow.destination, source, MPI_ANY_TAG}, false);
        }
        const bool in_world = options_.first_world_tag >= 0 && draw_.one_in(4);
        const int first = in_world ? options_.first_world_tag : options_.first_tag;
        if (shared) {
            flow.tag = first + draw_.below(shared_tags);
            return inlet_at({flow.destination, MPI_ANY_SOURCE, flow.tag}, in_world);
        }
        int& used = used_tags_[{flow.source, flow.destination}];
        if (used == most_tags - shared_tags) return none;
        flow.tag = first + shared_tags + used++;
        return inlet_at({flow.destination, flow.source, flow.tag}, in_world);
    }

    std::size_t inlet_at(const std::array<int, 3>& key, bool in_world) {
        const auto [found, is_new] = inlets_.try_emplace({key, in_world}, plan_.inlets.size());
        if (is_new) {
            const Base base = base_type(draw_.one_in(3) ? draw_.below(base_count) : 0);
            const auto way = static_cast<ReceiveWay>(
                plan_.is_ready ? draw_.below(static_cast<int>(ReceiveWay::late_irecv))
                               : draw_.from_to(0, static_cast<int>(ReceiveWay::cancelled)));
            plan_.inlets.push_back({key[0],
                                    key[1],
                                    key[2],
                                    in_world,
                                    way,
                                    draw_.one_in(4),
                                    base,
                                    options_.large ? nullptr : layout(base),
                                    {}});
        }
        return found->second;
    }

    std::shared_ptr<const Layout> layout(Base base) {
        return draw_.one_in(10) ? Layout::draw(draw_.next(), base) : nullptr;
    }

    void size_up(Flow& flow, std::size_t inlet_index) {
        const Inlet& inlet = plan_.inlets[inlet_index];
        flow.base = inlet.base;
        flow.way = plan_.is_ready                          ? draw_.pick<SendWay>(sends_to_ready)
                   : is_late(inlet.way) || draw_.one_in(2) ? draw_.pick<SendWay>(sends_at_once)
                                                           : draw_.pick<SendWay>(sends_that_block);
        flow.count = 1 + draw_.below((draw_.one_in(2) ? 8 : 64) * options_.burst);
        flow.most_octave = small_octave;
        // One of some thousand messages, so that the mean stays below a KiB.
        if (options_.large || draw_.one_in(200)) {
            flow.least_octave = options_.large ? 16 : small_octave;
            flow.most_octave = large_octave;
            flow.count = options_.large ? draw_.from_to(1, 2) : 1;
        } else {
            flow.layout = layout(flow.base);
        }
        if (is_buffered(flow.way)) {
            flow.least_octave = 0;
            flow.most_octave = buffered_octave;
            flow.count = std::min(flow.count, most_buffered);
        }
        const bool is_persistent = flow.way == SendWay::one_persistent;
        flow.all_alike = is_persistent || draw_.one_in(4);
        flow.from_copies = is_persistent || flow.layout != nullptr || draw_.one_in(2);
    }

    /// As they are sent. Inlets name flows by their place, so these move along.
    void put_in_order() {
        std::vector<std::size_t> order(plan_.flows.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::ranges::stable_sort(order, {},
                                 [&](std::size_t i) { return blocks(plan_.flows[i].way) ? 1 : 0; });
        std::vector<std::size_t> place(order.size());
        std::vector<Flow> flows;
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[order[i]] = i;
            flows.push_back(std::move(plan_.flows[order[i]]));
        }
        plan_.flows = std::move(flows);
        for (Inlet& inlet : plan_.inlets) {
            for (std::size_t& flow : inlet.flows)
                flow = place[flow];
            std::ranges::sort(inlet.flows);
        }
    }

    static constexpr std::size_t none = ~std::size_t{0};

    const std::uint64_t seed_;
    Draw draw_;
    const PlanOptions& options_;
    Exchange plan_;
    std::vector<int> wild_tags_;  ///< of each rank: 0 none, 1 of each source, 2 of any source
    std::map<std::pair<std::array<int, 3>, bool>, std::size_t> inlets_;
    std::map<std::pair<int, int>, int> used_tags_;
};

}  // namespace

Message Flow::message(int index) const {
    const std::uint64_t drawn = mix(seed + static_cast<std::uint64_t>(index));
    const std::uint64_t sized = all_alike ? mix(seed) : drawn;
    const int octaves = most_octave - least_octave + 1;
    const int octave =
        least_octave + static_cast<int>((sized & 0xFFFF) % static_cast<unsigned>(octaves));
    const std::uint64_t whole = std::uint64_t{1} << octave;
    std::uint64_t bytes = whole / 2 + ((sized >> 16) & (whole / 2 - (whole > 1 ? 1 : 0)));
    if (octave == 0) bytes = 0;
    if ((sized >> 60) == 0) bytes = whole;  // limits tend to be powers of two
    const std::size_t unit = layout != nullptr ? layout->size() : base.size;
    return {.bytes = bytes / unit * unit, .offset = (drawn >> 40) & 0xFFF8};
}

Exchange plan_exchange(std::uint64_t seed, const PlanOptions& options) {
    return Planner(seed, options).plan();
}

}  // namespace railyard::soak
