#pragma once
/// The 5 x 5 blocks of BT's systems: made from the flow at a point, multiplied and solved, all of
/// it written out by the compiler.

#include <cstddef>
#include <cstring>
#include <utility>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd::bt {

/// Two lines solved at once, one in each half of a vector register: the same code serves a single
/// line, with double, and a pair of lines.
using Pair = double __attribute__((vector_size(2 * sizeof(double))));

template <class Lanes>
inline constexpr int width = sizeof(Lanes) / sizeof(double);

template <class Lanes>
[[gnu::always_inline]] inline Lanes splat(double value) {
    return Lanes{} + value;
}

/// Lanes that lie side by side.
template <class Lanes>
[[gnu::always_inline]] inline Lanes load(const double* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
template <class Lanes>
[[gnu::always_inline]] inline void store(const Lanes& lanes, double* to) {
    std::memcpy(to, &lanes, sizeof lanes);
}

/// Lanes that lie `apart`.
template <class Lanes>
[[gnu::always_inline]] inline Lanes load(const double* from, std::ptrdiff_t apart) {
    if constexpr (width<Lanes> == 1)
        return *from;
    else
        return Lanes{from[0], from[apart]};
}
template <class Lanes>
[[gnu::always_inline]] inline void store(const Lanes& lanes, double* to, std::ptrdiff_t apart) {
    if constexpr (width<Lanes> == 1) {
        *to = lanes;
    } else {
        to[0] = lanes[0];
        to[apart] = lanes[1];
    }
}

/// Calls work(0) ... work(n-1), with numbers that are known when compiling: a loop that is always
/// unrolled, so that what it works on can stay in registers.
template <int n, class Work>
[[gnu::always_inline]] inline void unrolled(Work&& work) {
    [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
        (work(std::integral_constant<int, i>{}), ...);
    }
    (std::make_integer_sequence<int, n>{});
}

template <class Lanes>
struct Block {
    Lanes v[components][components];
};
template <class Lanes>
struct Vector {
    Lanes v[components];
};

/// What the blocks of a point are made of.
template <class Lanes>
struct Point {
    Lanes velocity[axes];
    Lanes kinetic;
    Lanes inverse_density;
    Lanes energy;  ///< per mass
};

/// Factors of the Jacobians in the blocks.
struct Factors {
    double convective;  ///< dt t2
    double viscous;     ///< dt t1
};

/// Whether a block beside the diagonal has an entry there.
template <int axis>
constexpr bool has_entry(int row, int column) {
    constexpr int g = axis + 1;
    if (row == g || row == components - 1) return true;
    return column == row || column == g || (column == 0 && row != 0);
}

/// factor (N + d I), N the viscous Jacobian: it has no entry above the diagonal.
template <int axis, class Lanes>
[[gnu::always_inline]] inline Block<Lanes> viscous_block(const Point<Lanes>& at, double factor) {
    Block<Lanes> block{};
    const Lanes scale = factor * at.inverse_density;
    block.v[0][0] = splat<Lanes>(factor * second_order[axis]);
    Lanes work = c1345 * at.energy;
    unrolled<axes>([&](auto m) __attribute__((always_inline)) {
        constexpr double damping = c34 * (m == axis ? along : 1.0);
        const Lanes velocity = at.velocity[m];
        block.v[m + 1][0] = -damping * scale * velocity;
        block.v[m + 1][m + 1] = damping * scale + factor * second_order[axis];
        block.v[4][m + 1] = (damping - c1345) * scale * velocity;
        work += (damping - c1345) * velocity * velocity;
    });
    block.v[4][0] = -scale * work;
    block.v[4][4] = c1345 * scale + factor * second_order[axis];
    return block;
}

/// factor A, A the convective Jacobian, added to a block.
template <int axis, class Lanes>
[[gnu::always_inline]] inline void add_convective(Block<Lanes>& block, const Point<Lanes>& at,
                                                  double factor) {
    constexpr int g = axis + 1;
    const Lanes speed = at.velocity[axis];
    const Lanes scaled = factor * speed;
    block.v[0][g] += factor;
    unrolled<axes>([&](auto m) __attribute__((always_inline)) {
        if constexpr (m != axis) {
            const Lanes velocity = at.velocity[m];
            block.v[m + 1][0] -= scaled * velocity;
            block.v[m + 1][m + 1] += scaled;
            block.v[m + 1][g] += factor * velocity;
            block.v[g][m + 1] -= factor * c2 * velocity;
            block.v[4][m + 1] -= c2 * scaled * velocity;
        }
    });
    block.v[g][0] += factor * (c2 * at.kinetic - speed * speed);
    block.v[g][g] += (2 - c2) * scaled;
    block.v[g][4] += factor * c2;
    block.v[4][0] += scaled * (2 * c2 * at.kinetic - c1 * at.energy);
    block.v[4][g] += factor * (c1 * at.energy - c2 * (at.kinetic + speed * speed));
    block.v[4][4] += c1 * scaled;
}

/// The block below the diagonal, made at the point before the row's.
template <int axis, class Lanes>
[[gnu::always_inline]] inline Block<Lanes> lower_block(const Point<Lanes>& at, const Factors& f) {
    Block<Lanes> block = viscous_block<axis>(at, -f.viscous);
    add_convective<axis>(block, at, -f.convective);
    return block;
}
/// The block above the diagonal, made at the point after.
template <int axis, class Lanes>
[[gnu::always_inline]] inline Block<Lanes> upper_block(const Point<Lanes>& at, const Factors& f) {
    Block<Lanes> block = viscous_block<axis>(at, -f.viscous);
    add_convective<axis>(block, at, f.convective);
    return block;
}
template <int axis, class Lanes>
[[gnu::always_inline]] inline Block<Lanes> centre_block(const Point<Lanes>& at, const Factors& f) {
    Block<Lanes> block = viscous_block<axis>(at, 2 * f.viscous);
    unrolled<components>([&](auto m) __attribute__((always_inline)) { block.v[m][m] += 1.0; });
    return block;
}

/// target -= lower times factor, and right -= lower times before: a lower block lacks some entries.
template <int axis, class Lanes>
[[gnu::always_inline]] inline void subtract_products(const Block<Lanes>& lower,
                                                     const Block<Lanes>& factor,
                                                     const Vector<Lanes>& before,
                                                     Block<Lanes>& target, Vector<Lanes>& right) {
    unrolled<components>([&](auto i) __attribute__((always_inline)) {
        unrolled<components>([&](auto k) __attribute__((always_inline)) {
            if constexpr (has_entry<axis>(i, k)) {
                const Lanes entry = lower.v[i][k];
                unrolled<components>([&](auto j) __attribute__((always_inline)) {
                    target.v[i][j] -= entry * factor.v[k][j];
                });
                right.v[i] -= entry * before.v[k];
            }
        });
    });
}

/// Turns a block into its two triangles, the diagonal into its inverse. These need no pivoting.
template <class Lanes>
[[gnu::always_inline]] inline void factorise(Block<Lanes>& block) {
    unrolled<components>([&](auto p) __attribute__((always_inline)) {
        block.v[p][p] = 1.0 / block.v[p][p];
        unrolled<components - 1 - p>([&](auto offset) __attribute__((always_inline)) {
            constexpr int i = p + 1 + offset;
            block.v[i][p] *= block.v[p][p];
            unrolled<components - 1 - p>([&](auto to) __attribute__((always_inline)) {
                constexpr int j = p + 1 + to;
                block.v[i][j] -= block.v[i][p] * block.v[p][j];
            });
        });
    });
}

/// Solves for one right-hand side, of which `x(i)` is entry i.
template <class Lanes, class Entry>
[[gnu::always_inline]] inline void solve(const Block<Lanes>& triangles, Entry&& x) {
    unrolled<components>([&](auto i) __attribute__((always_inline)) {
        unrolled<i>([&](auto k)
                        __attribute__((always_inline)) { x(i) -= triangles.v[i][k] * x(k); });
    });
    unrolled<components>([&](auto down) __attribute__((always_inline)) {
        constexpr int i = components - 1 - down;
        unrolled<down>([&](auto offset) __attribute__((always_inline)) {
            constexpr int k = i + 1 + offset;
            x(i) -= triangles.v[i][k] * x(k);
        });
        x(i) *= triangles.v[i][i];
    });
}

/// Solves for a block and a vector at once.
template <class Lanes>
[[gnu::always_inline]] inline void solve(Block<Lanes>& block, Block<Lanes>& right,
                                         Vector<Lanes>& vector) {
    factorise(block);
    unrolled<components>([&](auto j) __attribute__((always_inline)) {
        solve(
            block, [&](int i) __attribute__((always_inline))->Lanes & { return right.v[i][j]; });
    });
    solve(
        block, [&](int i) __attribute__((always_inline))->Lanes & { return vector.v[i]; });
}

}  // namespace railyard::kernels::cfd::bt
