#include "mpi/collectives/collectives.hpp"

#include <bit>
#include <limits>

#include "mpi/collectives/shared.hpp"

namespace railyard::mpi {

namespace {

constexpr int any_ranks = std::numeric_limits<int>::max();
constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

enum class Only : std::uint8_t {
    always,
    shared_cores,
    crowded_node,  ///< the only one, and its cores are shared
    hub,
    hub_of_two,       ///< on cores of their own
    direct_reading,   ///< ranks can read each other's memory
    shared_nodes,     ///< several nodes, with several ranks each
    ordered_nodes,    ///< the same, and nodes are in the order of ranks
    combining_nodes,  ///< the same, or that order does not matter
    power_of_two,
    commutative,
};

/// The first rule that fits is the one.
struct Rule {
    Only only;
    int ranks_to;
    std::size_t bytes_to;
    Algorithm algorithm;
};

using enum Only;
using A = Algorithm;

// Where ranks share cores, each wait of a rank is a switch of processes. In a flat algorithm each
// rank waits once, while rank 0 works for all; beyond some dozens of ranks, leaders share that
// work. Broadcasts and reductions that follow each other are bound by that work: leaders share it
// from the start.
constexpr int flat_to = 48;
// Through a hub nobody waits for one certain rank; where it has no room, the next rule counts. On
// cores of their own, ranks do better to talk to each other.

// Pairwise exchange has half the partners of dissemination, hence half the connections, but costs
// two rounds more where ranks are not a power of two.
constexpr Rule barrier_rules[] = {
    {hub, any_ranks, any_bytes, A::shared},
    {shared_nodes, any_ranks, any_bytes, A::by_node},
    {shared_cores, flat_to, any_bytes, A::flat},
    {shared_cores, any_ranks, any_bytes, A::tree},
    {power_of_two, any_ranks, any_bytes, A::pairwise},
    {always, any_ranks, any_bytes, A::dissemination},
};

// A tree sends all bytes log2(ranks) times; scatter and allgather about twice; a chain once, after
// a start of a segment a rank. On a crowded node no link is the bottleneck, and what a rank must
// wait for counts: all receivers take the data from the root itself.
constexpr Rule bcast_rules[] = {
    {direct_reading, any_ranks, any_bytes, A::direct},
    {hub, any_ranks, any_bytes, A::shared},
    {shared_nodes, any_ranks, 512 * KiB, A::by_node},
    {shared_cores, any_ranks, 8 * KiB, A::tree},
    {crowded_node, flat_to, any_bytes, A::flat},
    {always, 2, any_bytes, A::binomial},
    {always, any_ranks, 12 * KiB, A::binomial},
    {always, 8, MiB, A::scatter_ring},
    {always, 8, any_bytes, A::chain},
    {power_of_two, any_ranks, 512 * KiB, A::scatter_doubling},
    {always, 64, 16 * MiB, A::scatter_ring},
    {always, 64, any_bytes, A::chain},
    {always, any_ranks, any_bytes, A::scatter_ring},
};

// A tree saves the root messages, and costs every byte up to log2(ranks) copies.
constexpr Rule gather_rules[] = {
    {hub, any_ranks, any_bytes, A::shared},      {shared_nodes, any_ranks, 2 * KiB, A::by_node},
    {shared_cores, flat_to, any_bytes, A::flat}, {always, any_ranks, 2 * KiB, A::binomial},
    {always, any_ranks, any_bytes, A::flat},
};

constexpr Rule gatherv_rules[] = {{always, any_ranks, any_bytes, A::flat}};

constexpr Rule allgather_rules[] = {
    {direct_reading, any_ranks, any_bytes, A::direct},
    {hub, any_ranks, any_bytes, A::shared},
    {ordered_nodes, any_ranks, 4 * KiB, A::by_node},
    {shared_cores, flat_to, KiB, A::flat},
    {power_of_two, any_ranks, 8 * KiB, A::recursive_doubling},
    {always, any_ranks, KiB, A::bruck},
    {always, 2, any_bytes, A::linear},
    {crowded_node, flat_to, any_bytes, A::linear},
    {always, any_ranks, any_bytes, A::ring},
};

constexpr Rule allgatherv_rules[] = {
    {shared_cores, flat_to, 32 * KiB, A::flat}, {always, any_ranks, 64 * KiB, A::bruck},
    {always, 2, any_bytes, A::linear},          {crowded_node, flat_to, any_bytes, A::linear},
    {always, any_ranks, any_bytes, A::ring},
};

// Of alltoall: where blocks go straight to their ranks (see bruck_radix). One partner at a time
// keeps large blocks out of each other's way.
constexpr Rule alltoall_rules[] = {
    {direct_reading, any_ranks, any_bytes, A::direct}, {hub, any_ranks, any_bytes, A::shared},
    {shared_cores, any_ranks, any_bytes, A::linear},   {always, any_ranks, 32 * KiB, A::linear},
    {always, any_ranks, any_bytes, A::pairwise},
};

// Before Bruck's: a leader copies the blocks of all its node's ranks for all, and twice. That pays
// for a number each, of not too many ranks, where a node has enough of them to save messages.
constexpr Rule alltoall_by_leaders = {shared_nodes, 128, 8, A::by_node};
constexpr int full_node = 3;

constexpr Rule alltoallv_rules[] = {{always, any_ranks, any_bytes, A::linear}};

constexpr Rule reduce_rules[] = {
    {direct_reading, any_ranks, any_bytes, A::direct},
    {hub, any_ranks, any_bytes, A::shared},
    {combining_nodes, any_ranks, 64 * KiB, A::by_node},
    {shared_cores, any_ranks, KiB, A::tree},
    {always, 3, any_bytes, A::binomial},
    {crowded_node, 4, 512 * KiB, A::flat},
    {always, any_ranks, 8 * KiB, A::binomial},
    {crowded_node, flat_to, 32 * KiB, A::binomial},
    {crowded_node, flat_to, 512 * KiB, A::flat},
    {crowded_node, flat_to, any_bytes, A::binomial},
    {always, any_ranks, any_bytes, A::rabenseifner},
};

constexpr Rule allreduce_rules[] = {
    {hub, any_ranks, any_bytes, A::shared},
    {combining_nodes, any_ranks, 8 * KiB, A::by_node},
    {shared_cores, flat_to, KiB, A::flat},
    {shared_cores, any_ranks, KiB, A::tree},
    {always, any_ranks, 4 * KiB, A::recursive_doubling},
    {hub_of_two, any_ranks, any_bytes, A::shared},
    {always, 2, 64 * KiB, A::recursive_doubling},
    {always, 2, any_bytes, A::linear},
    {crowded_node, 4, any_bytes, A::linear},
    {crowded_node, flat_to, 128 * KiB, A::rabenseifner},
    {crowded_node, flat_to, any_bytes, A::linear},
    {always, any_ranks, 512 * KiB, A::rabenseifner},
    {power_of_two, any_ranks, any_bytes, A::rabenseifner},
    {commutative, 64, any_bytes, A::ring},
    {always, any_ranks, any_bytes, A::rabenseifner},
};

constexpr Rule reduce_scatter_rules[] = {
    {commutative, any_ranks, 512 * KiB, A::recursive_halving},
    {always, any_ranks, 2 * KiB, A::reduce_scatter},
    {always, any_ranks, any_bytes, A::pairwise},
};

constexpr Rule scan_rules[] = {
    {shared_cores, flat_to, any_bytes, A::linear},
    {always, any_ranks, any_bytes, A::recursive_doubling},
};

std::span<const Rule> rules_of(Collective collective) {
    switch (collective) {
        case Collective::barrier:
            return barrier_rules;
        case Collective::bcast:
            return bcast_rules;
        case Collective::gather:
        case Collective::scatter:
            return gather_rules;
        case Collective::gatherv:
        case Collective::scatterv:
            return gatherv_rules;
        case Collective::allgather:
            return allgather_rules;
        case Collective::allgatherv:
            return allgatherv_rules;
        case Collective::alltoall:
            return alltoall_rules;
        case Collective::alltoallv:
        case Collective::alltoallw:
            return alltoallv_rules;
        case Collective::reduce:
            return reduce_rules;
        case Collective::allreduce:
            return allreduce_rules;
        case Collective::reduce_scatter:
        case Collective::reduce_scatter_block:
            return reduce_scatter_rules;
        case Collective::scan:
        case Collective::exscan:
            return scan_rules;
    }
    return {};
}

bool holds(Only only, const Situation& situation) {
    switch (only) {
        case always:
            return true;
        case shared_cores:
            return situation.circumstances.shares_cores;
        case crowded_node:
            return situation.circumstances.shares_cores && situation.circumstances.one_node;
        case hub:
            return situation.circumstances.shares_cores && situation.circumstances.has_hub &&
                   situation.ranks > 1;
        case hub_of_two:
            return !situation.circumstances.shares_cores && situation.circumstances.has_hub &&
                   situation.ranks == 2;
        case direct_reading:
            return situation.circumstances.reads_directly && situation.ranks > 1;
        case shared_nodes:
            return situation.circumstances.shares_nodes;
        case ordered_nodes:
            return situation.circumstances.shares_nodes && situation.circumstances.nodes_in_order;
        case combining_nodes:
            return situation.circumstances.shares_nodes &&
                   (situation.circumstances.nodes_in_order || situation.commutative);
        case power_of_two:
            return std::has_single_bit(static_cast<unsigned>(situation.ranks));
        case commutative:
            return situation.commutative;
    }
    return false;
}

/// Beyond serves(): what could go so, and is better sent otherwise, does.
bool is_worth_it(Algorithm algorithm, Collective collective, const Situation& situation) {
    return algorithm != Algorithm::direct ||
           shared::goes_directly(collective, situation.ranks, situation.bytes,
                                 situation.circumstances.shares_cores);
}

bool fits(const Rule& rule, Collective collective, const Situation& situation) {
    return is_worth_it(rule.algorithm, collective, situation) && situation.ranks <= rule.ranks_to &&
           situation.bytes <= rule.bytes_to && holds(rule.only, situation) &&
           serves(collective, rule.algorithm, situation);
}

/// What things cost, in bytes that could be sent in the time.
struct Costs {
    double message;
    double wait;  ///< for a round's messages, beyond them
    double copy;  ///< of one byte that goes by way of another rank, in and out
};

Costs costs_in(const Circumstances& circumstances) {
    if (circumstances.shares_cores) return {1024, 16384, 1};
    if (circumstances.one_node) return {1024, 1024, 1};
    return {4096, 4096, 0.25};
}

/// Rounds until radix^rounds reaches the ranks.
int rounds_of(int ranks, int radix) {
    int rounds = 0;
    for (std::int64_t reach = 1; reach < ranks; reach *= radix)
        ++rounds;
    return rounds;
}

double cost_of(int ranks, double bytes, int radix, const Costs& costs) {
    const double rounds = rounds_of(ranks, radix);
    const double messages = rounds > 1 ? rounds * (radix - 1) : ranks - 1;
    const double moved =
        rounds > 1 ? rounds * bytes * ranks * (radix - 1) / radix : bytes * (ranks - 1);
    const double copied = rounds > 1 ? moved : 0;
    return messages * costs.message + rounds * costs.wait + moved + copied * costs.copy;
}

/// The least radix with which so many rounds suffice: of a power of two of ranks, a power of two,
/// since then one sends to those from whom one receives.
int least_radix(int ranks, int rounds) {
    int radix = 2;
    while (rounds_of(ranks, radix) > rounds)
        ++radix;
    const bool doubles = std::has_single_bit(static_cast<unsigned>(ranks));
    return doubles ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(radix))) : radix;
}

