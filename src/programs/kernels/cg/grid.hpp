#pragma once
/// Which part of the matrix a rank of CG has, and with whom it talks: ranks stand in rows and
/// columns, and a rank has the block of the matrix where its row and its column cross.

#include <vector>

namespace railyard::kernels::conjugate {

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

}  // namespace railyard::kernels::conjugate
