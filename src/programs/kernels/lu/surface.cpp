#include "kernels/lu/surface.hpp"

#include <algorithm>

#include "kernels/cfd/flow.hpp"
#include "kernels/cfd/layers.hpp"

namespace railyard::kernels::cfd::lu {

namespace {

/// One layer of the upper neighbours' pressure, the corner included: what comes along y is passed
/// on along x.
void fetch_pressure(Flow& flow, Pencils& pencils) {
    const Box& box = flow.box;
    pencils.shift(flow.pressure, 1, {1, false}, layers(box, 1, 0, 1),
                  layers(box, 1, box.size(1), box.size(1) + 1));
    Region out = layers(box, 0, 0, 1);
    Region in = layers(box, 0, box.size(0), box.size(0) + 1);
    ++out.last[1];
    ++in.last[1];
    pencils.shift(flow.pressure, 1, {0, false}, out, in);
}

/// Two opposite faces across `axis`; `first` and `last` bound the box, in global indices.
double pair_of_faces(const Flow& flow, std::size_t axis, const Triple& first, const Triple& last,
                     MPI_Comm comm) {
    const Box& box = flow.box;
    const double* pressure = flow.pressure[0];
    const std::ptrdiff_t across = box.stride(axis == 0 ? 1 : 0);
    const std::ptrdiff_t up = box.stride(axis == 2 ? 1 : 2);
    double sum = 0;
    for (const int face : {first[axis], last[axis]}) {
        // Of the face's meshes, those whose lowest point is ours.
        Region own{};
        for (std::size_t a = 0; a < axes; ++a) {
            const int from = a == axis ? face : first[a];
            const int to = a == axis ? face + 1 : last[a];
            own.first[a] = std::max(from - box.origin(a), 0);
            own.last[a] = std::min(to - box.origin(a), box.size(a));
        }
        for (int k = own.first[2]; k < own.last[2]; ++k)
            for (int j = own.first[1]; j < own.last[1]; ++j)
                for (int i = own.first[0]; i < own.last[0]; ++i) {
                    const double* p = pressure + box.at(i, j, k);
                    sum += p[0] + p[across] + p[up] + p[across + up];
                }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum * 0.25 * flow.grid.h() * flow.grid.h();
}

}  // namespace

double surface_integral(Flow& flow, Pencils& pencils) {
    const int n = flow.grid.n;
    const Triple first = {1, 1, 2};
    const Triple last = {n - 2, n - 3, n - 2};
    fetch_pressure(flow, pencils);
    double sum = 0;
    for (const std::size_t axis : {2, 1, 0})
        sum += pair_of_faces(flow, axis, first, last, pencils.comm());
    return sum;
}

}  // namespace railyard::kernels::cfd::lu
