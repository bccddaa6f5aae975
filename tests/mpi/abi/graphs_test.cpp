// Ranks as nodes of a graph, and the order of ranks that suits where they are.

#include <algorithm>
#include <array>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using Graphs = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Graphs);

int kind_of(MPI_Comm comm) {
    int kind = -1;
    EXPECT_EQ(MPI_Topo_test(comm, &kind), MPI_SUCCESS);
    return kind;
}

// The standard's example: 0-1, 0-3, 3-2, and nothing else.
constexpr std::array<int, 4> ends = {2, 3, 4, 6};
constexpr std::array<int, 6> neighbours = {1, 3, 0, 3, 0, 2};

TEST_P(Graphs, EveryRankKnowsAGraphWhole) {
    run(6, [](int rank, int) {
        MPI_Comm graph = MPI_COMM_WORLD;
        ASSERT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 4, ends.data(), neighbours.data(), 0, &graph),
                  MPI_SUCCESS);
        if (rank >= 4) {
            EXPECT_EQ(graph, MPI_COMM_NULL);
            return;
        }
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(graph, &copy);
        for (const MPI_Comm comm : {graph, copy}) {
            EXPECT_EQ(kind_of(comm), MPI_GRAPH);
            int nodes = -1;
            int edges = -1;
            EXPECT_EQ(MPI_Graphdims_get(comm, &nodes, &edges), MPI_SUCCESS);
            EXPECT_EQ(nodes, 4);
            EXPECT_EQ(edges, 6);
            std::array<int, 4> got_ends{};
            std::array<int, 6> got_neighbours{};
            EXPECT_EQ(MPI_Graph_get(comm, 4, 6, got_ends.data(), got_neighbours.data()),
                      MPI_SUCCESS);
            EXPECT_EQ(got_ends, ends);
            EXPECT_EQ(got_neighbours, neighbours);
            int count = -1;
            EXPECT_EQ(MPI_Graph_neighbors_count(comm, 3, &count), MPI_SUCCESS);
            EXPECT_EQ(count, 2);
            std::array<int, 2> of_three{};
            EXPECT_EQ(MPI_Graph_neighbors(comm, 3, 2, of_three.data()), MPI_SUCCESS);
            EXPECT_THAT(of_three, testing::ElementsAre(0, 2));
        }
        MPI_Comm_free(&copy);
        MPI_Comm_free(&graph);
    });
}

TEST_P(Graphs, WrongGraphsAreTold) {
    run(4, [](int, int) {
        MPI_Comm graph = MPI_COMM_NULL;
        const auto create = [&](int nodes, std::vector<int> indices, std::vector<int> edges) {
            return MPI_Graph_create(MPI_COMM_WORLD, nodes, indices.data(), edges.data(), 0, &graph);
        };
        EXPECT_EQ(create(5, {0, 0, 0, 0, 0}, {0}), MPI_ERR_TOPOLOGY) << "more nodes than ranks";
        EXPECT_EQ(create(2, {1, 2}, {1, 2}), MPI_ERR_ARG) << "an edge to no node";
        EXPECT_EQ(create(2, {1, 2}, {1, -1}), MPI_ERR_ARG);
        EXPECT_EQ(create(2, {2, 1}, {1, 0}), MPI_ERR_ARG) << "counts that fall";
        EXPECT_EQ(create(2, {-1, 1}, {1, 0}), MPI_ERR_ARG);
        EXPECT_EQ(create(-1, {0}, {0}), MPI_ERR_COUNT);
        int number = -1;
        EXPECT_EQ(MPI_Graphdims_get(MPI_COMM_WORLD, &number, &number), MPI_ERR_TOPOLOGY);
        EXPECT_EQ(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &number), MPI_ERR_TOPOLOGY);
        EXPECT_EQ(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &number, &number, &number),
                  MPI_ERR_TOPOLOGY);
        EXPECT_EQ(create(0, {0}, {0}), MPI_SUCCESS);
        EXPECT_EQ(graph, MPI_COMM_NULL) << "a graph of no nodes";
        ASSERT_EQ(create(4, {1, 1, 1, 2}, {0, 3}), MPI_SUCCESS) << "an edge may lead back";
        MPI_Comm_set_errhandler(graph, MPI_ERRORS_RETURN);
        EXPECT_EQ(MPI_Graph_neighbors_count(graph, 4, &number), MPI_ERR_RANK);
        EXPECT_EQ(MPI_Graph_neighbors(graph, 3, 0, &number), MPI_ERR_ARG) << "no room";
        EXPECT_EQ(MPI_Graph_get(graph, 3, 2, &number, &number), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Cartdim_get(graph, &number), MPI_ERR_TOPOLOGY);
        MPI_Comm_free(&graph);
    });
}

