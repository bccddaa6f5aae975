#pragma once
/// The random sparse symmetric matrix of CG: a rank's block of it, by rows.

#include <vector>

namespace railyard::kernels::conjugate {

// Which part of the matrix a rank of CG has, and with whom it talks: ranks stand in rows and
// columns, and a rank has the block of the matrix where its row and its column cross.

/// A range of indices, counted from 0.
struct Range {
    int first = 0;
    int size = 0;
    bool contains(int index) const { return index >= first && index < first + size; }
};

struct Grid {
    /// `ranks` is a power of two; `order` is that of the matrix.
    Grid(int rank, int ranks, int order);

    int rows, columns;  ///< of ranks; columns are as many as rows, or twice as many
    int row, column;    ///< of this rank
    Range matrix_rows, matrix_columns;

    /// The part of matrix_rows that this rank sends to its transpose partner: all, or its half,
    /// which is the partner's matrix_columns.
    Range own_part;
    /// The ranks of the same row that are a bit of the column away; the farthest first.
    std::vector<int> row_partners;
    /// Who has, as columns, what this rank has as rows; perhaps this rank itself.
    int transpose_partner;
};

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
