#include "mpi/communicators/edge_exchange.hpp"

#include <array>
#include <utility>
#include <vector>

#include "mpi/collectives/collectives.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

/// One end of an edge, as the rank at that end is told of it.
struct Told {
    int is_source;  ///< whether that rank is the edge's source
    int other;
    int weight;
};
constexpr std::size_t told_ints = sizeof(Told) / sizeof(int);

/// What one rank says to another before it tells of edges.
struct Announced {
    int ints;
    int weighted;
};

/// What goes to each rank, one after the other.
struct Outgoing {
    std::vector<Told> ends;
    std::vector<int> counts;  ///< of ints
    std::vector<int> places;
};

std::vector<int> places_of(const std::vector<int>& counts) {
    std::vector<int> places;
    int place = 0;
    for (const int count : counts) {
        places.push_back(place);
        place += count;
    }
    return places;
}

Outgoing sorted_by_rank(std::span<const GraphEdge> edges, std::size_t ranks) {
    Outgoing out;
    out.counts.resize(ranks);
    for (const GraphEdge& edge : edges)
        for (const int end : {edge.source, edge.destination})
            out.counts[static_cast<std::size_t>(end)] += static_cast<int>(told_ints);
    out.places = places_of(out.counts);
    out.ends.resize(2 * edges.size());
    std::vector<int> next = out.places;
    const auto tell = [&](int rank, const Told& told) {
        int& place = next[static_cast<std::size_t>(rank)];
        out.ends[static_cast<std::size_t>(place) / told_ints] = told;
        place += static_cast<int>(told_ints);
    };
    for (const GraphEdge& edge : edges) {
        tell(edge.source, {1, edge.destination, edge.weight});
        tell(edge.destination, {0, edge.source, edge.weight});
    }
    return out;
}

std::vector<Announced> announced(Comm& comm, const Outgoing& out, bool weighted) {
    std::vector<Announced> mine;
    for (const int count : out.counts)
        mine.push_back({count, weighted ? 1 : 0});
    std::vector<Announced> theirs(mine.size());
    const Datatype& integer = *predefined(Basic::c_int);
    constexpr std::size_t length = sizeof(Announced) / sizeof(int);
    alltoall(comm.team(), ConstBuffer(mine.data(), length, integer),
             Buffer{theirs.data(), length, &integer});
    return theirs;
}

}  // namespace

DistributedGraph gathered(Comm& comm, std::span<const GraphEdge> edges, bool weighted) {
    const Outgoing out = sorted_by_rank(edges, static_cast<std::size_t>(comm.size()));
    std::vector<int> counts;
    std::size_t total = 0;
    bool disagree = false;
    for (const Announced& theirs : announced(comm, out, weighted)) {
        counts.push_back(theirs.ints);
        total += static_cast<std::size_t>(theirs.ints);
        disagree |= (theirs.weighted != 0) != weighted;
    }
    // All know what all have said, so all are at an end here.
    if (disagree)
        throw MpiError(ErrorClass::arg,
                       "some ranks give weights and some MPI_UNWEIGHTED; all must do alike");
    const std::vector<int> places = places_of(counts);
    std::vector<Told> told(total / told_ints);
    const Datatype& integer = *predefined(Basic::c_int);
    alltoallv(comm.team(),
              ConstBlocks(out.ends.data(), out.counts.data(), out.places.data(), integer),
              Blocks(told.data(), counts.data(), places.data(), integer));
    DistributedGraph graph;
    graph.weighted = weighted;
    for (const Told& end : told)
        (end.is_source != 0 ? graph.out : graph.in).push_back({end.other, end.weight});
    return graph;
}

std::vector<DistributedGraph> known_to_all(Comm& comm, const DistributedGraph& own) {
    static_assert(sizeof(DistributedGraph::End) == 2 * sizeof(int));
    const Datatype& integer = *predefined(Basic::c_int);
    const auto size = static_cast<std::size_t>(comm.size());
    const std::array degrees{static_cast<int>(own.in.size()), static_cast<int>(own.out.size())};
    std::vector<std::array<int, 2>> all_degrees(size);
    allgather(comm.team(), ConstBuffer(degrees.data(), 2, integer),
              Buffer{all_degrees.data(), 2, &integer});
    std::vector<DistributedGraph::End> ends = own.in;
    ends.insert(ends.end(), own.out.begin(), own.out.end());
    std::vector<int> counts;
    for (const auto& [in, out] : all_degrees)
        counts.push_back(2 * (in + out));
    const std::vector<int> places = places_of(counts);
    std::vector<DistributedGraph::End> all(static_cast<std::size_t>(places.back() + counts.back()) /
                                           2);
    allgatherv(comm.team(), ConstBuffer(ends.data(), 2 * ends.size(), integer),
               Blocks(all.data(), counts.data(), places.data(), integer));
    std::vector<DistributedGraph> parts;
    auto next = all.begin();
    for (const auto& [in, out] : all_degrees) {
        DistributedGraph& part = parts.emplace_back();
        part.weighted = own.weighted;
        part.in.assign(next, next + in);
        part.out.assign(next + in, next + in + out);
        next += in + out;
    }
    return parts;
}

Graph joined(std::span<const DistributedGraph> parts) {
    std::vector<int> ends;
    std::vector<int> neighbours;
    std::vector<int> weights;
    for (const DistributedGraph& part : parts) {
        for (const auto* const side : {&part.in, &part.out})
            for (const auto& [rank, weight] : *side) {
                neighbours.push_back(rank);
                weights.push_back(weight);
            }
        ends.push_back(static_cast<int>(neighbours.size()));
    }
    return {std::move(ends), neighbours.data(), std::move(weights)};
}

}  // namespace railyard::mpi