/// What a rank knows of its edges: ranks with their weights.
struct Known {
    std::vector<int> sources;
    std::vector<int> source_weights;
    std::vector<int> destinations;
    std::vector<int> destination_weights;
    int weighted = -1;
};

Known known_in(MPI_Comm comm) {
    Known known;
    int in = -1;
    int out = -1;
    EXPECT_EQ(MPI_Dist_graph_neighbors_count(comm, &in, &out, &known.weighted), MPI_SUCCESS);
    known.sources.resize(static_cast<std::size_t>(in));
    known.source_weights.resize(known.sources.size());
    known.destinations.resize(static_cast<std::size_t>(out));
    known.destination_weights.resize(known.destinations.size());
    EXPECT_EQ(
        MPI_Dist_graph_neighbors(comm, in, known.sources.data(), known.source_weights.data(), out,
                                 known.destinations.data(), known.destination_weights.data()),
        MPI_SUCCESS);
    return known;
}

TEST_P(Graphs, RanksNameTheirOwnEdges) {
    for (const int ranks : {1, 2, 5})
        run(ranks, [](int rank, int size) {
            // To the next rank twice, with different weights.
            const auto edges_of = [size](int of) {
                const int next = (of + 1) % size;
                const int previous = (of + size - 1) % size;
                return Known{{previous, previous}, {2 * previous, 7}, {next, next}, {2 * of, 7}, 1};
            };
            const Known said = edges_of(rank);
            MPI_Comm graph = MPI_COMM_NULL;
            ASSERT_EQ(MPI_Dist_graph_create_adjacent(
                          MPI_COMM_WORLD, 2, said.sources.data(), said.source_weights.data(), 2,
                          said.destinations.data(), said.destination_weights.data(), MPI_INFO_NULL,
                          1, &graph),
                      MPI_SUCCESS);
            // Reordered, a rank has the edges of its new place.
            int place = -1;
            MPI_Comm_rank(graph, &place);
            const Known expected = edges_of(place);
            EXPECT_EQ(kind_of(graph), MPI_DIST_GRAPH);
            MPI_Comm copy = MPI_COMM_NULL;
            MPI_Comm_dup(graph, &copy);
            for (const MPI_Comm comm : {graph, copy}) {
                const Known known = known_in(comm);
                EXPECT_EQ(known.weighted, 1);
                EXPECT_THAT(known.sources, testing::ElementsAreArray(expected.sources));
                EXPECT_THAT(known.source_weights,
                            testing::ElementsAreArray(expected.source_weights));
                EXPECT_THAT(known.destinations, testing::ElementsAreArray(expected.destinations));
                EXPECT_THAT(known.destination_weights,
                            testing::ElementsAreArray(expected.destination_weights));
            }
            // Less room than there are: the first ones. Weights that nobody wants are not given.
            int one = -1;
            EXPECT_EQ(MPI_Dist_graph_neighbors(graph, 1, &one, MPI_UNWEIGHTED, 0, nullptr, nullptr),
                      MPI_SUCCESS);
            EXPECT_EQ(one, expected.sources[0]);
            MPI_Comm_free(&copy);
            MPI_Comm_free(&graph);
            // No edges, and no weights of them.
            ASSERT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, nullptr, MPI_WEIGHTS_EMPTY,
                                                     0, nullptr, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL,
                                                     0, &graph),
                      MPI_SUCCESS);
            EXPECT_TRUE(known_in(graph).sources.empty());
            MPI_Comm_free(&graph);
        });
}

TEST_P(Graphs, RanksLearnOfEdgesThatOthersName) {
    for (const int ranks : {1, 3, 8})
        run(ranks, [](int rank, int size) {
            // Each rank names what the rank two further on sends to all below itself.
            const int about = (rank + 2) % size;
            std::vector<int> destinations;
            std::vector<int> weights;
            for (int below = 0; below < about; ++below) {
                destinations.push_back(below);
                weights.push_back(100 * about + below);
            }
            const auto degree = static_cast<int>(destinations.size());
            for (const bool weighted : {false, true}) {
                MPI_Comm graph = MPI_COMM_NULL;
                ASSERT_EQ(
                    MPI_Dist_graph_create(
                        MPI_COMM_WORLD, 1, &about, &degree, destinations.data(),
                        weighted ? degree > 0 ? weights.data() : MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &graph),
                    MPI_SUCCESS);
                const Known known = known_in(graph);
                EXPECT_EQ(known.weighted, weighted ? 1 : 0);
                std::vector<int> below;
                for (int i = 0; i < rank; ++i)
                    below.push_back(i);
                EXPECT_EQ(known.destinations, below);
                std::vector<int> above;
                for (int i = rank + 1; i < size; ++i)
                    above.push_back(i);
                EXPECT_THAT(known.sources, testing::UnorderedElementsAreArray(above));
                for (std::size_t i = 0; weighted && i < known.sources.size(); ++i)
                    EXPECT_EQ(known.source_weights[i], 100 * known.sources[i] + rank);
                for (std::size_t i = 0; weighted && i < known.destinations.size(); ++i)
                    EXPECT_EQ(known.destination_weights[i], 100 * rank + known.destinations[i]);
                MPI_Comm_free(&graph);
            }
        });
}

