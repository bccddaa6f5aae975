#pragma once
/// The hot loops of the NAS kernels as one writes them first: over flat arrays, with plain indices
/// and nothing in between. The kernels are measured against them, and must give the same results.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace railyard::bench::plain {

/// EP: Gaussian pairs made of 2^log_pairs uniform ones; returns the sum of the first deviates.
double gaussian_pairs(int log_pairs);

/// IS: ranks 2^log_keys keys below 2^log_range, ten times over, in buckets; returns a rank.
int rank_keys(int log_keys, int log_range, int log_buckets, const std::vector<int>& keys);
std::vector<int> make_keys(int log_keys, int log_range);

/// CG: y = A x, the matrix by rows.
void multiply(int rows, const int* start, const int* column, const double* value, const double* x,
              double* y);

/// MG on a cube of n points and one around it: r = v - A u, and u = u + S r with the smoother's
/// three weights.
void residual(int n, const double* u, const double* v, double* r);
void smooth(int n, const double* weights, const double* r, double* u);

/// FT: transforms lines of `points` complex numbers, real and imaginary parts in turn, that lie one
/// behind the other; sixteen at a time.
class Lines {
  public:
    explicit Lines(std::size_t points);
    void transform(std::size_t lines, double* data);

  private:
    std::size_t points_;
    std::vector<double> roots_, work_, spare_;
};

/// A cube of n points an axis, with two more around it, of the flow that LU, SP and BT compute.
struct Cube {
    explicit Cube(int n, double dt);
    std::size_t at(int i, int j, int k) const {
        const auto edge = static_cast<std::size_t>(n + 4);
        return (static_cast<std::size_t>(k + 2) * edge + static_cast<std::size_t>(j + 2)) * edge +
               static_cast<std::size_t>(i + 2);
    }

    int n;
    double dt;
    std::size_t volume;
    std::vector<double> u, b, forcing;  ///< five values a point, each an array
    std::vector<double> velocity;       ///< three
    std::vector<double> inverse_density, kinetic, pressure, sound;
};

/// LU, SP, BT: b = dt times the residual.
void flow_residual(Cube& cube);
/// SP: solves five systems of five diagonals for each line along x, or z.
void solve_scalar_lines(Cube& cube, int axis);
/// BT: solves a tridiagonal system of 5 x 5 blocks for each line along x.
void solve_block_lines(Cube& cube);

}  // namespace railyard::bench::plain
