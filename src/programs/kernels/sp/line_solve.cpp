#include "kernels/sp/line_solve.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd::sp {

namespace {

constexpr int matrices = 3;
constexpr int factors_a_row = 2 * matrices;

/// Lines side by side: the distance between them is known to the compiler.
using Adjacent = std::integral_constant<std::ptrdiff_t, 1>;

constexpr int matrix_of(int component) {
    return component < 3 ? 0 : component - 2;
}

/// What the entries of a row are made of, besides the flow.
struct Weights {
    double convective, viscous, constant;
    Stencil fourth;
};

Weights weights(const Grid& grid, std::size_t axis, int index) {
    const Stencil d4 = fourth_difference(index, grid.n);
    const double scale = grid.dt * fourth_order;
    return {grid.dt * grid.t2(),
            grid.dt * grid.t1() * c1345,
            grid.dt * grid.t1() * second_order[axis],
            {scale * d4.before2, scale * d4.before, scale * d4.centre, scale * d4.after,
             scale * d4.after2}};
}

/// One matrix' row at `lanes` lines: its entries, less what the two rows before it take away. The
/// arrays begin at this row's point of the first line.
template <int sign, class Lane>
void factorise(const Weights& w, int lanes, Lane lane, std::ptrdiff_t step,
               const double* __restrict__ speed, const double* __restrict__ sound,
               const double* __restrict__ inverse_density, const double* __restrict__ before,
               const double* __restrict__ before2, double* __restrict__ factors,
               double* __restrict__ lower, double* __restrict__ inverse) {
    const auto convective = [&](std::ptrdiff_t at) {
        return w.convective * (sign == 0 ? speed[at] : speed[at] + sign * sound[at]);
    };
    const auto viscous = [&](std::ptrdiff_t at) {
        return w.constant + w.viscous * inverse_density[at];
    };
    for (std::ptrdiff_t l = 0; l < lanes; ++l) {
        const std::ptrdiff_t at = l * lane;
        const double low = w.fourth.before - convective(at - step) - viscous(at - step) -
                           w.fourth.before2 * before2[l];
        const double pivot = 1 + w.fourth.centre + 2 * viscous(at) -
                             w.fourth.before2 * before2[lanes + l] - low * before[l];
        const double up =
            w.fourth.after + convective(at + step) - viscous(at + step) - low * before[lanes + l];
        const double reciprocal = 1 / pivot;
        factors[l] = up * reciprocal;
        factors[lanes + l] = w.fourth.after2 * reciprocal;
        lower[l] = low;
        inverse[l] = reciprocal;
    }
}

template <class Lane>
void forward(int lanes, Lane lane, std::ptrdiff_t step, double low2, const double* __restrict__ low,
             const double* __restrict__ inverse, double* b) {
    double* __restrict__ here = b;
    const double* __restrict__ before = b - step;
    const double* __restrict__ before2 = b - 2 * step;
    for (std::ptrdiff_t l = 0; l < lanes; ++l) {
        const std::ptrdiff_t at = l * lane;
        here[at] = (here[at] - low2 * before2[at] - low[l] * before[at]) * inverse[l];
    }
}

template <class Lane>
void backward(int lanes, Lane lane, std::ptrdiff_t step, const double* __restrict__ factors,
              double* b) {
    double* __restrict__ here = b;
    const double* __restrict__ after = b + step;
    const double* __restrict__ after2 = b + 2 * step;
    for (std::ptrdiff_t l = 0; l < lanes; ++l) {
        const std::ptrdiff_t at = l * lane;
        here[at] -= factors[l] * after[at] + factors[lanes + l] * after2[at];
    }
}

/// A row of b at all lanes, to and from a message.
double* copy_out(const double* b, const Lines& lines, double* out) {
    for (int l = 0; l < lines.lanes; ++l)
        *out++ = b[l * lines.lane];
    return out;
}
const double* copy_in(double* b, const Lines& lines, const double* in) {
    for (int l = 0; l < lines.lanes; ++l)
        b[l * lines.lane] = *in++;
    return in;
}

/// Where the factors of a row begin, which of two rows before the cell may be one.
std::ptrdiff_t factors_at(const Lines& lines, int sheet, int position) {
    const std::ptrdiff_t row = std::ptrdiff_t{sheet} * (lines.length + 2) + position + 2;
    return row * factors_a_row * lines.lanes;
}

/// Calls work with the distance of lines: known when compiling where it is 1.
template <class Work>
void with_lane(const Lines& lines, Work&& work) {
    if (lines.lane == 1)
        work(Adjacent{});
    else
        work(lines.lane);
}

}  // namespace

struct LineSolve::Row {
    int sheet, position;
    std::ptrdiff_t at;  ///< of the first line's point
};

