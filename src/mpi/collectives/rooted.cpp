// Broadcast, gather and scatter: between a root and all.

#include <algorithm>
#include <bit>

#include "mpi/collectives/by_node.hpp"
#include "mpi/collectives/collectives.hpp"
#include "mpi/collectives/inter.hpp"
#include "mpi/collectives/shared.hpp"

namespace railyard::mpi {

namespace {

/// Large data cut into one part for each rank, by bytes, since types and counts may differ between
/// ranks. Parts are numbered by virtual ranks.
class Parts {
  public:
    Parts(const Team& team, std::span<std::byte> data)
        : data_(data),
          ranks_(team.size()),
          each_((data.size() + static_cast<std::size_t>(ranks_) - 1) /
                static_cast<std::size_t>(ranks_)) {}

    /// `count` parts from number `first` on; those beyond the end are empty.
    Buffer range(int first, int count) const {
        const std::size_t from = std::min(static_cast<std::size_t>(first) * each_, data_.size());
        const std::size_t to =
            std::min(from + static_cast<std::size_t>(count) * each_, data_.size());
        return as_buffer(data_.subspan(from, to - from));
    }

  private:
    std::span<std::byte> data_;
    int ranks_;
    std::size_t each_;
};

void send_parts_down(Team& team, const Tree& tree, const Parts& parts) {
    if (!tree.is_root()) team.receive(parts.range(tree.vrank(), tree.span()), tree.parent());
    for (int i = tree.children(); i-- > 0;)
        team.start_send(parts.range(tree.child_vrank(i), tree.child_span(i)), tree.child(i));
    team.wait_all();
}

void double_parts(Team& team, const Tree& tree, const Parts& parts) {
    for (int bit = 1; bit < team.size(); bit *= 2) {
        const int partner = tree.vrank() ^ bit;
        const int mine = tree.vrank() & ~(bit - 1);
        const int theirs = partner & ~(bit - 1);
        team.exchange(parts.range(mine, bit), tree.rank_at(partner), parts.range(theirs, bit),
                      tree.rank_at(partner));
    }
}

/// Long enough that a message's cost does not count, short enough that the chain fills soon.
constexpr std::size_t segment = 64 << 10;

void pass_along(Team& team, const Tree& tree, std::span<std::byte> data) {
    const bool has_next = tree.vrank() + 1 < team.size();
    const int next = has_next ? tree.rank_at(tree.vrank() + 1) : 0;
    const int previous = tree.is_root() ? 0 : tree.rank_at(tree.vrank() - 1);
    const auto piece = [&](std::size_t at) {
        return as_buffer(data.subspan(at, std::min(segment, data.size() - at)));
    };
    if (!tree.is_root()) team.receive(piece(0), previous);
    for (std::size_t at = 0; at < data.size(); at += segment) {
        if (!tree.is_root() && at + segment < data.size())
            team.start_receive(piece(at + segment), previous);
        if (has_next) team.start_send(piece(at), next);
        team.wait_all();
    }
}

/// Of the algorithms that work on plain bytes: the data in one row, on the root before, on the
/// others after `move`.
template <class Move>
void as_bytes(Team& team, const Buffer& data, bool is_root, const Move& move) {
    const std::size_t bytes = bytes_of(data);
    if (data.type->is_dense()) return move(std::span(data.type->dense_data(data.address), bytes));
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    if (is_root) pack(team, data, packed);
    move(packed);
    if (!is_root) unpack(team, packed, data);
}

/// The algorithms that cut the data up.
void in_pieces(Team& team, Algorithm algorithm, const Tree& tree, std::span<std::byte> data) {
    if (algorithm == Algorithm::chain) return pass_along(team, tree, data);
    const Parts parts(team, data);
    send_parts_down(team, tree, parts);
    const bool doubles = std::has_single_bit(static_cast<unsigned>(team.size()));
    if (algorithm == Algorithm::scatter_doubling && doubles)
        double_parts(team, tree, parts);
    else
        pass_round(team, tree, [&](int number) { return parts.range(number, 1); });
}

/// The bytes of the child's subtree within which the user's ranks begin again at 0; 0: there is
/// none. Its blocks are not in a row at the root.
std::size_t split_bytes(const Team& team, const Tree& tree, std::size_t each) {
    std::size_t split = 0;
    for (int i = 0; i < tree.children(); ++i)
        if (tree.child(i) + tree.child_span(i) > team.size())
            split = static_cast<std::size_t>(tree.child_span(i)) * each;
    return split;
}

/// The blocks of a child's subtree among those of one's own.
Buffer child_blocks(std::span<std::byte> packed, const Tree& tree, int i, std::size_t each) {
    return as_buffer(packed.subspan((std::size_t{1} << i) * each,
                                    static_cast<std::size_t>(tree.child_span(i)) * each));
}

/// The root receives a subtree's blocks as one message: into place, or into scratch
/// where they are split.
void gather_at_root(Team& team, const Tree& tree, const Blocks& all, std::size_t each) {
    const std::size_t split = split_bytes(team, tree, each);
    Scratch scratch(team.scratch(), Scratch::room(split));
    const std::span<std::byte> packed = scratch.bytes(split);
    int unpack_from = -1;
    for (int i = 0; i < tree.children(); ++i) {
        const int first = tree.child(i);
        if (first + tree.child_span(i) <= team.size()) {
            team.start_receive(all.range(first, tree.child_span(i)), first);
        } else {
            team.start_receive(as_buffer(packed), first);
            unpack_from = first;
        }
    }
    team.wait_all();
    if (unpack_from < 0) return;
    const int before = team.size() - unpack_from;
    const std::size_t bytes = static_cast<std::size_t>(before) * each;
    unpack(team, packed.first(bytes), all.range(unpack_from, before));
    unpack(team, packed.subspan(bytes), all.range(0, static_cast<int>((split - bytes) / each)));
}

void gather_binomial(Team& team, const ConstBuffer& mine, const Blocks& all, int root,
                     std::size_t each) {
    const Tree tree = Tree::binomial(team, root);
    if (tree.is_root()) return gather_at_root(team, tree, all, each);
    if (tree.children() == 0) return team.send(mine, tree.parent());
    const std::size_t bytes = static_cast<std::size_t>(tree.span()) * each;
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    for (int i = 0; i < tree.children(); ++i)
        team.start_receive(child_blocks(packed, tree, i, each), tree.child(i));
    pack(team, mine, packed.first(each));
    team.wait_all();
    team.send(as_buffer(packed), tree.parent());
}

/// The root sends a subtree's blocks as one message: from where they are, or packed
/// where they are split.
void scatter_at_root(Team& team, const Tree& tree, const ConstBlocks& all, std::size_t each) {
    const std::size_t split = split_bytes(team, tree, each);
    Scratch scratch(team.scratch(), Scratch::room(split));
    const std::span<std::byte> packed = scratch.bytes(split);
    for (int i = tree.children(); i-- > 0;) {
        const int first = tree.child(i);
        const int span = tree.child_span(i);
        if (first + span <= team.size()) {
            team.start_send(all.range(first, span), first);
            continue;
        }
        const int before = team.size() - first;
        const std::size_t bytes = static_cast<std::size_t>(before) * each;
        pack(team, all.range(first, before), packed.first(bytes));
        pack(team, all.range(0, span - before), packed.subspan(bytes));
        team.start_send(as_buffer(packed), first);
    }
    team.wait_all();
}

void scatter_binomial(Team& team, const ConstBlocks& all, const Buffer& mine, int root,
                      std::size_t each) {
    const Tree tree = Tree::binomial(team, root);
    if (tree.is_root()) return scatter_at_root(team, tree, all, each);
    if (tree.children() == 0) return team.receive(mine, tree.parent());
    const std::size_t bytes = static_cast<std::size_t>(tree.span()) * each;
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    team.receive(as_buffer(packed), tree.parent());
    for (int i = tree.children(); i-- > 0;)
        team.start_send(child_blocks(packed, tree, i, each), tree.child(i));
    unpack(team, packed.first(each), mine);
    team.wait_all();
}

/// Every block straight from the root. Empty ones are not sent.
void scatter_flat(Team& team, const ConstBlocks& all, const Buffer& mine, int root) {
    if (team.rank() != root) {
        if (bytes_of(mine) > 0) team.receive(mine, root);
        return;
    }
    for (int i = 1; i < team.size(); ++i) {
        const int to = (root + i) % team.size();
        const ConstBuffer block = all[to];
        if (bytes_of(block) > 0) team.start_send(block, to);
    }
    if (!is_in_place(mine)) copy(team, all[root], mine);
    team.wait_all();
}

}  // namespace

void send_down(Team& team, const Tree& tree, const Buffer& data) {
    if (!tree.is_root()) team.receive(data, tree.parent());
    for (int i = tree.children(); i-- > 0;)
        team.start_send(data, tree.child(i));
    team.wait_all();
}

void bcast(Team& team, const Buffer& data, int root) {
    if (team.is_divided()) [[unlikely]]
        return inter::bcast(team, data, root);
    const std::size_t bytes = bytes_of(data);
    if (team.size() == 1 || bytes == 0) return;
    if (team.algorithms()[Collective::bcast] == Algorithm::automatic &&
        team.has_network_broadcast())
        return as_bytes(team, data, team.rank() == root,
                        [&](std::span<std::byte> row) { team.network_broadcast(row, root); });
    const Algorithm algorithm = choose(Collective::bcast, team, bytes);
    if (algorithm == Algorithm::direct) {
        if (shared::bcast_directly(team, data, root)) return;
        const Otherwise otherwise(team);
        return send_down(
            team, team.size() == 2 ? Tree::binomial(team, root) : Tree::flat(team, root), data);
    }
    if (algorithm == Algorithm::shared) return shared::bcast(team, data, root);
    if (algorithm == Algorithm::by_node) return by_node::bcast(team, data, root);
    if (algorithm == Algorithm::flat) return send_down(team, Tree::flat(team, root), data);
    if (algorithm == Algorithm::tree) return send_down(team, Tree::two_levels(team, root), data);
    const Tree tree = Tree::binomial(team, root);
    if (algorithm == Algorithm::binomial) return send_down(team, tree, data);
    as_bytes(team, data, tree.is_root(),
             [&](std::span<std::byte> row) { in_pieces(team, algorithm, tree, row); });
}

void gather_flat(Team& team, const ConstBuffer& mine, const Blocks& all, int root) {
    if (team.rank() != root) {
        if (bytes_of(mine) > 0) team.send(mine, root);
        return;
    }
    for (int i = 1; i < team.size(); ++i) {
        const int from = (root + i) % team.size();
        const Buffer block = all[from];
        if (bytes_of(block) > 0) team.start_receive(block, from);
    }
    if (!is_in_place(mine)) copy(team, mine, all[root]);
    team.wait_all();
}

void gather(Team& team, const ConstBuffer& mine, const Buffer& all, int root) {
    if (team.is_divided()) [[unlikely]]
        return inter::gather(team, mine, all, root);
    const bool is_root = team.rank() == root;
    const std::size_t each = is_root ? bytes_of(all) : bytes_of(mine);
    if (each == 0) return;
    const Blocks blocks(all);
    const Algorithm algorithm = choose(Collective::gather, team, each);
    if (algorithm == Algorithm::shared) return shared::gather(team, mine, all, root);
    if (algorithm == Algorithm::by_node) return by_node::gather(team, mine, blocks, root, each);
    if (algorithm == Algorithm::flat) return gather_flat(team, mine, blocks, root);
    if (is_root && !is_in_place(mine)) copy(team, mine, blocks[root]);
    gather_binomial(team, mine, blocks, root, each);
}

// No tree: who passes blocks on would have to know their lengths, which the root alone does.
void gatherv(Team& team, const ConstBuffer& mine, const Blocks& all, int root) {
    if (team.is_divided()) [[unlikely]]
        return inter::gatherv(team, mine, all, root);
    gather_flat(team, mine, all, root);
}

void scatter(Team& team, const ConstBuffer& all, const Buffer& mine, int root) {
    if (team.is_divided()) [[unlikely]]
        return inter::scatter(team, all, mine, root);
    const bool is_root = team.rank() == root;
    const std::size_t each = is_root ? bytes_of(all) : bytes_of(mine);
    if (each == 0) return;
    const ConstBlocks blocks(all);
    const Algorithm algorithm = choose(Collective::scatter, team, each);
    if (algorithm == Algorithm::shared) return shared::scatter(team, all, mine, root);
    if (algorithm == Algorithm::by_node) return by_node::scatter(team, blocks, mine, root, each);
    if (algorithm == Algorithm::flat) return scatter_flat(team, blocks, mine, root);
    if (is_root && !is_in_place(mine)) copy(team, blocks[root], mine);
    scatter_binomial(team, blocks, mine, root, each);
}

void scatterv(Team& team, const ConstBlocks& all, const Buffer& mine, int root) {
    if (team.is_divided()) [[unlikely]]
        return inter::scatterv(team, all, mine, root);
    scatter_flat(team, all, mine, root);
}

}  // namespace railyard::mpi
