// Gather, scatter and all-to-all in two levels: a node's blocks travel together.

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/collectives/by_node.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/levels.hpp"
#include "mpi/collectives/scratch.hpp"

namespace railyard::mpi::by_node {

namespace {

/// Where the blocks of each node are, all of a node in a row: in units of which a block has `each`.
class Rows {
  public:
    enum class Order : std::uint8_t { by_rank, by_node };

    Rows(const Nodes& nodes, Order order, std::size_t each) {
        std::int64_t next = 0;
        for (int node = 0; node < nodes.count(); ++node) {
            const std::vector<int>& members = nodes.members(node);
            counts_.push_back(static_cast<std::int64_t>(members.size() * each));
            starts_.push_back(
                order == Order::by_node
                    ? next
                    : static_cast<std::int64_t>(static_cast<std::size_t>(members.front()) * each));
            next += counts_.back();
            is_even_ = is_even_ && counts_.back() == counts_.front();
        }
    }

    std::size_t start(int node) const {
        return static_cast<std::size_t>(starts_[static_cast<std::size_t>(node)]);
    }
    /// All nodes have as many ranks.
    bool is_even() const { return is_even_; }
    std::size_t first_count() const { return static_cast<std::size_t>(counts_.front()); }
    Blocks blocks(void* address, const Datatype& type) const {
        return {address, counts_.data(), starts_.data(), type};
    }

