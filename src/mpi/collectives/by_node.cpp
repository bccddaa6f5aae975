#include "mpi/collectives/by_node.hpp"

#include <cstdint>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/levels.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi::by_node {

namespace {

ConstBuffer as_given(const ConstBuffer& data, const Buffer& result) {
    return data.address == result.address ? ConstBuffer(in_place()) : data;
}

}  // namespace

void barrier(Team& team) {
    const Levels levels(team);
    auto within = levels.within();
    const Tree tree = Tree::flat(within, 0);
    wait_for_all(within, tree);
    if (levels.is_leader()) {
        auto leaders = levels.among_leaders();
        mpi::barrier(leaders);
    }
    send_down(within, tree, nothing());
}

void bcast(Team& team, const Buffer& data, int root) {
    const Levels levels(team, root);
    if (levels.is_leader()) {
        auto leaders = levels.among_leaders();
        mpi::bcast(leaders, data, team.nodes()->node_of(root));
    }
    auto within = levels.within();
    mpi::bcast(within, data, levels.leader_within());
}

void reduce(Team& team, const ConstBuffer& data, const Buffer& result, const Operation& operation,
            int root) {
    const Levels levels(team, root);
    const bool is_root = team.rank() == root;
    const bool keeps = levels.is_leader() && levels.has_others() && !is_root;
    Scratch scratch(team.scratch(), keeps ? Scratch::room(data.count, *data.type) : 0);
    const Buffer total = keeps ? scratch.elements(data.count, *data.type) : result;
    if (levels.has_others()) {
        auto within = levels.within();
        mpi::reduce(within, is_root ? as_given(data, result) : data, total, operation,
                    levels.leader_within());
    }
    if (!levels.is_leader()) return;
    auto leaders = levels.among_leaders();
    const int node = team.nodes()->node_of(root);
    if (!levels.has_others())
        mpi::reduce(leaders, is_root ? as_given(data, result) : data, result, operation, node);
    else
        mpi::reduce(leaders, is_root ? ConstBuffer(in_place()) : ConstBuffer(total), result,
                    operation, node);
}

void allreduce(Team& team, const ConstBuffer& data, const Buffer& result,
               const Operation& operation) {
    const Levels levels(team);
    auto within = levels.within();
    const bool is_leader = levels.is_leader();
    if (levels.has_others())
        mpi::reduce(within, is_leader ? as_given(data, result) : data, result, operation, 0);
    if (is_leader) {
        auto leaders = levels.among_leaders();
        mpi::allreduce(leaders,
                       levels.has_others() ? ConstBuffer(in_place()) : as_given(data, result),
                       result, operation);
    }
    mpi::bcast(within, result, 0);
}

void allgather(Team& team, const ConstBuffer& mine, const Blocks& all) {
    const Levels levels(team);
    const Nodes& nodes = *team.nodes();
    const int ranks = team.size();
    auto within = levels.within();
    const bool is_leader = levels.is_leader();
    const ConstBuffer own = is_in_place(mine) && !is_leader ? ConstBuffer(all[team.rank()]) : mine;
    mpi::gather(within, own, all[team.rank()], 0);
    if (is_leader) {
        auto leaders = levels.among_leaders();
        const std::size_t each = all[0].count;
        std::vector<std::int64_t> counts;
        std::vector<std::int64_t> displacements;
        for (int node = 0; node < nodes.count(); ++node) {
            counts.push_back(static_cast<std::int64_t>(nodes.members(node).size() * each));
            displacements.push_back(static_cast<std::int64_t>(
                static_cast<std::size_t>(nodes.members(node).front()) * each));
        }
        mpi::allgatherv(leaders, in_place(),
                        Blocks(all[0].address, counts.data(), displacements.data(), *all[0].type));
    }
    mpi::bcast(within, all.range(0, ranks), 0);
}

}  // namespace railyard::mpi::by_node
