// EP: Gaussian pairs from uniform ones, counted by size. Ranks meet only to add up.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/common/numbers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels {

namespace {

constexpr std::uint64_t seed = 271828183;
constexpr int log_batch = 16;
constexpr int batch_pairs = 1 << log_batch;
constexpr int bins = 10;

struct Class {
    int log_pairs;
    double sum_x, sum_y;
    double kept;
};

constexpr Class ep_classes[] = {
    {24, -3.247834652034740e+03, -6.958407078382297e+03, 13176389},
    {25, -2.863319731645753e+03, -6.320053679109499e+03, 26354769},
    {28, -4.295875165629892e+03, -1.580732573678431e+04, 210832767},
    {30, 4.033815542441498e+04, -2.660669192809235e+04, 843345606},
    {32, 4.764367927995374e+04, -8.084072988043731e+04, 3373275903},
};

struct Tally {
    std::array<double, 2> sums{};
    std::array<double, bins> counts{};
};

/// One batch of the sequence; `uniform` is room for its numbers.
void add_batch(int batch, std::vector<double>& uniform, Tally& tally) {
    Random random(seed, 2 * static_cast<std::uint64_t>(batch) * batch_pairs);
    for (double& number : uniform)
        number = 2 * random.next() - 1;
    for (std::size_t i = 0; i < uniform.size(); i += 2) {
        const double x = uniform[i];
        const double y = uniform[i + 1];
        const double square = x * x + y * y;
        if (square > 1) continue;
        const double stretch = std::sqrt(-2 * std::log(square) / square);
        const double gauss_x = x * stretch;
        const double gauss_y = y * stretch;
        const double size = std::max(std::fabs(gauss_x), std::fabs(gauss_y));
        tally.counts[static_cast<std::size_t>(size)] += 1;
        tally.sums[0] += gauss_x;
        tally.sums[1] += gauss_y;
    }
}

/// The batches of this rank; those that do not go round evenly are the low ranks'.
Tally add_own(const Session& session, int batches) {
    const int each = batches / session.ranks();
    const int more = batches % session.ranks();
    const int first = session.rank() * each + std::min(session.rank(), more);
    const int last = first + each + (session.rank() < more ? 1 : 0);
    std::vector<double> uniform(2 * std::size_t{batch_pairs});
    Tally tally;
    for (int batch = first; batch < last; ++batch)
        add_batch(batch, uniform, tally);
    return tally;
}

template <std::size_t n>
void add_up(std::array<double, n>& values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
}

}  // namespace

int ep(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "EP",
                     .purpose = "pairs of random numbers, each rank on its own",
                     .ranks = "any number, up to the batches of the class (256 in S)",
                     .iterations = false},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const Class& problem = ep_classes[session.class_index()];
    const int batches = 1 << (problem.log_pairs - log_batch);
    if (session.ranks() > batches)
        return session.refuse("class " + std::string(1, session.problem_class()) +
                              " has work for " + std::to_string(batches) +
                              " ranks at most, and these are " + std::to_string(session.ranks()));

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    Tally tally = add_own(session, batches);
    add_up(tally.sums);
    add_up(tally.counts);
    const double seconds = MPI_Wtime() - start;

    double kept = 0;
    for (std::size_t i = 0; i < bins; ++i) {
        kept += tally.counts[i];
        session.say(" Pairs of size %zu to %zu: %15.0f\n", i, i + 1, tally.counts[i]);
    }
    Verification verification(1e-8);
    verification.compare("sum of X", tally.sums[0], problem.sum_x);
    verification.compare("sum of Y", tally.sums[1], problem.sum_y);
    verification.compare("pairs kept", kept, problem.kept);
    return session.finish({.size = "2^" + std::to_string(problem.log_pairs) + " pairs",
                           .iterations = 1,
                           .seconds = seconds,
                           .operations = std::ldexp(2.0, problem.log_pairs),
                           .operation = "random numbers"},
                          verification);
}

}  // namespace railyard::kernels
