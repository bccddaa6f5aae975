#include "kernels/bt/line_solve.hpp"

#include <algorithm>

#include "kernels/bt/blocks.hpp"

namespace railyard::kernels::cfd::bt {

namespace {

constexpr int entries = components * components;

/// One or two lines along an axis, of a flow: where their points are and how they are read.
template <int axis, class Lanes>
class Group {
  public:
    Group(Flow& flow, const Lines& lines)
        : u_(flow.velocity[0]),
          v_(flow.velocity[1]),
          w_(flow.velocity[2]),
          kinetic_(flow.kinetic[0]),
          inverse_(flow.inverse_density[0]),
          energy_(flow.u[4]),
          b_{flow.b[0], flow.b[1], flow.b[2], flow.b[3], flow.b[4]},
          lane_(lines.lane) {}

    [[gnu::always_inline]] Point<Lanes> point(std::ptrdiff_t at) const {
        const Lanes inverse = get(inverse_, at);
        return {{get(u_, at), get(v_, at), get(w_, at)},
                get(kinetic_, at),
                inverse,
                get(energy_, at) * inverse};
    }
    [[gnu::always_inline]] Vector<Lanes> right(std::ptrdiff_t at) const {
        return {{get(b_[0], at), get(b_[1], at), get(b_[2], at), get(b_[3], at), get(b_[4], at)}};
    }
    [[gnu::always_inline]] void set_right(std::ptrdiff_t at, const Vector<Lanes>& vector) const {
        unrolled<components>([&](auto m)
                                 __attribute__((always_inline)) { put(vector.v[m], b_[m], at); });
    }

  private:
    /// Lines along y and z lie side by side.
    [[gnu::always_inline]] Lanes get(const double* from, std::ptrdiff_t at) const {
        if constexpr (axis == 0)
            return load<Lanes>(from + at, lane_);
        else
            return load<Lanes>(from + at);
    }
    [[gnu::always_inline]] void put(const Lanes& lanes, double* to, std::ptrdiff_t at) const {
        if constexpr (axis == 0)
            store(lanes, to + at, lane_);
        else
            store(lanes, to + at);
    }

