#include "kernels/cfd/layers.hpp"

#include <algorithm>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd {

namespace {

template <class Row>
void for_rows(const Box& box, const Region& region, Row&& row) {
    for (int k = region.first[2]; k < region.last[2]; ++k)
        for (int j = region.first[1]; j < region.last[1]; ++j)
            row(box.at(region.first[0], j, k));
}

}  // namespace

double* pack(const Box& box, const Field& field, int values, const Region& region, double* out) {
    const int points = region.size(0);
    for (int m = 0; m < values; ++m)
        for_rows(box, region, [&, from = field[m]](std::ptrdiff_t at) {
            out = std::copy_n(from + at, points, out);
        });
    return out;
}

const double* unpack(const Box& box, Field& field, int values, const Region& region,
                     const double* in) {
    const int points = region.size(0);
    for (int m = 0; m < values; ++m)
        for_rows(box, region, [&, to = field[m]](std::ptrdiff_t at) {
            std::copy_n(in, points, to + at);
            in += points;
        });
    return in;
}

Region layers(const Box& box, std::size_t axis, int first, int last) {
    Region region{{0, 0, 0}, {box.size(0), box.size(1), box.size(2)}};
    region.first[axis] = first;
    region.last[axis] = last;
    return region;
}

}  // namespace railyard::kernels::cfd
