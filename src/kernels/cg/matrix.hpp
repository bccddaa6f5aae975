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

  private:
    std::vector<int> row_start_;  ///< one more than there are rows
    std::vector<int> column_;     ///< counted from the block's first
    std::vector<double> value_;
};

}  // namespace railyard::kernels::conjugate
