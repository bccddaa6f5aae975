#include "kernels/cg/grid.hpp"

#include <algorithm>

#include "kernels/common/powers.hpp"

namespace railyard::kernels::conjugate {

namespace {

/// Part `index` of `parts`; leading parts are longer where they do not come out even.
Range part(const Range& whole, int index, int parts) {
    const int each = whole.size / parts;
    const int more = whole.size % parts;
    return {whole.first + index * each + std::min(index, more), each + (index < more ? 1 : 0)};
}

}  // namespace

Grid::Grid(int rank, int ranks, int order) {
    rows = 1 << (log2_of(ranks) / 2);
    columns = ranks / rows;
    row = rank / columns;
    column = rank % columns;
    const Range all{0, order};
    matrix_rows = part(all, row, rows);
    if (columns == rows) {
        matrix_columns = part(all, column, columns);
        own_part = matrix_rows;
        transpose_partner = column * columns + row;
    } else {
        // Two columns share what is one row, so that halves of rows are columns, always.
        matrix_columns = part(part(all, column / 2, rows), column % 2, 2);
        own_part = part(matrix_rows, column % 2, 2);
        transpose_partner = column / 2 * columns + 2 * row + column % 2;
    }
    for (int bit = columns / 2; bit > 0; bit /= 2)
        row_partners.push_back(row * columns + (column ^ bit));
}

}  // namespace railyard::kernels::conjugate
