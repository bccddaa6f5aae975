// Types by chance on their way between ranks, held against the naive oracle: what one rank sends by
// a type comes as the bytes of its type map, and bytes land where the type says.

#include "mpi/abi/random_trees.hpp"

#include <vector>

#include "mpi/abi/windows.hpp"

namespace railyard::mpi {
namespace {

using RandomTreesOnTheWay = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(RandomTreesOnTheWay);

TEST_P(RandomTreesOnTheWay, AreSentAndReceivedAsTheTypeMapSays) {
    run(2, [](int rank, int) {
        std::size_t received = 0;
        for_trees(0, 300, [&](const Tree& tree, std::uint64_t seed) {
            const auto& places = tree.places;
            Field field(places, seed);
            const std::vector<std::byte> stream = field.stream(places);
            const bool overlaps = tree.overlaps();
            if (rank == 0) {
                MPI_Send(field.address(), tree.count, tree.type, 1, 0, MPI_COMM_WORLD);
                if (!overlaps)
                    MPI_Send(stream.data(), tree.length(), MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                return;
            }
            std::vector<std::byte> bytes(stream.size());
            MPI_Recv(bytes.data(), tree.length(), MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            EXPECT_TRUE(bytes == stream);
            if (overlaps) return;
            Field other(places, seed + 1);
            Field expected(places, seed + 1);
            expected.put(places, stream.data());
            MPI_Recv(other.address(), tree.count, tree.type, 0, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            EXPECT_TRUE(other.bytes == expected.bytes);
            ++received;
        });
        if (rank == 1) {
            EXPECT_GT(received, 50U);
        }
    });
}

// Each rank sends by the type, and gets bytes.
TEST_P(RandomTreesOnTheWay, AreCollectedAsTheTypeMapSays) {
    constexpr int ranks = 3;
    run(ranks, [](int rank, int) {
        for_trees(1000, 40, [&](const Tree& tree, std::uint64_t seed) {
            const auto length = static_cast<std::size_t>(tree.length());
            const auto field_of = [&](int who) {
                return Field(tree.places, seed * ranks + static_cast<std::uint64_t>(who));
            };
            const int root = static_cast<int>(seed % ranks);
            std::vector<std::byte> bytes(length);
            Field mine = field_of(rank);
            const std::vector<std::byte> roots = field_of(root).stream(tree.places);
            if (rank == root)
                MPI_Bcast(mine.address(), tree.count, tree.type, root, MPI_COMM_WORLD);
            else
                MPI_Bcast(bytes.data(), tree.length(), MPI_BYTE, root, MPI_COMM_WORLD);
            EXPECT_TRUE(rank == root || bytes == roots);

            std::vector<std::byte> expected;
            for (int who = 0; who < ranks; ++who) {
                const std::vector<std::byte> theirs = field_of(who).stream(tree.places);
                expected.insert(expected.end(), theirs.begin(), theirs.end());
            }
            std::vector<std::byte> all(ranks * length);
            MPI_Allgather(mine.address(), tree.count, tree.type, all.data(), tree.length(),
                          MPI_BYTE, MPI_COMM_WORLD);
            EXPECT_TRUE(all == expected);
            all.assign(ranks * length, std::byte{0});
            MPI_Gather(mine.address(), tree.count, tree.type, all.data(), tree.length(), MPI_BYTE,
                       root, MPI_COMM_WORLD);
            EXPECT_TRUE(rank != root || all == expected);
        });
    });
}

// Blocks for all ranks lie in one array of elements, by the type's extent.
TEST_P(RandomTreesOnTheWay, AreDealtOutAsTheTypeMapSays) {
    constexpr int ranks = 3;
    run(ranks, [](int rank, int) {
        for_trees(2000, 40, [&](const Tree& tree, std::uint64_t seed) {
            const auto length = static_cast<std::size_t>(tree.length());
            const auto places =
                tree.twin.naive.stream(static_cast<std::size_t>(tree.count) * ranks);
            Tree whole{tree.twin, tree.type, tree.count * ranks, places};
            const auto stream_of = [&](int who) {
                return Field(places, seed * ranks + static_cast<std::uint64_t>(who)).stream(places);
            };
            const auto block_of = [&](int who, int block) {
                const std::vector<std::byte> all = stream_of(who);
                const auto from = all.begin() + static_cast<std::ptrdiff_t>(length) * block;
                return std::vector<std::byte>(from, from + static_cast<std::ptrdiff_t>(length));
            };
            Field mine(places, seed * ranks + static_cast<std::uint64_t>(rank));
            std::vector<std::byte> expected;
            for (int who = 0; who < ranks; ++who) {
                const std::vector<std::byte> theirs = block_of(who, rank);
                expected.insert(expected.end(), theirs.begin(), theirs.end());
            }
            std::vector<std::byte> came(ranks * length);
            MPI_Alltoall(mine.address(), tree.count, tree.type, came.data(), tree.length(),
                         MPI_BYTE, MPI_COMM_WORLD);
            EXPECT_TRUE(came == expected);
            const int root = static_cast<int>(seed % ranks);
            came.resize(length);
            MPI_Scatter(mine.address(), tree.count, tree.type, came.data(), tree.length(), MPI_BYTE,
                        root, MPI_COMM_WORLD);
            EXPECT_TRUE(came == block_of(root, rank));

            if (whole.overlaps()) return;
            const std::vector<std::byte> out = stream_of(rank);
            Field other(places, seed);
            Field wanted(places, seed);
            wanted.put(places, expected.data());
            MPI_Alltoall(out.data(), tree.length(), MPI_BYTE, other.address(), tree.count,
                         tree.type, MPI_COMM_WORLD);
            EXPECT_TRUE(other.bytes == wanted.bytes);
        });
    });
}

int tree_key = MPI_KEYVAL_INVALID;  // the same on all ranks

/// An operation of the user's on elements of any tree.
void exclusive_or(void* in, void* inout, int* count, MPI_Datatype* type) {
    void* value = nullptr;
    int found = 0;
    MPI_Type_get_attr(*type, tree_key, &value, &found);
    ASSERT_TRUE(found);
    const auto& twin = *static_cast<const Twin*>(value);
    for (const std::ptrdiff_t place : twin.naive.stream(static_cast<std::size_t>(*count)))
        static_cast<std::byte*>(inout)[place] ^= static_cast<const std::byte*>(in)[place];
}

TEST_P(RandomTreesOnTheWay, AreReducedAsTheTypeMapSays) {
    constexpr int ranks = 3;
    run(ranks, [](int rank, int) {
        int key = MPI_KEYVAL_INVALID;
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
        if (rank == 0) tree_key = key;
        MPI_Barrier(MPI_COMM_WORLD);
        ASSERT_EQ(key, tree_key);
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(exclusive_or, 1, &op);
        std::size_t reduced = 0;
        for_trees(3000, 40, [&](const Tree& tree, std::uint64_t seed) {
            if (tree.overlaps()) return;
            MPI_Type_set_attr(tree.type, key, const_cast<Twin*>(&tree.twin));
            std::vector<std::byte> sum(tree.places.size());
            for (std::uint64_t who = 0; who < ranks; ++who) {
                const auto theirs = Field(tree.places, seed * ranks + who).stream(tree.places);
                for (std::size_t i = 0; i < sum.size(); ++i)
                    sum[i] ^= theirs[i];
            }
            Field mine(tree.places, seed * ranks + static_cast<std::uint64_t>(rank));
            Field total(tree.places, seed);
            Field expected(tree.places, seed);
            expected.put(tree.places, sum.data());
            MPI_Allreduce(mine.address(), total.address(), tree.count, tree.type, op,
                          MPI_COMM_WORLD);
            EXPECT_TRUE(total.bytes == expected.bytes);
            ++reduced;
        });
        EXPECT_GT(reduced, 5U);
        MPI_Op_free(&op);
        MPI_Type_free_keyval(&key);
    });
}

using RandomTreesInWindows = OnFlavors;
INSTANTIATE_TEST_SUITE_P(Flavors, RandomTreesInWindows,
                         testing::ValuesIn(flavors_on({{real_fabric(), job::Kind::threads},
                                                       {"ideal", job::Kind::fibers},
                                                       {"quadrics", job::Kind::fibers}})),
                         flavor_name);

/// What of rank 1's memory is a window, as elements of a tree see it.
class TreeTarget {
  public:
    static constexpr int numbers = 60'000;

    explicit TreeTarget(const NumberWindow& window) : window_(window) {}
    /// False: it has no room for them.
    bool aim_at(const Tree& tree) {
        const auto [low, high] = std::minmax_element(tree.places.begin(), tree.places.end());
        before_ = *low < 0 ? (-*low + 7) / 8 : 0;
        return 8 * before_ + *high < 8 * numbers;
    }
    MPI_Aint displacement() const { return window_.at(1, static_cast<int>(before_)); }
    /// By rank 1 alone, from here on.
    std::byte& at(std::ptrdiff_t place) const {
        return reinterpret_cast<std::byte*>(window_.numbers)[8 * before_ + place];
    }
    void fill(Field& from) const {
        for (std::size_t i = 0; i < from.bytes.size(); ++i)
            at(from.first + static_cast<std::ptrdiff_t>(i)) = from.bytes[i];
    }
    bool holds(const Field& expected) const {
        for (std::size_t i = 0; i < expected.bytes.size(); ++i)
            if (at(expected.first + static_cast<std::ptrdiff_t>(i)) != expected.bytes[i])
                return false;
        return true;
    }

  private:
    const NumberWindow& window_;
    std::ptrdiff_t before_ = 0;
};

TEST_P(RandomTreesInWindows, ArePutAndGotAndAccumulatedAsTheTypeMapSays) {
    run(2, [&](int rank, int) {
        NumberWindow window(flavor(), TreeTarget::numbers);
        TreeTarget target(window);
        std::size_t accumulated = 0;
        for_trees(4000 + 100 * static_cast<std::uint64_t>(flavor()), 50,
                  [&](const Tree& tree, std::uint64_t seed) {
                      if (tree.overlaps() || !target.aim_at(tree)) return;
                      const auto& places = tree.places;
                      const Basic basic = tree.twin.naive.uniform();
                      const bool accumulates = basic != Basic::none;
                      const Family family = traits(basic).family;
                      const bool adds = family == Family::signed_integer ||
                                        family == Family::unsigned_integer ||
                                        family == Family::bytes;
                      Field mine(places, seed);
                      Field expected(places, seed + 1);
                      if (rank == 1) {
                          MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
                          target.fill(expected);
                          MPI_Win_unlock(1, window.win);
                      }
                      MPI_Barrier(MPI_COMM_WORLD);
                      const std::vector<std::byte> before = expected.stream(places);
                      std::vector<std::byte> given = mine.stream(places);
                      if (rank == 0) {
                          std::vector<std::byte> got(before.size());
                          Field other(places, seed + 2);
                          Field wanted(places, seed + 2);
                          wanted.put(places, before.data());
                          MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
                          MPI_Get(got.data(), tree.length(), MPI_BYTE, 1, target.displacement(),
                                  tree.count, tree.type, window.win);
                          MPI_Get(other.address(), tree.count, tree.type, 1, target.displacement(),
                                  tree.count, tree.type, window.win);
                          MPI_Win_flush(1, window.win);
                          EXPECT_TRUE(got == before);
                          EXPECT_TRUE(other.bytes == wanted.bytes);
                          if (accumulates)
                              MPI_Accumulate(mine.address(), tree.count, tree.type, 1,
                                             target.displacement(), tree.count, tree.type,
                                             adds ? MPI_BXOR : MPI_REPLACE, window.win);
                          else
                              MPI_Put(mine.address(), tree.count, tree.type, 1,
                                      target.displacement(), tree.count, tree.type, window.win);
                          MPI_Win_unlock(1, window.win);
                      }
                      MPI_Barrier(MPI_COMM_WORLD);
                      if (adds) {
                          for (std::size_t i = 0; i < given.size(); ++i)
                              given[i] ^= before[i];
                          ++accumulated;
                      }
                      expected.put(places, given.data());
                      if (rank == 1) {
                          MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win);
                          EXPECT_TRUE(target.holds(expected));
                          MPI_Win_unlock(1, window.win);
                      }
                      MPI_Barrier(MPI_COMM_WORLD);
                  });
        EXPECT_GT(accumulated, 2U);
    });
}

}  // namespace
}  // namespace railyard::mpi
