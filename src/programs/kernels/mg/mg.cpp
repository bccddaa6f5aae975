// MG: a Poisson problem on a periodic cube by V-cycles over grids of all sizes. Short and long
// messages, to neighbours near and, on coarse grids, far.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/numbers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/kernels.hpp"
#include "kernels/mg/levels.hpp"

namespace railyard::kernels::multigrid {

// The right-hand side of MG: +1 at the ten points of the finest grid that hold the largest of
// random numbers, -1 at those that hold the smallest, 0 elsewhere.

/// A field of the finest level. All ranks call it.
std::vector<double> make_charges(const Levels& levels);

namespace {

constexpr std::size_t charges = 10;

struct Candidate {
    double number;
    std::size_t index;  ///< in the field
};

/// The ten best numbers of this rank, the best first. Sign is 1 for the largest, -1 for the
/// smallest.
class Best {
  public:
    explicit Best(double sign) : sign_(sign) {}

    void offer(double number, std::size_t index) {
        if (best_.size() == charges && !better(number, best_.back().number)) return;
        const auto place = std::find_if(best_.begin(), best_.end(), [&](const Candidate& other) {
            return better(number, other.number);
        });
        best_.insert(place, {number, index});
        if (best_.size() > charges) best_.pop_back();
    }

    /// Ranks find the ten best of all together, and each marks its own in the field.
    void mark(std::vector<double>& field) const {
        struct Bid {
            double number;
            int rank;
        };
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::size_t next = 0;
        for (std::size_t i = 0; i < charges; ++i) {
            const double nothing = -sign_ * std::numeric_limits<double>::max();
            Bid bid{next < best_.size() ? best_[next].number : nothing, rank};
            MPI_Allreduce(MPI_IN_PLACE, &bid, 1, MPI_DOUBLE_INT,
                          sign_ > 0 ? MPI_MAXLOC : MPI_MINLOC, MPI_COMM_WORLD);
            if (bid.rank == rank && next < best_.size()) field[best_[next++].index] = sign_;
        }
    }

  private:
    bool better(double one, double other) const { return sign_ * one > sign_ * other; }

    double sign_;
    std::vector<Candidate> best_;
};

}  // namespace

std::vector<double> make_charges(const Levels& levels) {
    const Level& level = levels.all.back();
    const PerAxis<int> size = level.size();
    const auto points = std::uint64_t{1} << level.number;
    const auto first = [&](std::size_t axis) {
        return static_cast<std::uint64_t>(levels.coordinate[axis] * level.own[axis]);
    };
    Best largest(1);
    Best smallest(-1);
    for (int z = 0; z < level.own[2]; ++z)
        for (int y = 0; y < level.own[1]; ++y) {
            const std::uint64_t row = (first(2) + static_cast<std::uint64_t>(z)) * points +
                                      first(1) + static_cast<std::uint64_t>(y);
            Random random(Random::usual_seed, row * points + first(0));
            auto index =
                static_cast<std::size_t>((std::ptrdiff_t{z + 1} * size[1] + y + 1) * size[0] + 1);
            for (int x = 0; x < level.own[0]; ++x, ++index) {
                const double number = random.next();
                largest.offer(number, index);
                smallest.offer(number, index);
            }
        }
    std::vector<double> field(level.volume());
    largest.mark(field);
    smallest.mark(field);
    return field;
}

/// The solution of MG and its residual on all levels, and the V-cycle that improves it.
class Multigrid {
  public:
    Multigrid(const Levels& levels, const Weights& smoother, std::vector<double> right_hand_side,
              bool any_source);

    /// The solution is zero again, and the residual what that leaves.
    void reset();
    void cycle();
    /// Root of the mean square of the residual, of all ranks. All call it.
    double residual_norm() const;

  private:
    using Field = std::vector<double>;

    void find_residual();
    /// On a level below the finest: what the coarser one says, and one smoothing.
    void improve(std::size_t level);
    void smooth(std::size_t level);