LineSolve::LineSolve(const Box& box) {
    std::size_t rows = 0;
    std::size_t longest = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const Lines lines(box, axis);
        rows = std::max(rows, lines.count() * static_cast<std::size_t>(lines.length + 2));
        longest = std::max(longest, static_cast<std::size_t>(lines.lanes));
    }
    factors_.resize(rows * factors_a_row);
    lower_.resize(longest);
    inverse_.resize(longest);
}

/// The two rows before the cell: those of the cell before it, or none.
void LineSolve::begin(Flow& flow, const Lines& lines, int sheet, const double* in) {
    const std::ptrdiff_t size = 2 * factors_a_row * lines.lanes;
    double* rows = factors_.data() + factors_at(lines, sheet, -2);
    if (in == nullptr) {
        std::fill_n(rows, size, 0.0);
        return;
    }
    in += std::ptrdiff_t{sheet} * static_cast<std::ptrdiff_t>(forward_doubles) * lines.lanes;
    std::copy_n(in, size, rows);
    in += size;
    for (const int row : {-2, -1})
        for (int m = 0; m < components; ++m)
            in = copy_in(flow.b[m] + lines.at(sheet) + row * lines.step, lines, in);
}

void LineSolve::end(const Flow& flow, const Lines& lines, int sheet, double* out) const {
    out += std::ptrdiff_t{sheet} * static_cast<std::ptrdiff_t>(forward_doubles) * lines.lanes;
    out = std::copy_n(factors_.data() + factors_at(lines, sheet, lines.length - 2),
                      std::ptrdiff_t{2} * factors_a_row * lines.lanes, out);
    for (const int row : {lines.length - 2, lines.length - 1})
        for (int m = 0; m < components; ++m)
            out = copy_out(flow.b[m] + lines.at(sheet) + row * lines.step, lines, out);
}

template <class Lane>
void LineSolve::eliminate_row(Flow& flow, const Field& sound, const Lines& lines, Lane lane,
                              const Row& row) {
    const Box& box = flow.box;
    const int lanes = lines.lanes;
    const auto axis = lines.along;
    const Weights w = weights(flow.grid, axis, box.origin(axis) + box.first(axis) + row.position);
    const double* speed = flow.velocity[static_cast<int>(axis)] + row.at;
    const double* a = sound[0] + row.at;
    const double* inverse_density = flow.inverse_density[0] + row.at;
    double* const here = factors_.data() + factors_at(lines, row.sheet, row.position);
    const double* const before = factors_.data() + factors_at(lines, row.sheet, row.position - 1);
    const double* const before2 = factors_.data() + factors_at(lines, row.sheet, row.position - 2);
    double* low = lower_.data();
    double* inverse = inverse_.data();
    const auto solve = [&](auto sign, int matrix) {
        const std::ptrdiff_t skip = std::ptrdiff_t{2} * matrix * lanes;
        factorise<sign>(w, lanes, lane, lines.step, speed, a, inverse_density, before + skip,
                        before2 + skip, here + skip, low, inverse);
        for (int m = 0; m < components; ++m)
            if (matrix_of(m) == matrix)
                forward(lanes, lane, lines.step, w.fourth.before2, low, inverse,
                        flow.b[m] + row.at);
    };
    solve(std::integral_constant<int, 0>{}, 0);
    solve(std::integral_constant<int, 1>{}, 1);
    solve(std::integral_constant<int, -1>{}, 2);
}

void LineSolve::eliminate(Flow& flow, const Field& sound, std::size_t axis, const double* in,
                          double* out) {
    const Lines lines(flow.box, axis);
    with_lane(lines, [&](auto lane) {
        for (int sheet = 0; sheet < lines.sheets; ++sheet) {
            begin(flow, lines, sheet, in);
            for (int position = 0; position < lines.length; ++position)
                eliminate_row(flow, sound, lines, lane,
                              {sheet, position, lines.at(sheet) + position * lines.step});
            if (out != nullptr) end(flow, lines, sheet, out);
        }
    });
}

void LineSolve::substitute(Flow& flow, std::size_t axis, const double* in, double* out) const {
    const Lines lines(flow.box, axis);
    with_lane(lines, [&](auto lane) {
        for (int sheet = 0; sheet < lines.sheets; ++sheet)
            for (int m = 0; m < components; ++m) {
                double* b = flow.b[m] + lines.at(sheet);
                if (in != nullptr)
                    for (const int row : {lines.length, lines.length + 1})
                        in = copy_in(b + row * lines.step, lines, in);
                for (int position = lines.length - 1; position >= 0; --position)
                    backward(lines.lanes, lane, lines.step,
                             factors_.data() + factors_at(lines, sheet, position) +
                                 2 * matrix_of(m) * lines.lanes,
                             b + position * lines.step);
                if (out != nullptr)
                    for (const int row : {0, 1})
                        out = copy_out(b + row * lines.step, lines, out);
            }
    });
}

}  // namespace railyard::kernels::cfd::sp
