// Gather, scatter and all-to-all of ranks that share nodes, in whatever way: by way of leaders
// where blocks are small, for real and in virtual time.

#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

struct Placed {
    FabricAndKind on;
    std::string how;
    std::vector<fabric::NodeId> nodes;  ///< of each rank
};

void PrintTo(const Placed& placed, std::ostream* out) {
    *out << placed.on.fabric << ", " << placed.how;
}

std::vector<Placed> all_placed() {
    std::vector<Placed> all;
    for (const FabricAndKind& on : {FabricAndKind{"shm+iwarp", job::Kind::threads},
                                    FabricAndKind{"infiniband-pcie", job::Kind::fibers},
                                    FabricAndKind{"quadrics", job::Kind::fibers}}) {
        all.push_back({on, "in_a_row", {0, 0, 0, 1, 1, 1}});
        all.push_back({on, "in_turn", {0, 1, 0, 1, 0, 1}});
        all.push_back({on, "unequal", {0, 0, 0, 0, 0, 1, 1, 2, 2}});
        all.push_back({on, "unequal_in_turn", {2, 1, 0, 1, 1, 0, 1, 2, 1}});
    }
    return all;
}

class SharedNodes : public testing::TestWithParam<Placed> {
  protected:
    void run(const std::function<void(int rank, int size)>& body) {
        job::Options options =
            options_for(GetParam().on, static_cast<int>(GetParam().nodes.size()));
        options.nodes = GetParam().nodes;
        const job::Result result = job::run(options, [&](job::Rank&) {
            MPI_Init(nullptr, nullptr);
            int rank = -1;
            int size = -1;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            MPI_Comm_size(MPI_COMM_WORLD, &size);
            body(rank, size);
            MPI_Finalize();
        });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};

INSTANTIATE_TEST_SUITE_P(Maps, SharedNodes, testing::ValuesIn(all_placed()), [](const auto& info) {
    return test_name(info.param.on.fabric) + "_" + info.param.how;
});

/// The i-th number that one rank has for another.
int number(int from, int to, int i) {
    return 10000 * from + 100 * to + i;
}

/// Every other integer of twice as many: what lies between must stay.
MPI_Datatype spread(int count) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(2 * sizeof(int)) * count, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&vector);
    return type;
}

/// Blocks of so many numbers for each rank, or from each; spread ones have -1 between.
std::vector<int> blocks(int size, int count, int stride, const std::function<int(int, int)>& of) {
    std::vector<int> all(static_cast<std::size_t>(size * count * stride), -1);
    for (int rank = 0; rank < size; ++rank)
        for (int i = 0; i < count; ++i)
            all[static_cast<std::size_t>((rank * count + i) * stride)] = of(rank, i);
    return all;
}

TEST_P(SharedNodes, ExchangeAllWithAll) {
    run([](int rank, int size) {
        for (const int count : {1, 2, 50}) {
            const auto out =
                blocks(size, count, 1, [&](int to, int i) { return number(rank, to, i); });
            const auto in =
                blocks(size, count, 1, [&](int from, int i) { return number(from, rank, i); });
            const auto wide =
                blocks(size, count, 2, [&](int from, int i) { return number(from, rank, i); });
            std::vector<int> got(in.size());
            MPI_Alltoall(out.data(), count, MPI_INT, got.data(), count, MPI_INT, MPI_COMM_WORLD);
            EXPECT_EQ(got, in);
            got = out;
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, got.data(), count, MPI_INT, MPI_COMM_WORLD);
            EXPECT_EQ(got, in) << "in place";
            std::vector<int> spread_out(wide.size(), -1);
            MPI_Datatype type = spread(count);
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Ialltoall(out.data(), count, MPI_INT, spread_out.data(), 1, type, MPI_COMM_WORLD,
                          &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT_EQ(spread_out, wide) << "with gaps";
            MPI_Type_free(&type);
        }
    });
}

TEST_P(SharedNodes, GatherAndScatterFromEachRoot) {
    run([](int rank, int size) {
        for (int root = 0; root < size; ++root)
            for (const int count : {1, 50}) {
                const bool is_root = rank == root;
                const auto of = [&](int other, int i) { return number(other, root, i); };
                const auto all = blocks(size, count, 1, of);
                const auto wide = blocks(size, count, 2, of);
                const auto own = blocks(1, count, 1, [&](int, int i) { return of(rank, i); });
                MPI_Datatype type = spread(count);
                std::vector<int> got(all.size(), -1);
                MPI_Gather(own.data(), count, MPI_INT, got.data(), count, MPI_INT, root,
                           MPI_COMM_WORLD);
                EXPECT_EQ(got, is_root ? all : std::vector<int>(all.size(), -1));
                std::vector<int> spread_out(wide.size(), -1);
                if (is_root)
                    for (int i = 0; i < count; ++i)
                        spread_out[static_cast<std::size_t>(2 * (rank * count + i))] = of(rank, i);
                MPI_Request request = MPI_REQUEST_NULL;
                MPI_Igather(is_root ? MPI_IN_PLACE : own.data(), count, MPI_INT, spread_out.data(),
                            1, type, root, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                EXPECT_EQ(spread_out, is_root ? wide : std::vector<int>(wide.size(), -1));

                std::vector<int> mine(own.size(), -1);
                MPI_Scatter(all.data(), count, MPI_INT, mine.data(), count, MPI_INT, root,
                            MPI_COMM_WORLD);
                EXPECT_EQ(mine, own);
                mine = is_root ? own : std::vector<int>(own.size(), -1);
                MPI_Iscatter(wide.data(), 1, type, is_root ? MPI_IN_PLACE : mine.data(), count,
                             MPI_INT, root, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
                EXPECT_EQ(mine, own);
                MPI_Type_free(&type);
            }
    });
}

}  // namespace
}  // namespace railyard::mpi
