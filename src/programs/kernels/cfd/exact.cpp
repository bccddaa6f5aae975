#include "kernels/cfd/exact.hpp"

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd {

namespace {

/// A constant, and the factors of x, y, z, then of their squares, cubes and fourth powers.
constexpr double polynomial[components][13] = {
    {2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
};

/// The faces' exact values, blended: the unknowns inside, at the start.
Five blended(double x, double y, double z) {
    const Five x0 = exact(0, y, z), x1 = exact(1, y, z);
    const Five y0 = exact(x, 0, z), y1 = exact(x, 1, z);
    const Five z0 = exact(x, y, 0), z1 = exact(x, y, 1);
    Five value{};
    for (std::size_t m = 0; m < components; ++m) {
        const double px = (1 - x) * x0[m] + x * x1[m];
        const double py = (1 - y) * y0[m] + y * y1[m];
        const double pz = (1 - z) * z0[m] + z * z1[m];
        value[m] = px + py + pz - px * py - py * pz - pz * px + px * py * pz;
    }
    return value;
}

void set(Flow& flow, const Region& region, Five (*value)(double, double, double)) {
    const Box& box = flow.box;
    const double h = flow.grid.h();
    for (int k = region.first[2]; k < region.last[2]; ++k)
        for (int j = region.first[1]; j < region.last[1]; ++j)
            for (int i = region.first[0]; i < region.last[0]; ++i) {
                const Five five = value((box.origin(0) + i) * h, (box.origin(1) + j) * h,
                                        (box.origin(2) + k) * h);
                for (int m = 0; m < components; ++m)
                    flow.u[m][box.at(i, j, k)] = five[static_cast<std::size_t>(m)];
            }
}

}  // namespace

Five exact(double x, double y, double z) {
    Five value{};
    for (std::size_t m = 0; m < components; ++m) {
        const double* c = polynomial[m];
        value[m] = c[0] + x * (c[1] + x * (c[4] + x * (c[7] + x * c[10]))) +
                   y * (c[2] + y * (c[5] + y * (c[8] + y * c[11]))) +
                   z * (c[3] + z * (c[6] + z * (c[9] + z * c[12])));
    }
    return value;
}

void set_exact(Flow& flow) {
    set(flow, flow.box.with_ghosts(), exact);
}

void set_initial(Flow& flow) {
    set_exact(flow);
    set(flow, flow.box.interior(), blended);
}

}  // namespace railyard::kernels::cfd
