// IS: ranks of whole numbers among all, by sorting them into buckets. Every rank sends keys to
// every other.

#include <mpi.h>

#include <string>

#include "kernels/common/powers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/common/verification.hpp"
#include "kernels/is/sorter.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels {

namespace {

using sorting::iterations;
using sorting::probes;

constexpr sorting::Problem problems[] = {
    {16,
     11,
     9,
     128,
     {{{48427, 0, 1, 0},
       {17148, 18, 1, 0},
       {23627, 346, 1, 0},
       {62548, 64917, -1, 0},
       {4431, 65463, -1, 0}}}},
    {20,
     16,
     10,
     1024,
     {{{357773, 1249, 1, 2},
       {934767, 11698, 1, 2},
       {875723, 1039987, -1, 0},
       {898999, 1043896, -1, 0},
       {404505, 1048018, -1, 0}}}},
    {23,
     19,
     10,
     1024,
     {{{2112377, 104, 1, 1},
       {662041, 17523, 1, 1},
       {5336171, 123928, 1, 1},
       {3642833, 8288932, -1, 1},
       {4250760, 8388264, -1, 1}}}},
    {25,
     21,
     10,
     1024,
     {{{41869, 33422937, -1, 0},
       {812306, 10244, 1, 0},
       {5102857, 59149, 1, 0},
       {18232239, 33135281, -1, 0},
       {26860214, 99, 1, 0}}}},
    {27,
     23,
     10,
     1024,
     {{{44172927, 61147, 1, 0},
       {72999161, 882988, 1, 0},
       {74326391, 266290, 1, 0},
       {129606274, 133997595, -1, 0},
       {21736814, 133525895, -1, 0}}}},
};

/// Returns how many of all tests were passed, on rank 0.
int passed_by_all(int own) {
    int all = 0;
    MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

}  // namespace

int is(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "IS",
                     .purpose = "whole numbers ranked by sorting them into buckets",
                     .ranks = "a power of two, up to 128 in class S and 1024 in the others",
                     .iterations = false},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const sorting::Problem& problem = problems[session.class_index()];
    const int ranks = session.ranks();
    if (!is_power_of_two(ranks) || ranks > problem.most_ranks)
        return session.refuse("class " + std::string(1, session.problem_class()) +
                              " runs on a power of two of ranks, up to " +
                              std::to_string(problem.most_ranks) + "; these are " +
                              std::to_string(ranks));

    sorting::Sorter sorter(problem, session.rank(), ranks);
    sorter.rank_keys(1);
    int passed = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 1; i <= iterations; ++i) {
        sorter.rank_keys(i);
        passed += sorter.right_probes(i);
    }
    const double seconds = MPI_Wtime() - start;

    passed = passed_by_all(passed + (sorter.in_order() ? 1 : 0));
    const int expected = static_cast<int>(probes) * iterations + ranks;
    Verification verification(0);
    verification.compare("tests passed", passed, expected);
    return session.finish({.size = "2^" + std::to_string(problem.log_keys) + " keys",
                           .iterations = iterations,
                           .seconds = seconds,
                           .operations = iterations * static_cast<double>(1 << problem.log_keys),
                           .operation = "keys ranked"},
                          verification);
}

}  // namespace railyard::kernels
