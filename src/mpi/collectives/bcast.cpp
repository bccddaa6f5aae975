#include "mpi/collectives/collectives.hpp"

#include <algorithm>
#include <bit>

#include "mpi/collectives/choice.hpp"

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

/// The algorithms that cut the data up work on plain bytes.
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

}  // namespace

void send_down(Team& team, const Tree& tree, const Buffer& data) {
    if (!tree.is_root()) team.receive(data, tree.parent());
    for (int i = tree.children(); i-- > 0;)
        team.start_send(data, tree.child(i));
    team.wait_all();
}

void bcast(Team& team, const Buffer& data, int root) {
    const std::size_t bytes = bytes_of(data);
    if (team.size() == 1 || bytes == 0) return;
    const Algorithm algorithm = choose(Collective::bcast, team, bytes);
    if (algorithm == Algorithm::flat) return send_down(team, Tree::flat(team, root), data);
    if (algorithm == Algorithm::tree) return send_down(team, Tree::two_levels(team, root), data);
    const Tree tree = Tree::binomial(team, root);
    if (algorithm == Algorithm::binomial) return send_down(team, tree, data);

    if (data.type->is_dense())
        return in_pieces(team, algorithm, tree, {data.type->dense_data(data.address), bytes});
    Scratch scratch(team.scratch(), Scratch::room(bytes));
    const std::span<std::byte> packed = scratch.bytes(bytes);
    if (tree.is_root()) pack(team, data, packed);
    in_pieces(team, algorithm, tree, packed);
    if (!tree.is_root()) unpack(team, packed, data);
}

}  // namespace railyard::mpi