    const std::vector<Level>& levels_;
    Halo halo_;
    Stencils stencils_;
    Field v_;
    std::vector<Field> u_, r_;  ///< by level
};

Multigrid::Multigrid(const Levels& levels, const Weights& smoother,
                     std::vector<double> right_hand_side, bool any_source)
    : levels_(levels.all),
      halo_(any_source),
      stencils_(smoother, levels.all.back()),
      v_(std::move(right_hand_side)) {
    for (const Level& level : levels_) {
        u_.emplace_back(level.volume());
        r_.emplace_back(level.volume());
    }
}

void Multigrid::reset() {
    std::fill(u_.back().begin(), u_.back().end(), 0.0);
    find_residual();
}

void Multigrid::find_residual() {
    const Level& finest = levels_.back();
    stencils_.residual(finest, u_.back().data(), v_.data(), r_.back().data());
    halo_.exchange(finest, r_.back().data());
}

void Multigrid::cycle() {
    const std::size_t finest = levels_.size() - 1;
    for (std::size_t k = finest; k > 0; --k) {
        stencils_.restrict_to(levels_[k - 1], levels_[k], r_[k].data(), r_[k - 1].data());
        halo_.exchange(levels_[k - 1], r_[k - 1].data());
    }
    std::fill(u_[0].begin(), u_[0].end(), 0.0);
    smooth(0);
    for (std::size_t k = 1; k < finest; ++k)
        improve(k);
    stencils_.prolong(levels_[finest - 1], levels_[finest], u_[finest - 1].data(),
                      u_[finest].data());
    find_residual();
    smooth(finest);
    find_residual();
}

void Multigrid::improve(std::size_t k) {
    const Level& level = levels_[k];
    std::fill(u_[k].begin(), u_[k].end(), 0.0);
    stencils_.prolong(levels_[k - 1], level, u_[k - 1].data(), u_[k].data());
    halo_.hand_over(level, u_[k].data());
    stencils_.residual(level, u_[k].data(), r_[k].data(), r_[k].data());
    halo_.exchange(level, r_[k].data());
    smooth(k);
}

void Multigrid::smooth(std::size_t k) {
    stencils_.smooth(levels_[k], r_[k].data(), u_[k].data());
    halo_.exchange(levels_[k], u_[k].data());
}

double Multigrid::residual_norm() const {
    const Level& level = levels_.back();
    const PerAxis<int> size = level.size();
    double sum = 0;
    for (int z = 1; z <= level.own[2]; ++z)
        for (int y = 1; y <= level.own[1]; ++y) {
            const double* const row =
                r_.back().data() + (std::ptrdiff_t{z} * size[1] + y) * size[0];
            for (int x = 1; x <= level.own[0]; ++x)
                sum += row[x] * row[x];
        }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return std::sqrt(sum / std::ldexp(1.0, 3 * level.number));
}

namespace {

constexpr Weights small_classes = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
constexpr Weights large_classes = {-3.0 / 17, 1.0 / 33, -1.0 / 61, 0};

struct Class {
    int log_edge, cycles;
    const Weights& smoother;
    double norm;
};

constexpr Class classes[] = {
    {5, 4, small_classes, 5.307707005734e-05},  {7, 4, small_classes, 6.467329375339e-06},
    {8, 4, small_classes, 2.433365309069e-06},  {8, 20, large_classes, 1.800564401355e-06},
    {9, 20, large_classes, 5.706732285740e-07},
};

/// Every rank needs two points along each axis of the finest grid.
bool too_many(int ranks, int log_edge) {
    const PerAxis<int> along = ranks_along_axes(ranks);
    return *std::max_element(along.begin(), along.end()) > 1 << (log_edge - 1);
}

}  // namespace

}  // namespace railyard::kernels::multigrid

namespace railyard::kernels {

int mg(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "MG",
                     .purpose = "a Poisson problem by V-cycles over coarse and fine grids",
                     .ranks = "a power of two, up to an eighth of the grid's points (4096 in S)",
                     .any_source = true},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const multigrid::Class& problem = multigrid::classes[session.class_index()];
    if (!is_power_of_two(session.ranks()) || multigrid::too_many(session.ranks(), problem.log_edge))
        return session.refuse("class " + std::string(1, session.problem_class()) +
                              " runs on a power of two of ranks (1, 2, 4, 8, ...), up to " +
                              std::to_string(1LL << (3 * (problem.log_edge - 1))) + "; these are " +
                              std::to_string(session.ranks()));

    const multigrid::Levels levels(session.rank(), session.ranks(), problem.log_edge);
    multigrid::Multigrid solver(levels, problem.smoother, multigrid::make_charges(levels),
                                session.any_source());
    solver.reset();
    solver.cycle();
    const int cycles = session.iterations(problem.cycles);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    solver.reset();
    for (int i = 0; i < cycles; ++i)
        solver.cycle();
    const double norm = solver.residual_norm();
    const double seconds = MPI_Wtime() - start;

    Verification verification(1e-8, session.verifiable(problem.cycles));
    verification.compare("residual norm", norm, problem.norm);
    const std::string edge = std::to_string(1 << problem.log_edge);
    return session.finish({.size = edge + " x " + edge + " x " + edge,
                           .iterations = cycles,
                           .seconds = seconds,
                           .operations = 58.0 * cycles * std::ldexp(1.0, 3 * problem.log_edge)},
                          verification);
}

}  // namespace railyard::kernels