TEST_P(Graphs, WrongEdgesAreTold) {
    run(2, [](int rank, int) {
        MPI_Comm graph = MPI_COMM_NULL;
        const int one[] = {1};
        const int two[] = {2};
        const int less[] = {-1};
        const auto create = [&](const int* source, const int* degree, const int* destination,
                                const int* weight) {
            return MPI_Dist_graph_create(MPI_COMM_WORLD, 1, source, degree, destination, weight,
                                         MPI_INFO_NULL, 0, &graph);
        };
        EXPECT_EQ(create(two, one, one, one), MPI_ERR_RANK);
        EXPECT_EQ(create(one, one, two, one), MPI_ERR_RANK);
        EXPECT_EQ(create(one, less, one, one), MPI_ERR_COUNT);
        EXPECT_EQ(create(one, one, one, less), MPI_ERR_ARG);
        EXPECT_EQ(create(one, one, one, nullptr), MPI_ERR_ARG);
        // Some with weights and some without: all are told.
        EXPECT_EQ(create(one, one, one, rank == 0 ? one : MPI_UNWEIGHTED), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, one, one, 1, one,
                                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
                  MPI_ERR_ARG);
        EXPECT_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, two, one, 1, one, one,
                                                 MPI_INFO_NULL, 0, &graph),
                  MPI_ERR_RANK);
    });
}

/// How many neighbours of a grid's ranks are on their nodes, over all ranks.
int near_neighbours(MPI_Comm grid, const std::vector<fabric::NodeId>& nodes, int world_rank) {
    int dimensions = 0;
    MPI_Cartdim_get(grid, &dimensions);
    int size = 0;
    MPI_Comm_size(grid, &size);
    std::vector<int> world_ranks(static_cast<std::size_t>(size));
    MPI_Allgather(&world_rank, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, grid);
    const auto node_of = [&](int rank) {
        return nodes[static_cast<std::size_t>(world_ranks[static_cast<std::size_t>(rank)])];
    };
    int own = -1;
    MPI_Comm_rank(grid, &own);
    int near = 0;
    for (int i = 0; i < dimensions; ++i) {
        int below = 0;
        int above = 0;
        MPI_Cart_shift(grid, i, 1, &below, &above);
        for (const int other : {below, above})
            if (other != MPI_PROC_NULL && node_of(other) == node_of(own)) ++near;
    }
    int all = 0;
    MPI_Allreduce(&near, &all, 1, MPI_INT, MPI_SUM, grid);
    return all;
}

struct Placement {
    std::vector<fabric::NodeId> nodes;
    std::array<int, 2> dims;
    int near_as_they_are;
    int near_at_best;
};