  private:
    std::vector<std::int64_t> counts_;
    std::vector<std::int64_t> starts_;
    bool is_even_ = true;
};

/// The root's user data as rows: nodes are in the order of ranks.
Rows rows_in_place(const Nodes& nodes, std::size_t count) {
    return {nodes, Rows::Order::by_rank, count};
}
/// Packed, node after node.
Rows packed_rows(const Nodes& nodes, std::size_t each) {
    return {nodes, Rows::Order::by_node, each};
}

/// Of a root's leader, whose own row is where it belongs.
void gather_rows(Team& leaders, const Rows& rows, void* address, const Datatype& type, int root) {
    if (rows.is_even())
        mpi::gather(leaders, in_place(), {address, rows.first_count(), &type}, root);
    else
        mpi::gatherv(leaders, in_place(), rows.blocks(address, type), root);
}

void scatter_rows(Team& leaders, const Rows& rows, const void* address, const Datatype& type,
                  int root) {
    if (rows.is_even())
        mpi::scatter(leaders, ConstBuffer(address, rows.first_count(), type), in_place(), root);
    else
        mpi::scatterv(leaders, rows.blocks(const_cast<void*>(address), type), in_place(), root);
}

std::span<std::byte> block_of(std::span<std::byte> row, std::size_t number, std::size_t each) {
    return row.subspan(number * each, each);
}

/// Every rank's block in rows by node, of `each` bytes.
template <class Act>
void for_each_block(const Nodes& nodes, const Rows& rows, std::span<std::byte> packed,
                    std::size_t each, const Act& act) {
    for (int node = 0; node < nodes.count(); ++node) {
        const std::vector<int>& members = nodes.members(node);
        for (std::size_t i = 0; i < members.size(); ++i)
            act(members[i], block_of(packed.subspan(rows.start(node)), i, each));
    }
}

void gather_at_root(Team& team, const Levels& levels, const ConstBuffer& mine, const Blocks& all,
                    std::size_t each) {
    const Nodes& nodes = *team.nodes();
    auto within = levels.within();
    auto leaders = levels.among_leaders();
    const Buffer first = all[0];
    if (nodes.are_in_order()) {
        mpi::gather(within, mine, all[nodes.members(levels.node()).front()],
                    levels.leader_within());
        return gather_rows(leaders, rows_in_place(nodes, first.count), first.address, *first.type,
                           levels.node());
    }
    const std::size_t total = static_cast<std::size_t>(team.size()) * each;
    const Rows rows = packed_rows(nodes, each);
    Scratch scratch(team.scratch(), Scratch::room(total));
    const std::span<std::byte> packed = scratch.bytes(total);
    const std::span<std::byte> own = packed.subspan(rows.start(levels.node()));
    mpi::gather(within, mine, as_buffer(own.first(each)), levels.leader_within());
    gather_rows(leaders, rows, packed.data(), *predefined(Basic::byte), levels.node());
    for_each_block(nodes, rows, packed, each, [&](int rank, std::span<std::byte> block) {
        if (rank != team.rank() || !is_in_place(mine)) unpack(team, block, all[rank]);
    });
}

void scatter_at_root(Team& team, const Levels& levels, const ConstBlocks& all, const Buffer& mine,
                     std::size_t each) {
    const Nodes& nodes = *team.nodes();
    auto within = levels.within();
    auto leaders = levels.among_leaders();
    const ConstBuffer first = all[0];
    if (nodes.are_in_order()) {
        scatter_rows(leaders, rows_in_place(nodes, first.count), first.address, *first.type,
                     levels.node());
        return mpi::scatter(within, all[nodes.members(levels.node()).front()], mine,
                            levels.leader_within());
    }
    const std::size_t total = static_cast<std::size_t>(team.size()) * each;
    const Rows rows = packed_rows(nodes, each);
    Scratch scratch(team.scratch(), Scratch::room(total));
    const std::span<std::byte> packed = scratch.bytes(total);
    for_each_block(nodes, rows, packed, each, [&](int rank, std::span<std::byte> block) {
        if (rank != team.rank() || !is_in_place(mine)) pack(team, all[rank], block);
    });
    scatter_rows(leaders, rows, packed.data(), *predefined(Basic::byte), levels.node());
    const std::span<std::byte> own = packed.subspan(rows.start(levels.node()));
    mpi::scatter(within, as_buffer(std::span<const std::byte>(own.first(each))), mine,
                 levels.leader_within());
}

/// From the table of a leader, which has a row for each rank of its node with the blocks in the
/// order of ranks, into messages: for each node, row by row, the blocks for its ranks.
void sort_by_receiver(Team& team, const Levels& levels, std::span<std::byte> table,
                      std::span<std::byte> messages, std::size_t each) {
    const Nodes& nodes = *team.nodes();
    const auto ranks = static_cast<std::size_t>(team.size());
    std::size_t next = 0;
    for (int node = 0; node < nodes.count(); ++node)
        for (std::size_t i = 0; i < levels.members(); ++i)
            for (const int rank : nodes.members(node))
                place(team,
                      as_buffer(block_of(table, i * ranks + static_cast<std::size_t>(rank), each)),
                      as_buffer(block_of(messages, next++, each)));
    team.charge_bytes(messages.size());
}

/// The other way round, of what came: for each node, of each of its ranks the blocks for ours.
void sort_by_sender(Team& team, const Levels& levels, std::span<std::byte> messages,
                    std::span<std::byte> table, std::size_t each) {
    const Nodes& nodes = *team.nodes();
    const auto ranks = static_cast<std::size_t>(team.size());
    std::size_t next = 0;
    for (int node = 0; node < nodes.count(); ++node)
        for (const int rank : nodes.members(node))
            for (std::size_t i = 0; i < levels.members(); ++i)
                place(team, as_buffer(block_of(messages, next++, each)),
                      as_buffer(block_of(table, i * ranks + static_cast<std::size_t>(rank), each)));
    team.charge_bytes(messages.size());
}

}  // namespace

void gather(Team& team, const ConstBuffer& mine, const Blocks& all, int root, std::size_t each) {
    const Levels levels(team, root);
    if (team.rank() == root) return gather_at_root(team, levels, mine, all, each);
    const bool collects = levels.is_leader() && levels.has_others();
    const std::size_t row = collects ? levels.members() * each : 0;
    Scratch scratch(team.scratch(), Scratch::room(row));
    const std::span<std::byte> packed = scratch.bytes(row);
    if (levels.has_others()) {
        auto within = levels.within();
        mpi::gather(within, mine, as_buffer(packed.first(collects ? each : 0)),
                    levels.leader_within());
    }
    if (!levels.is_leader()) return;
    auto leaders = levels.among_leaders();
    const ConstBuffer given = collects ? ConstBuffer(as_buffer(packed)) : mine;
    if (packed_rows(*team.nodes(), each).is_even())
        mpi::gather(leaders, given, nothing(), team.nodes()->node_of(root));
    else
        mpi::gatherv(leaders, given, Blocks(nothing()), team.nodes()->node_of(root));
}

void scatter(Team& team, const ConstBlocks& all, const Buffer& mine, int root, std::size_t each) {
    const Levels levels(team, root);
    if (team.rank() == root) return scatter_at_root(team, levels, all, mine, each);
    const bool hands_out = levels.is_leader() && levels.has_others();
    const std::size_t row = hands_out ? levels.members() * each : 0;
    Scratch scratch(team.scratch(), Scratch::room(row));
    const std::span<std::byte> packed = scratch.bytes(row);
    if (levels.is_leader()) {
        auto leaders = levels.among_leaders();
        const Buffer taken = hands_out ? as_buffer(packed) : mine;
        if (packed_rows(*team.nodes(), each).is_even())
            mpi::scatter(leaders, nothing(), taken, team.nodes()->node_of(root));
        else
            mpi::scatterv(leaders, Blocks(nothing()), taken, team.nodes()->node_of(root));
    }
    if (!levels.has_others()) return;
    auto within = levels.within();
    const std::span<const std::byte> first = packed.first(hands_out ? each : 0);
    mpi::scatter(within, as_buffer(first), mine, levels.leader_within());
}

void alltoall(Team& team, const ConstBlocks& out, const Blocks& in, std::size_t each) {
    const Levels levels(team);
    const Buffer taken = in.range(0, team.size());
    const ConstBuffer given = out.is_in_place() ? ConstBuffer(taken) : out.range(0, team.size());
    auto within = levels.within();
    if (!levels.is_leader()) {
        mpi::gather(within, given, nothing(), 0);
        return mpi::scatter(within, nothing(), taken, 0);
    }
    const std::size_t row = static_cast<std::size_t>(team.size()) * each;
    const std::size_t total = levels.members() * row;
    Scratch scratch(team.scratch(), 2 * Scratch::room(total));
    const std::span<std::byte> table = scratch.bytes(total);
    const std::span<std::byte> messages = scratch.bytes(total);
    mpi::gather(within, given, as_buffer(table.first(row)), 0);
    sort_by_receiver(team, levels, table, messages, each);
    // The table's memory takes what comes, and the messages' the table of the result.
    auto leaders = levels.among_leaders();
    const Rows rows = packed_rows(*team.nodes(), levels.members() * each);
    const Datatype& byte = *predefined(Basic::byte);
    if (rows.is_even())
        mpi::alltoall(leaders, ConstBuffer(messages.data(), rows.first_count(), byte),
                      {table.data(), rows.first_count(), &byte});
    else
        mpi::alltoallv(leaders, rows.blocks(messages.data(), byte),
                       rows.blocks(table.data(), byte));
    sort_by_sender(team, levels, table, messages, each);
    const std::span<const std::byte> first = messages.first(row);
    mpi::scatter(within, as_buffer(first), taken, 0);
}

}  // namespace railyard::mpi::by_node
