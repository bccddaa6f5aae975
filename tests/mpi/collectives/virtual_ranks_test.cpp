// Trees over ranks: every rank has one parent, and children stand in the order of ranks.

#include "mpi/collectives/virtual_ranks.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace railyard::mpi {
namespace {

/// Says who it is, and no more.
class Anybody final : public Team {
  public:
    Anybody(int rank, int size) : Team(rank, size, {}) {}
    void send(const ConstBuffer&, int) override {}
    void receive(const Buffer&, int) override {}
    void exchange(const ConstBuffer&, int, const Buffer&, int) override {}
    void start_send(const ConstBuffer&, int) override {}
    void start_receive(const Buffer&, int) override {}
    void wait_all() override {}
    void charge_bytes(std::size_t) override {}
};

using Make = std::function<Tree(const Team&, int root)>;

class Trees : public testing::TestWithParam<int> {
  protected:
    int ranks() const { return GetParam(); }

    /// The virtual ranks below a rank, its own first, as a reduction would combine them.
    void collect(const Make& make, int root, int rank, std::vector<int>& vranks) const {
        const Tree tree = make(Anybody(rank, ranks()), root);
        vranks.push_back(tree.vrank());
        for (int i = 0; i < tree.children(); ++i) {
            const Tree child = make(Anybody(tree.child(i), ranks()), root);
            EXPECT_EQ(child.parent(), rank);
            EXPECT_EQ(child.vrank(), tree.child_vrank(i));
            EXPECT_FALSE(child.is_root());
            collect(make, root, tree.child(i), vranks);
        }
    }
    void check(const Make& make) const {
        for (const int root : {0, ranks() / 2, ranks() - 1}) {
            std::vector<int> vranks;
            collect(make, root, root, vranks);
            ASSERT_EQ(vranks.size(), static_cast<std::size_t>(ranks()));
            for (int i = 0; i < ranks(); ++i)
                EXPECT_EQ(vranks[static_cast<std::size_t>(i)], i);
        }
    }
};

TEST_P(Trees, HoldAllRanksInOrder) {
    check(Tree::binomial);
    check(Tree::flat);
    check(Tree::two_levels);
}

TEST_P(Trees, BinomialSpansAddUp) {
    for (int rank = 0; rank < ranks(); ++rank) {
        const Tree tree = Tree::binomial(Anybody(rank, ranks()), 0);
        int span = 1;
        for (int i = 0; i < tree.children(); ++i)
            span += tree.child_span(i);
        EXPECT_EQ(tree.span(), span) << rank;
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Trees, testing::Values(1, 2, 3, 4, 5, 7, 8, 13, 16, 49, 200));

TEST(Tree, OfTwoLevelsIsWideAndLow) {
    const Tree root = Tree::two_levels(Anybody(0, 200), 0);
    EXPECT_LE(root.children(), 30);
    const Tree leader = Tree::two_levels(Anybody(root.child(root.children() - 1), 200), 0);
    EXPECT_LE(leader.children(), 15);
}

}  // namespace
}  // namespace railyard::mpi