void place(const FabricAndKind& on, const Placement& c) {
    job::Options options = options_for(on, static_cast<int>(c.nodes.size()));
    options.nodes = c.nodes;
    const job::Result result = job::run(options, [&](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        const int open[] = {0, 0};
        for (const bool reorder : {false, true}) {
            MPI_Comm grid = MPI_COMM_NULL;
            MPI_Cart_create(MPI_COMM_WORLD, 2, c.dims.data(), open, reorder ? 1 : 0, &grid);
            EXPECT_EQ(near_neighbours(grid, c.nodes, rank),
                      reorder ? c.near_at_best : c.near_as_they_are);
            int own = -1;
            MPI_Comm_rank(grid, &own);
            int mapped = -1;
            MPI_Cart_map(MPI_COMM_WORLD, 2, c.dims.data(), open, &mapped);
            EXPECT_EQ(reorder ? mapped : rank, own);
            MPI_Comm_free(&grid);
        }
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(Graphs, NeighboursOnAGridShareNodesWhereTheyMay) {
    if (GetParam().kind != job::Kind::fibers) GTEST_SKIP() << "has one node";
    // Four nodes of four ranks in rows: squares have 8 inner neighbours each, rows 6.
    place(GetParam(), {{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, {4, 4}, 24, 32});
    // Ranks given out round robin have their nodes' others in their columns.
    place(GetParam(), {{0, 1, 2, 3, 0, 1, 2, 3}, {2, 4}, 8, 8});
    place(GetParam(), {{0, 1, 0, 1, 0, 1, 0, 1}, {2, 4}, 8, 16});
    // Nodes of different sizes: three ranks can have two edges among them, two ranks one.
    place(GetParam(), {{0, 1, 2, 0, 1, 2, 0, 1}, {2, 4}, 0, 10});
    // Columns are as good as any block.
    place(GetParam(), {{0, 1, 0, 1, 0, 1}, {3, 2}, 8, 8});
    // Nothing to gain.
    place(GetParam(), {{0, 1, 2, 3}, {2, 2}, 0, 0});
    place(GetParam(), {{0, 0, 0, 0}, {2, 2}, 8, 8});
}

/// What two triangles give, on ranks that take turns on two nodes: of which each rank names its own
/// edges, or all of them are named by one. A heavy ring of the others' is to win over a light one.
TEST_P(Graphs, NeighboursInADistributedGraphShareNodesWhereTheyMay) {
    if (GetParam().kind != job::Kind::fibers) GTEST_SKIP() << "has one node";
    job::Options options = options_for(GetParam(), 6);
    options.nodes = {0, 1, 0, 1, 0, 1};
    const job::Result result = job::run(options, [&](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        const auto next = [](int of) { return of / 3 * 3 + (of + 1) % 3; };
        const auto last = [](int of) { return of / 3 * 3 + (of + 2) % 3; };
        for (const bool adjacent : {true, false}) {
            MPI_Comm graph = MPI_COMM_NULL;
            if (adjacent) {
                // Across the triangles, too, but lightly.
                const int in[] = {last(rank), (rank + 3) % 6};
                const int out[] = {next(rank), (rank + 3) % 6};
                const int weights[] = {5, 1};
                MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, in, weights, 2, out, weights,
                                               MPI_INFO_NULL, 1, &graph);
            } else {
                const std::vector<int> sources{0, 1, 2, 3, 4, 5};
                std::vector<int> destinations;
                for (const int source : sources)
                    destinations.push_back(next(source));
                const std::vector<int> degrees(6, 1);
                MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 2 ? 6 : 0, sources.data(),
                                      degrees.data(), destinations.data(), MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 1, &graph);
            }
            int own = -1;
            MPI_Comm_rank(graph, &own);
            EXPECT_EQ(own / 3, rank % 2) << "one triangle a node";
            std::array<int, 2> in{};
            std::array<int, 2> out{};
            std::array<int, 2> weights{};
            const int degree = adjacent ? 2 : 1;
            MPI_Dist_graph_neighbors(graph, degree, in.data(), weights.data(), degree, out.data(),
                                     weights.data());
            EXPECT_EQ(in[0], last(own)) << "the edges are those of the new rank";
            EXPECT_EQ(out[0], next(own));
            EXPECT_EQ(weights[0], adjacent ? 5 : 0);
            MPI_Neighbor_allgather(&own, 1, MPI_INT, in.data(), 1, MPI_INT, graph);
            EXPECT_EQ(in[0], last(own)) << "and so are the neighbours";
            MPI_Comm_free(&graph);
        }
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

TEST_P(Graphs, NeighboursInAGraphShareNodesWhereTheyMay) {
    if (GetParam().kind != job::Kind::fibers) GTEST_SKIP() << "has one node";
    job::Options options = options_for(GetParam(), 6);
    options.nodes = {0, 1, 0, 1, 0, 1};
    const job::Result result = job::run(options, [&](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        int rank = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        // Two triangles.
        const int indices[] = {2, 4, 6, 8, 10, 12};
        const int edges[] = {1, 2, 0, 2, 0, 1, 4, 5, 3, 5, 3, 4};
        MPI_Comm graph = MPI_COMM_NULL;
        MPI_Graph_create(MPI_COMM_WORLD, 6, indices, edges, 1, &graph);
        int own = -1;
        MPI_Comm_rank(graph, &own);
        EXPECT_EQ(own / 3, rank % 2) << "one triangle a node";
        int mapped = -1;
        MPI_Graph_map(MPI_COMM_WORLD, 6, indices, edges, &mapped);
        EXPECT_EQ(mapped, own);
        MPI_Graph_map(MPI_COMM_WORLD, 0, nullptr, nullptr, &mapped);
        EXPECT_EQ(mapped, MPI_UNDEFINED);
        MPI_Comm_free(&graph);
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

}  // namespace
}  // namespace railyard::mpi
