#pragma once
/// The lines of a box along an axis, inside the grid. Lines that lie side by side in memory, where
/// there are any, are the lanes over which loops run; the rest are sheets of lanes.

#include "kernels/cfd/box.hpp"

namespace railyard::kernels::cfd {

struct Lines {
    Lines(const Box& box, std::size_t axis)
        : along(axis),
          across(axis == 0 ? 1 : 0),
          other(axis == 2 ? 1 : 2),
          start(box.at(box.first(0), box.first(1), box.first(2))),
          step(box.stride(axis)),
          lane(box.stride(across)),
          sheet(box.stride(other)),
          length(box.last(axis) - box.first(axis)),
          lanes(box.last(across) - box.first(across)),
          sheets(box.last(other) - box.first(other)) {}

    std::size_t count() const {
        return static_cast<std::size_t>(lanes) * static_cast<std::size_t>(sheets);
    }
    /// The first point of the first line of a sheet.
    std::ptrdiff_t at(int which_sheet) const { return start + which_sheet * sheet; }

    std::size_t along, across, other;  ///< axes
    std::ptrdiff_t start;              ///< of the first point of the first line
    std::ptrdiff_t step, lane, sheet;  ///< from point to point, and between lines
    int length, lanes, sheets;
};

}  // namespace railyard::kernels::cfd
