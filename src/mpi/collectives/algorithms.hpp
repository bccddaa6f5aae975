#pragma once
/// The algorithms that collectives have, by name, and which of them a user asks for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace railyard::mpi {

enum class Collective : std::uint8_t {
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    exscan,
};
inline constexpr std::size_t collective_count = 17;

enum class Algorithm : std::uint8_t {
    automatic,           ///< by the rules of choice.cpp
    binomial,            ///< a binomial tree
    by_node,             ///< within nodes, and among their leaders
    bruck,               ///< each round sends all that has the same digit of its distance
    chain,               ///< in segments, from each rank to the next
    direct,              ///< straight from each other's memory, read by the kernel
    dissemination,       ///< round i: to rank + 2^i, from rank - 2^i
    flat,                ///< all to one rank, one rank to all
    linear,              ///< with every rank in turn, and many at once where order allows
    pairwise,            ///< one partner a round
    rabenseifner,        ///< reduce halves of halves, then put the parts together
    recursive_doubling,  ///< round i: exchange with rank xor 2^i
    recursive_halving,   ///< recursive doubling run backwards
    reduce_bcast,        ///< a binomial tree up to rank 0, and down again
    reduce_scatter,      ///< a binomial tree up to rank 0, which then hands out the parts
    ring,                ///< from each rank to the next, all the way round
    scatter_doubling,    ///< scatter, then recursive doubling
    scatter_ring,        ///< scatter, then a ring
    shared,              ///< through memory that all ranks map: the last to come works for all
    tree,                ///< flat, in two levels: groups, and their leaders
};

/// "reduce_scatter", as in MPI_Reduce_scatter.
std::string_view name(Collective collective);
/// "recursive-doubling".
std::string_view name(Algorithm algorithm);
/// All that this collective can be asked to use; `automatic` is not among them.
std::span<const Algorithm> algorithms_of(Collective collective);

/// Which algorithm each collective is to use. Where the one asked for cannot serve (it would change
/// the order of an operation that does not commute), the rules choose.
class Algorithms {
  public:
    Algorithm operator[](Collective collective) const { return at_[index(collective)]; }
    Algorithm& operator[](Collective collective) { return at_[index(collective)]; }
    bool operator==(const Algorithms&) const = default;

  private:
    static std::size_t index(Collective collective) { return static_cast<std::size_t>(collective); }
    std::array<Algorithm, collective_count> at_{};
};

/// "allreduce=reduce-bcast,barrier=pairwise"; the last word on a collective counts. Nothing,
/// or "automatic", leaves all to the rules. Throws a UsageError that lists what there is.
Algorithms parse_algorithms(std::string_view text);
/// What parse_algorithms reads; those left to the rules are not named.
std::string to_string(const Algorithms& algorithms);

}  // namespace railyard::mpi