    const double* u_;
    const double* v_;
    const double* w_;
    const double* kinetic_;
    const double* inverse_;
    const double* energy_;
    double* b_[components];
    std::ptrdiff_t lane_;
};

template <class Lanes>
[[gnu::always_inline]] inline Block<Lanes> load_block(const double* from) {
    Block<Lanes> block;
    unrolled<entries>([&](auto e) __attribute__((always_inline)) {
        block.v[e / components][e % components] = load<Lanes>(from + e * width<Lanes>);
    });
    return block;
}
template <class Lanes>
[[gnu::always_inline]] inline void store_block(const Block<Lanes>& block, double* to) {
    unrolled<entries>([&](auto e) __attribute__((always_inline)) {
        store(block.v[e / components][e % components], to + e * width<Lanes>);
    });
}
template <class Lanes>
[[gnu::always_inline]] inline Vector<Lanes> load_vector(const double* from) {
    Vector<Lanes> vector;
    unrolled<components>([&](auto m) __attribute__((always_inline)) {
        vector.v[m] = load<Lanes>(from + m * width<Lanes>);
    });
    return vector;
}
template <class Lanes>
[[gnu::always_inline]] inline void store_vector(const Vector<Lanes>& vector, double* to) {
    unrolled<components>([&](auto m) __attribute__((always_inline)) {
        store(vector.v[m], to + m * width<Lanes>);
    });
}

/// `at` is the first point of the first line, `uppers` where its blocks go.
template <int axis, class Lanes>
void eliminate_lines(Flow& flow, const Lines& lines, std::ptrdiff_t at, double* uppers,
                     const double* in, double* out) {
    const Group<axis, Lanes> group(flow, lines);
    const Factors factors{flow.grid.dt * flow.grid.t2(), flow.grid.dt * flow.grid.t1()};
    Block<Lanes> upper{};
    Vector<Lanes> right{};
    if (in != nullptr) {
        upper = load_block<Lanes>(in);
        right = load_vector<Lanes>(in + entries * width<Lanes>);
    }
    const std::ptrdiff_t step = lines.step;
    for (int position = 0; position < lines.length; ++position, at += step) {
        Block<Lanes> centre = centre_block<axis>(group.point(at), factors);
        Vector<Lanes> here = group.right(at);
        subtract_products<axis>(lower_block<axis>(group.point(at - step), factors), upper, right,
                                centre, here);
        upper = upper_block<axis>(group.point(at + step), factors);
        right = here;
        solve(centre, upper, right);
        store_block(upper, uppers + position * entries * width<Lanes>);
        group.set_right(at, right);
    }
    if (out == nullptr) return;
    store_block(upper, out);
    store_vector(right, out + entries * width<Lanes>);
}

template <int axis, class Lanes>
void substitute_lines(Flow& flow, const Lines& lines, std::ptrdiff_t at, const double* uppers,
                      const double* in, double* out) {
    const Group<axis, Lanes> group(flow, lines);
    Vector<Lanes> x{};
    if (in != nullptr) x = load_vector<Lanes>(in);
    at += (lines.length - 1) * lines.step;
    for (int position = lines.length - 1; position >= 0; --position, at -= lines.step) {
        const Block<Lanes> upper = load_block<Lanes>(uppers + position * entries * width<Lanes>);
        Vector<Lanes> here = group.right(at);
        unrolled<components>([&](auto i) __attribute__((always_inline)) {
            unrolled<components>([&](auto k) __attribute__((always_inline)) {
                here.v[i] -= upper.v[i][k] * x.v[k];
            });
        });
        x = here;
        group.set_right(at, x);
    }
    if (out != nullptr) store_vector(x, out);
}

/// Calls work(axis, lanes, first point, line's number) for all lines: in pairs, and one if it is
/// left.
template <int axis, class Work>
void for_lines(const Lines& lines, Work&& work) {
    for (int sheet = 0; sheet < lines.sheets; ++sheet) {
        const auto line = [&](int lane) { return std::ptrdiff_t{sheet} * lines.lanes + lane; };
        const auto at = [&](int lane) { return lines.at(sheet) + lane * lines.lane; };
        const int paired = lines.lanes - lines.lanes % width<Pair>;
        for (int lane = 0; lane < paired; lane += width<Pair>)
            work(std::integral_constant<int, axis>{}, Pair{}, at(lane), line(lane));
        for (int lane = paired; lane < lines.lanes; ++lane)
            work(std::integral_constant<int, axis>{}, double{}, at(lane), line(lane));
    }
}
template <class Work>
void for_lines(const Lines& lines, Work&& work) {
    switch (lines.along) {
        case 0:
            return for_lines<0>(lines, work);
        case 1:
            return for_lines<1>(lines, work);
        default:
            return for_lines<2>(lines, work);
    }
}

}  // namespace

LineSolve::LineSolve(const Box& box) {
    std::size_t points = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const Lines lines(box, axis);
        points = std::max(points, lines.count() * static_cast<std::size_t>(lines.length));
    }
    uppers_.resize(points * entries);
}

void LineSolve::eliminate(Flow& flow, std::size_t axis, const double* in, double* out) {
    const Lines lines(flow.box, axis);
    for_lines(lines, [&](auto which, auto lanes, std::ptrdiff_t at, std::ptrdiff_t line) {
        const std::ptrdiff_t message = line * static_cast<std::ptrdiff_t>(forward_doubles);
        eliminate_lines<which, decltype(lanes)>(
            flow, lines, at, uppers_.data() + line * lines.length * entries,
            in != nullptr ? in + message : nullptr, out != nullptr ? out + message : nullptr);
    });
}

void LineSolve::substitute(Flow& flow, std::size_t axis, const double* in, double* out) const {
    const Lines lines(flow.box, axis);
    for_lines(lines, [&](auto which, auto lanes, std::ptrdiff_t at, std::ptrdiff_t line) {
        const std::ptrdiff_t message = line * static_cast<std::ptrdiff_t>(backward_doubles);
        substitute_lines<which, decltype(lanes)>(
            flow, lines, at, uppers_.data() + line * lines.length * entries,
            in != nullptr ? in + message : nullptr, out != nullptr ? out + message : nullptr);
    });
}

}  // namespace railyard::kernels::cfd::bt
