#include "kernels/mg/multigrid.hpp"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace railyard::kernels::multigrid {

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

}  // namespace railyard::kernels::multigrid
