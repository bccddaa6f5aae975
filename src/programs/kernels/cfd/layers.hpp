#pragma once
/// Layers of points, copied between a field and a message.

#include <cstddef>

#include "kernels/cfd/box.hpp"

namespace railyard::kernels::cfd {

class Field;

/// Copies the region's points, `values` a point, to `out`, which the caller owns. Returns where the
/// next would go.
double* pack(const Box& box, const Field& field, int values, const Region& region, double* out);
/// The reverse.
const double* unpack(const Box& box, Field& field, int values, const Region& region,
                     const double* in);

/// The box's own points, but along `axis` only those from first up to and without last.
Region layers(const Box& box, std::size_t axis, int first, int last);

}  // namespace railyard::kernels::cfd
