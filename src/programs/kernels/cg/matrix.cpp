#include "kernels/cg/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "kernels/common/numbers.hpp"

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

namespace {

struct Element {
    int position;
    double value;
};

/// The vectors v_i, all of them, one after the other. Every rank makes all: which numbers of the
/// sequence are thrown away shows only on the way.
class Vectors {
  public:
    explicit Vectors(const Problem& problem) {
        const auto order = static_cast<unsigned>(problem.order);
        const double span = std::bit_ceil(order);
        const auto each = static_cast<std::size_t>(problem.nonzeros);
        Random random(Random::usual_seed, 1);
        elements_.reserve(order * (each + 1));
        for (int i = 0; i < problem.order; ++i) {
            start_.push_back(elements_.size());
            while (elements_.size() < start_.back() + each) {
                const double value = random.next();
                const int position = static_cast<int>(span * random.next());
                if (position < problem.order && !find(position))
                    elements_.push_back({position, value});
            }
            if (Element* own = find(i))
                own->value = 0.5;
            else
                elements_.push_back({i, 0.5});
        }
        start_.push_back(elements_.size());
    }

    const Element* begin(int i) const { return &elements_[start_[static_cast<std::size_t>(i)]]; }
    const Element* end(int i) const {
        return elements_.data() + start_[static_cast<std::size_t>(i) + 1];
    }

  private:
    /// In the vector that is being made.
    Element* find(int position) {
        for (std::size_t i = start_.back(); i < elements_.size(); ++i)
            if (elements_[i].position == position) return &elements_[i];
        return nullptr;
    }

    std::vector<Element> elements_;
    std::vector<std::size_t> start_;
};

/// Adds what a row gets from one vector after the other, and hands out the sums in the order of
/// columns.
class RowSum {
  public:
    explicit RowSum(const Range& columns)
        : columns_(columns), sum_(static_cast<std::size_t>(columns.size)), used_(sum_.size()) {}

    void add(int column, double value) {
        if (!columns_.contains(column)) return;
        const auto at = static_cast<std::size_t>(column - columns_.first);
        if (used_[at] == 0) touched_.push_back(static_cast<int>(at));
        used_[at] = 1;
        sum_[at] += value;
    }
    void move_to(std::vector<int>& columns, std::vector<double>& values) {
        std::sort(touched_.begin(), touched_.end());
        for (const int column : touched_) {
            const auto at = static_cast<std::size_t>(column);
            columns.push_back(column);
            values.push_back(sum_[at]);
            sum_[at] = 0;
            used_[at] = 0;
        }
        touched_.clear();
    }

  private:
    Range columns_;
    std::vector<double> sum_;
    std::vector<char> used_;
    std::vector<int> touched_;
};

/// A vector that has an element in some row.
struct Appearance {
    int vector;
    double value;
};

/// For each of `rows`, the vectors that appear in it, in their order.
std::vector<std::vector<Appearance>> appearances(const Vectors& vectors, int order,
                                                 const Range& rows) {
    std::vector<std::vector<Appearance>> all(static_cast<std::size_t>(rows.size));
    for (int i = 0; i < order; ++i)
        for (const Element* e = vectors.begin(i); e != vectors.end(i); ++e)
            if (rows.contains(e->position))
                all[static_cast<std::size_t>(e->position - rows.first)].push_back({i, e->value});
    return all;
}

}  // namespace

Matrix::Matrix(const Problem& problem, const Range& rows, const Range& columns) {
    const Vectors vectors(problem);
    const auto in_rows = appearances(vectors, problem.order, rows);
    RowSum sum(columns);
    row_start_.push_back(0);
    for (int r = 0; r < rows.size; ++r) {
        const int row = rows.first + r;
        for (const Appearance& one : in_rows[static_cast<std::size_t>(r)]) {
            const double weight =
                std::pow(0.1, static_cast<double>(one.vector) / problem.order) * one.value;
            for (const Element* e = vectors.begin(one.vector); e != vectors.end(one.vector); ++e)
                sum.add(e->position, weight * e->value);
        }
        sum.add(row, 0.1 - problem.shift);
        sum.move_to(column_, value_);
        row_start_.push_back(static_cast<int>(column_.size()));
    }
}

void Matrix::multiply(const double* x, double* result) const {
    const int rows = static_cast<int>(row_start_.size()) - 1;
    const int* start = row_start_.data();
    const int* column = column_.data();
    const double* value = value_.data();
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int i = start[r]; i < start[r + 1]; ++i)
            sum += value[i] * x[column[i]];
        result[r] = sum;
    }
}

}  // namespace railyard::kernels::conjugate
