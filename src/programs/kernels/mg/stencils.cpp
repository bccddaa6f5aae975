#include "kernels/mg/levels.hpp"

#include <cstddef>

namespace railyard::kernels::multigrid {

namespace {

constexpr Weights poisson = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};

/// The row of a field at some y and z, and the eight around it.
struct Rows {
    Rows(const PerAxis<int>& size, const double* field, int y, int z)
        : row(size[0]), plane(row * size[1]), centre(field + plane * z + row * y) {}

    /// Sums over the rows beside the centre in y or z, and over those beside it in both.
    void add_around(int length, double* __restrict faces, double* __restrict edges) const {
        const double* const a = centre - row;
        const double* const b = centre + row;
        const double* const c = centre - plane;
        const double* const d = centre + plane;
        for (int x = 0; x < length; ++x) {
            faces[x] = a[x] + b[x] + c[x] + d[x];
            edges[x] = a[x - plane] + b[x - plane] + a[x + plane] + b[x + plane];
        }
    }

    std::ptrdiff_t row, plane;
    const double* centre;
};

std::ptrdiff_t offset(const PerAxis<int>& size, int y, int z) {
    return (std::ptrdiff_t{z} * size[1] + y) * size[0];
}

/// Where along an axis a coarse point sits on the fine level. A rank that has only one fine point
/// has it there.
int fine_index(int coarse, int fine_own) {
    return fine_own == 1 ? coarse : 2 * coarse;
}

/// The two coarse points whose mean is a fine one; both the same where it sits on one.
struct Between {
    Between(int fine, int fine_own) {
        const int doubled = fine_own == 1 ? fine + 1 : fine;
        first = doubled / 2;
        second = (doubled + 1) / 2;
    }
    int first, second;
};

}  // namespace

Stencils::Stencils(const Weights& smoother, const Level& finest)
    : smoother_(smoother),
      faces_(static_cast<std::size_t>(finest.size()[0])),
      edges_(faces_.size()) {}

// The weight of faces is 0.
void Stencils::residual(const Level& level, const double* u, const double* v, double* r) {
    if (!level.alive) return;
    const PerAxis<int> size = level.size();
    double* const __restrict faces = faces_.data();
    double* const __restrict edges = edges_.data();
    for (int z = 1; z <= level.own[2]; ++z)
        for (int y = 1; y <= level.own[1]; ++y) {
            const Rows rows(size, u, y, z);
            rows.add_around(size[0], faces, edges);
            const double* const from = v + offset(size, y, z);
            double* const to = r + offset(size, y, z);
            for (int x = 1; x <= level.own[0]; ++x)
                to[x] = from[x] - poisson[0] * rows.centre[x] -
                        poisson[2] * (edges[x] + faces[x - 1] + faces[x + 1]) -
                        poisson[3] * (edges[x - 1] + edges[x + 1]);
        }
}

void Stencils::smooth(const Level& level, const double* r, double* u) {
    if (!level.alive) return;
    const PerAxis<int> size = level.size();
    const Weights c = smoother_;
    double* const __restrict faces = faces_.data();
    double* const __restrict edges = edges_.data();
    for (int z = 1; z <= level.own[2]; ++z)
        for (int y = 1; y <= level.own[1]; ++y) {
            const Rows rows(size, r, y, z);
            rows.add_around(size[0], faces, edges);
            const double* const __restrict own = rows.centre;
            double* const __restrict to = u + offset(size, y, z);
            for (int x = 1; x <= level.own[0]; ++x)
                to[x] += c[0] * own[x] + c[1] * (own[x - 1] + own[x + 1] + faces[x]) +
                         c[2] * (edges[x] + faces[x - 1] + faces[x + 1]);
        }
}

void Stencils::restrict_to(const Level& coarse, const Level& fine, const double* r, double* s) {
    if (!coarse.alive) return;
    const PerAxis<int> size = fine.size();
    double* const __restrict faces = faces_.data();
    double* const __restrict edges = edges_.data();
    for (int z = 1; z <= coarse.own[2]; ++z)
        for (int y = 1; y <= coarse.own[1]; ++y) {
            const Rows rows(size, r, fine_index(y, fine.own[1]), fine_index(z, fine.own[2]));
            rows.add_around(size[0], faces, edges);
            const double* const own = rows.centre;
            double* const __restrict to = s + offset(coarse.size(), y, z);
            for (int x = 1; x <= coarse.own[0]; ++x) {
                const int at = fine_index(x, fine.own[0]);
                to[x] = own[at] / 2 + (own[at - 1] + own[at + 1] + faces[at]) / 4 +
                        (faces[at - 1] + faces[at + 1] + edges[at]) / 8 +
                        (edges[at - 1] + edges[at + 1]) / 16;
            }
        }
}

void Stencils::prolong(const Level& coarse, const Level& fine, const double* z, double* u) {
    if (!coarse.alive) return;
    const PerAxis<int> size = coarse.size();
    double* const __restrict mean = faces_.data();
    for (int fine_z = 0; fine_z < fine.size()[2]; ++fine_z)
        for (int fine_y = 0; fine_y < fine.size()[1]; ++fine_y) {
            const Between in_y(fine_y, fine.own[1]);
            const Between in_z(fine_z, fine.own[2]);
            const double* const a = z + offset(size, in_y.first, in_z.first);
            const double* const b = z + offset(size, in_y.second, in_z.first);
            const double* const c = z + offset(size, in_y.first, in_z.second);
            const double* const d = z + offset(size, in_y.second, in_z.second);
            for (int x = 0; x < size[0]; ++x)
                mean[x] = (a[x] + b[x] + c[x] + d[x]) / 4;
            double* const __restrict to = u + offset(fine.size(), fine_y, fine_z);
            if (fine.own[0] == 1) {
                for (int x = 0; x < 3; ++x) {
                    const Between in_x(x, 1);
                    to[x] += (mean[in_x.first] + mean[in_x.second]) / 2;
                }
                continue;
            }
            for (int x = 0; x < size[0] - 1; ++x) {
                to[2 * x] += mean[x];
                to[2 * x + 1] += (mean[x] + mean[x + 1]) / 2;
            }
        }
}

}  // namespace railyard::kernels::multigrid
