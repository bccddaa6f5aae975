#pragma once
/// The conjugate-gradient method on vectors that are spread over the columns of ranks, and the
/// exchanges that it needs: sums along a row, and the transposition that turns rows into columns.

#include <array>
#include <vector>

#include "kernels/cg/grid.hpp"
#include "kernels/cg/matrix.hpp"

namespace railyard::kernels::conjugate {

class Solver {
  public:
    Solver(const Grid& grid, const Matrix& matrix);

    void reset();
    /// One step of the inverse power iteration. Returns zeta.
    double step(double shift);
    /// ||x - A z|| of the last step.
    double residual() const { return residual_; }

  private:
    using Vector = std::vector<double>;

    void solve();
    /// result = A p: rows are summed up along the row of ranks, and go to who has them as columns.
    void multiply(const Vector& p, Vector& result);
    void add_up_rows();
    void exchange_rows(int partner, const Range& out, const Range& in);
    void transpose(Vector& result);
    /// Sums of this rank and of all others of its row.
    template <std::size_t n>
    void add_up(std::array<double, n>& sums) const;
    double dot(const Vector& a, const Vector& b) const;

    const Grid& grid_;
    const Matrix& matrix_;
    Vector x_, z_, p_, q_, r_;  ///< of the columns
    Vector rows_, received_;    ///< of the rows
    double residual_ = 0;
};

}  // namespace railyard::kernels::conjugate