/// By the user's wish or by the rules.
Algorithm choose_for(Collective collective, const Team& team, Situation situation) {
    const Algorithm asked = team.algorithms()[collective];
    if (asked != Algorithm::automatic && serves(collective, asked, situation)) return asked;
    if (collective == Collective::alltoall && team.nodes() != nullptr &&
        team.size() < full_node * team.nodes()->count())
        situation.circumstances.shares_nodes = false;
    return choose(collective, situation);
}

/// As was chosen the last time, or as `choose` says; and the watch is told.
template <class Choose>
Algorithm choose_once(Collective collective, const Team& team, std::size_t bytes,
                      std::uint8_t reduction, Choose&& choose) {
    Choice& last = team.last_choice(collective);
    if (!last.is_made || last.bytes != bytes || last.reduction != reduction)
        last = {bytes, reduction, true, choose()};
    if (ChoiceWatch* const watch = team.choice_watch()) watch->chose(collective, last.algorithm);
    return last.algorithm;
}

}  // namespace

bool serves(Collective collective, Algorithm algorithm, const Situation& situation) {
    const bool keeps_order =
        !(collective == Collective::allreduce && algorithm == Algorithm::ring) &&
        algorithm != Algorithm::recursive_halving;
    if (algorithm == Algorithm::by_node)
        return holds(collective == Collective::allgather ? ordered_nodes : combining_nodes,
                     situation);
    if (algorithm == Algorithm::direct)
        return holds(direct_reading, situation) &&
               (collective != Collective::reduce || situation.ranks == 2);
    if (algorithm == Algorithm::shared)
        return (situation.circumstances.has_hub &&
                shared::fits(collective, situation.ranks, situation.bytes)) ||
               (situation.circumstances.has_wide_hub &&
                shared::goes_in_segments(collective, situation.ranks, situation.bytes));
    return keeps_order || situation.commutative;
}

