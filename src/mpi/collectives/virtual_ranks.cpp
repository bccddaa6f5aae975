#include "mpi/collectives/virtual_ranks.hpp"

namespace railyard::mpi {

Tree Tree::two_levels(const Team& team, int root) {
    int width = 1;
    while (width < team.size() / width)
        ++width;
    return Tree(team, root, width);
}

Tree::Tree(const Team& team, int root, int width)
    : size_(team.size()),
      root_(root),
      width_(width),
      vrank_((team.rank() - root + team.size()) % team.size()),
      children_(count_children()) {}

int Tree::parent_vrank() const {
    if (width_ == 0) return vrank_ - reach();
    const int leader = vrank_ - vrank_ % width_;
    return vrank_ == leader ? 0 : leader;
}

int Tree::count_children() const {
    if (width_ == 0) {
        const auto beyond = static_cast<unsigned>(std::min(reach(), size_ - vrank_) - 1);
        return static_cast<int>(std::bit_width(beyond));
    }
    if (vrank_ % width_ != 0) return 0;
    const int members = std::min(width_, size_ - vrank_) - 1;
    const int leaders = vrank_ == 0 ? (size_ - 1) / width_ : 0;
    return members + leaders;
}

int Tree::child_vrank(int i) const {
    if (width_ == 0) return vrank_ + (1 << i);
    const int members = std::min(width_, size_ - vrank_) - 1;
    return i < members ? vrank_ + 1 + i : (i - members + 1) * width_;
}

}  // namespace railyard::mpi
