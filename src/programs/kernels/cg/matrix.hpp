#pragma once
/// The random sparse symmetric matrix of CG: a rank's block of it, by rows.

#include <vector>

#include "kernels/cg/grid.hpp"

namespace railyard::kernels::conjugate {

struct Problem {
    int order;
    int nonzeros;  ///< in each of the vectors that the matrix is made of
    int iterations;
    double shift;
    double zeta;  ///< the published result
};

class Matrix {
  public:
    Matrix(const Problem& problem, const Range& rows, const Range& columns);

    /// result = A x, where x has the columns of the block and the result its rows. The caller owns
    /// both.
    void multiply(const double* x, double* result) const;

    /// Its parts, for those who look into it: row_start() has one more than there are rows, and
    /// columns are counted from the block's first.
    const std::vector<int>& row_start() const { return row_start_; }
    const std::vector<int>& column() const { return column_; }
    const std::vector<double>& value() const { return value_; }

  private:
    std::vector<int> row_start_;
    std::vector<int> column_;
    std::vector<double> value_;
};

}  // namespace railyard::kernels::conjugate