Algorithm choose(Collective collective, const Situation& situation) {
    const bool meets =
        (holds(hub, situation) && serves(collective, Algorithm::shared, situation)) ||
        (holds(direct_reading, situation) && is_worth_it(Algorithm::direct, collective, situation));
    if (collective == Collective::alltoall && !meets &&
        fits(alltoall_by_leaders, collective, situation))
        return Algorithm::by_node;
    if (collective == Collective::alltoall && !meets &&
        bruck_radix(situation.ranks, situation.bytes, situation.circumstances) < situation.ranks)
        return Algorithm::bruck;
    Algorithm chosen = Algorithm::automatic;
    for (const Rule& rule : rules_of(collective)) {
        chosen = rule.algorithm;
        if (fits(rule, collective, situation)) break;
    }
    return chosen;
}

Algorithm choose(Collective collective, const Team& team, std::size_t bytes) {
    return choose_once(collective, team, bytes, 0, [&] {
        return choose_for(collective, team, {team.size(), bytes, team.circumstances()});
    });
}

Algorithm choose(Collective collective, const Team& team, const ConstBuffer& data,
                 const Operation& operation) {
    const std::size_t bytes = data.count * data.type->size();
    const bool commutes = operation.is_commutative();
    const bool has_few_gaps = data.type->is_predefined();
    const bool has_none = has_few_gaps && data.type->is_dense();
    const auto reduction =
        static_cast<std::uint8_t>((commutes ? 1 : 0) | (has_few_gaps ? 2 : 0) | (has_none ? 4 : 0));
    return choose_once(collective, team, bytes, reduction, [&] {
        Situation situation{team.size(), bytes, team.circumstances(), commutes};
        Circumstances& c = situation.circumstances;
        if (!has_few_gaps) c.has_hub = c.has_wide_hub = false;
        if (!has_none) c.reads_directly = false;
        return choose_for(collective, team, situation);
    });
}

int bruck_radix(int ranks, std::size_t bytes, const Circumstances& circumstances) {
    if (ranks < 4) return ranks;
    const Costs costs = costs_in(circumstances);
    int best = ranks;
    double best_cost = cost_of(ranks, static_cast<double>(bytes), ranks, costs);
    for (int rounds = 2; rounds <= rounds_of(ranks, 2); ++rounds) {
        const int radix = least_radix(ranks, rounds);
        const double cost = cost_of(ranks, static_cast<double>(bytes), radix, costs);
        if (cost < best_cost) {
            best = radix;
            best_cost = cost;
        }
    }
    return best;
}

}  // namespace railyard::mpi
