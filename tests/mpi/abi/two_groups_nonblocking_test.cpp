// Collectives that do not block, between two groups and along the edges of graphs.

#include <vector>

#include "mpi/abi/intercommunicators.hpp"

namespace railyard::mpi {
namespace {

using TwoGroupsNonblocking = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(TwoGroupsNonblocking);

TEST_P(TwoGroupsNonblocking, SeveralAtOnce) {
    for (const int ranks : {2, 5, 9})
        run(ranks, [](int rank, int size) {
            const TwoGroups two(rank, size, (size + 1) / 2);
            const auto others = static_cast<std::size_t>(two.other_size());
            int expected = 0;
            for (const int other : two.other())
                expected += other;
            // The first rank of the first group is the root.
            const int root = two.side() == 1 ? 0 : two.rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
            int word = root == MPI_ROOT ? 77 : -1;
            int sum = -1;
            std::vector<int> all(others, -1);
            std::vector<int> in(others, -1);
            std::vector<int> out(others);
            for (std::size_t i = 0; i < others; ++i)
                out[i] = 100 * rank + two.other()[i];
            MPI_Request requests[5];
            MPI_Ibcast(&word, 1, MPI_INT, root, two.inter, &requests[0]);
            MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, two.inter, &requests[1]);
            MPI_Iallgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, two.inter, &requests[2]);
            MPI_Ialltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, two.inter, &requests[3]);
            MPI_Ibarrier(two.inter, &requests[4]);
            int blocking = -1;
            MPI_Allreduce(&rank, &blocking, 1, MPI_INT, MPI_SUM, two.inter);
            EXPECT_EQ(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
            EXPECT_EQ(word, root == MPI_PROC_NULL ? -1 : 77);
            EXPECT_EQ(sum, expected);
            EXPECT_EQ(blocking, expected);
            EXPECT_EQ(all, two.other());
            for (std::size_t i = 0; i < others; ++i)
                EXPECT_EQ(in[i], 100 * two.other()[i] + rank);
            EXPECT_EQ(MPI_Ibcast(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_COMM_WORLD, requests),
                      MPI_ERR_ROOT);
        });
}

TEST_P(TwoGroupsNonblocking, NeighboursOfGraphs) {
    run(5, [](int rank, int size) {
        // To the next rank twice, and to oneself.
        const int next = (rank + 1) % size;
        const int previous = (rank + size - 1) % size;
        const int sources[] = {previous, rank, previous};
        const int destinations[] = {next, rank, next};
        MPI_Comm graph = MPI_COMM_NULL;
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
        const int out[] = {10 * rank, 10 * rank + 1, 10 * rank + 2};
        int in[3] = {-1, -1, -1};
        EXPECT_EQ(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph), MPI_SUCCESS);
        EXPECT_THAT(in, testing::ElementsAre(10 * previous, 10 * rank + 1, 10 * previous + 2));
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ineighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, graph, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_THAT(in, testing::ElementsAreArray(sources));
        MPI_Comm_free(&graph);
        // A graph that all know: a star.
        std::vector<int> indices;
        std::vector<int> edges;
        for (int i = 1; i < size; ++i)
            edges.push_back(i);
        indices.push_back(size - 1);
        for (int i = 1; i < size; ++i) {
            edges.push_back(0);
            indices.push_back(size - 1 + i);
        }
        MPI_Graph_create(MPI_COMM_WORLD, size, indices.data(), edges.data(), 0, &graph);
        std::vector<int> heard(rank == 0 ? edges.size() / 2 : 1, -1);
        EXPECT_EQ(MPI_Neighbor_allgather(&rank, 1, MPI_INT, heard.data(), 1, MPI_INT, graph),
                  MPI_SUCCESS);
        EXPECT_EQ(heard, rank == 0 ? std::vector<int>(edges.begin(), edges.begin() + size - 1)
                                   : std::vector<int>{0});
        MPI_Comm_free(&graph);
    });
}

}  // namespace
}  // namespace railyard::mpi
