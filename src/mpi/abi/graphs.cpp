// Ranks as the nodes of a graph, which all ranks know or of which each knows its own edges.

#include <algorithm>
#include <span>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/topologies.hpp"
#include "mpi/communicators/edge_exchange.hpp"
#include "mpi/communicators/making.hpp"
#include "mpi/communicators/mapping.hpp"

namespace railyard::mpi::abi {

namespace {

const Graph& graph_of(const Comm& comm) {
    if (!comm.graph)
        throw MpiError(ErrorClass::topology,
                       "the communicator has no graph topology; MPI_Graph_create makes one that "
                       "has");
    return *comm.graph;
}

const DistributedGraph& own_part_of(const Comm& comm) {
    if (!comm.distributed_graph)
        throw MpiError(ErrorClass::topology,
                       "the communicator has no distributed graph topology; MPI_Dist_graph_create "
                       "makes one that has");
    return *comm.distributed_graph;
}

/// The user's lists, if the communicator has so many ranks.
Graph to_graph(const Comm& comm, std::size_t nodes, const int ends[], const int edges[]) {
    if (nodes > static_cast<std::size_t>(comm.size()))
        throw MpiError(ErrorClass::topology, "the graph has " + std::to_string(nodes) +
                                                 " nodes, the communicator only " +
                                                 std::to_string(comm.size()) + " ranks");
    if (nodes > 0) to_array(edges, ends[nodes - 1], "edges");
    return {std::vector<int>(ends, ends + nodes), edges};
}

/// So many numbers of the user's, at most.
std::size_t fitting(std::size_t room, std::size_t there, const char* argument) {
    if (room < there)
        throw MpiError(ErrorClass::arg, std::string(argument) + " is " + std::to_string(room) +
                                            ", but there are " + std::to_string(there));
    return there;
}

void give(std::span<const int> numbers, int to[], const char* argument) {
    to_array(to, static_cast<int>(numbers.size()), argument);
    std::copy(numbers.begin(), numbers.end(), to);
}

void graph_create(State& state, Comm& comm, std::size_t nodes, const int ends[], const int edges[],
                  int reorder, MPI_Comm& made) {
    check_one_group(comm);
    Graph graph = to_graph(comm, nodes, ends, edges);
    auto with = with_places(state, comm, graph, reorder != 0);
    if (with) with->graph = std::make_unique<Graph>(std::move(graph));
    made = state.add(std::move(with));
}

void graph_map(State&, Comm& comm, std::size_t nodes, const int ends[], const int edges[],
               int& newrank) {
    check_one_group(comm);
    newrank = place_of(comm, to_graph(comm, nodes, ends, edges), nodes_of_all(comm));
}

void graphdims_get(State&, Comm& comm, int& nodes, int& edges) {
    const Graph& graph = graph_of(comm);
    nodes = graph.ranks();
    edges = static_cast<int>(graph.neighbours().size());
}

void graph_get(State&, Comm& comm, std::size_t max_nodes, std::size_t max_edges, int ends[],
               int edges[]) {
    const Graph& graph = graph_of(comm);
    fitting(max_nodes, graph.ends().size(), "maxindex");
    fitting(max_edges, graph.neighbours().size(), "maxedges");
    give(graph.ends(), ends, "indx");
    give(graph.neighbours(), edges, "edges");
}

std::span<const int> neighbours_in(const Comm& comm, int rank) {
    const Graph& graph = graph_of(comm);
    if (!is_rank(rank, comm)) bad_rank(rank, comm, "rank");
    return graph.neighbours(rank);
}

void graph_neighbors_count(State&, Comm& comm, int rank, int& count) {
    count = static_cast<int>(neighbours_in(comm, rank).size());
}

void graph_neighbors(State&, Comm& comm, int rank, std::size_t max, int neighbours[]) {
    const std::span<const int> all = neighbours_in(comm, rank);
    fitting(max, all.size(), "maxneighbors");
    give(all, neighbours, "neighbors");
}

bool is_weighted(const int weights[]) {
    return weights != MPI_UNWEIGHTED;
}

int to_weight(int weight) {
    if (weight < 0)
        throw MpiError(ErrorClass::arg,
                       "a weight is " + std::to_string(weight) + "; it must not be negative");
    return weight;
}

int to_end(int rank, const Comm& comm, const char* argument) {
    if (!is_rank(rank, comm)) bad_rank(rank, comm, argument);
    return rank;
}

/// The calling rank's ends of edges.
std::vector<DistributedGraph::End> to_ends(const Comm& comm, std::size_t degree, const int ranks[],
                                           const int weights[], const char* argument) {
    if (is_weighted(weights)) to_array(weights, static_cast<int>(degree), "weights");
    std::vector<DistributedGraph::End> ends;
    for (std::size_t i = 0; i < degree; ++i)
        ends.push_back(
            {to_end(ranks[i], comm, argument), is_weighted(weights) ? to_weight(weights[i]) : 1});
    return ends;
}

MPI_Comm with_graph(State& state, Comm& comm, DistributedGraph graph, bool reorder) {
    std::unique_ptr<Comm> made;
    if (reorder) {
        // Whoever gets a place has its edges.
        std::vector<DistributedGraph> parts = known_to_all(comm, graph);
        const int place = place_of(comm, joined(parts), whereabouts_of_all(comm));
        graph = std::move(parts[static_cast<std::size_t>(place)]);
        made = split(comm, 0, place, state.context_ids);
    } else {
        made = duplicated(comm, state.context_ids);
    }
    made->distributed_graph = std::make_unique<DistributedGraph>(std::move(graph));
    return state.add(std::move(made));
}

void dist_graph_create_adjacent(State& state, Comm& comm, std::size_t indegree, const int sources[],
                                const int source_weights[], std::size_t outdegree,
                                const int destinations[], const int destination_weights[], Info*,
                                int reorder, MPI_Comm& made) {
    check_one_group(comm);
    if (is_weighted(source_weights) != is_weighted(destination_weights))
        throw MpiError(ErrorClass::arg,
                       "one of sourceweights and destweights is MPI_UNWEIGHTED; give it for both "
                       "or for none");
    DistributedGraph graph{
        .in = to_ends(comm, indegree, sources, source_weights, "sources"),
        .out = to_ends(comm, outdegree, destinations, destination_weights, "destinations"),
        .weighted = is_weighted(source_weights)};
    made = with_graph(state, comm, std::move(graph), reorder != 0);
}

void dist_graph_create(State& state, Comm& comm, std::size_t n, const int sources[],
                       const int degrees[], const int destinations[], const int weights[], Info*,
                       int reorder, MPI_Comm& made) {
    check_one_group(comm);
    std::size_t total = 0;
    for (std::size_t i = 0; i < n; ++i)
        total += to_count(degrees[i], "degrees");
    to_array(destinations, static_cast<int>(total), "destinations");
    if (is_weighted(weights)) to_array(weights, static_cast<int>(total), "weights");
    std::vector<GraphEdge> edges;
    for (std::size_t i = 0; i < n; ++i)
        for (int k = 0; k < degrees[i]; ++k) {
            const std::size_t at = edges.size();
            edges.push_back({to_end(sources[i], comm, "sources"),
                             to_end(destinations[at], comm, "destinations"),
                             is_weighted(weights) ? to_weight(weights[at]) : 1});
        }
    made = with_graph(state, comm, gathered(comm, edges, is_weighted(weights)), reorder != 0);
}

void dist_graph_neighbors_count(State&, Comm& comm, int& indegree, int& outdegree, int& weighted) {
    const DistributedGraph& graph = own_part_of(comm);
    indegree = static_cast<int>(graph.in.size());
    outdegree = static_cast<int>(graph.out.size());
    weighted = graph.weighted ? 1 : 0;
}

/// As many as there is room for, as MPI has it here.
void give_ends(const std::vector<DistributedGraph::End>& ends, std::size_t room, int ranks[],
               int weights[], bool weighted, const char* argument) {
    const auto count = static_cast<int>(std::min(room, ends.size()));
    to_array(ranks, count, argument);
    if (weighted) to_array(weights, count, "weights");
    for (int i = 0; i < count; ++i) {
        ranks[i] = ends[static_cast<std::size_t>(i)].rank;
        if (weighted && is_weighted(weights)) weights[i] = ends[static_cast<std::size_t>(i)].weight;
    }
}

void dist_graph_neighbors(State&, Comm& comm, std::size_t max_in, int sources[],
                          int source_weights[], std::size_t max_out, int destinations[],
                          int destination_weights[]) {
    const DistributedGraph& graph = own_part_of(comm);
    give_ends(graph.in, max_in, sources, source_weights, graph.weighted, "sources");
    give_ends(graph.out, max_out, destinations, destination_weights, graph.weighted,
              "destinations");
}

}  // namespace

#include <entries/graphs.inc>

}  // namespace railyard::mpi::abi
