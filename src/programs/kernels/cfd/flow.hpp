#pragma once
/// The flow in one box: its unknowns, the right-hand sides, and what follows from the unknowns at a
/// point. A component is a flat array of its own, so that loops along x run over neighbours.

#include <vector>

#include "kernels/cfd/box.hpp"

namespace railyard::kernels::cfd {

/// One or more values a point, each an array over the box and the layers around it. Zero at first.
class Field {
  public:
    Field(const Box& box, int values)
        : volume_(box.volume()), data_(volume_ * static_cast<std::size_t>(values)) {}

    double* operator[](int value) {
        return data_.data() + volume_ * static_cast<std::size_t>(value);
    }
    const double* operator[](int value) const {
        return data_.data() + volume_ * static_cast<std::size_t>(value);
    }

  private:
    std::size_t volume_;
    std::vector<double> data_;
};

struct Flow {
    Flow(const Grid& of_grid, const Box& of_box)
        : grid(of_grid),
          box(of_box),
          u(box, components),
          b(box, components),
          forcing(box, components),
          velocity(box, axes),
          inverse_density(box, 1),
          kinetic(box, 1),
          pressure(box, 1) {}

    Grid grid;
    Box box;
    Field u;                ///< the unknowns
    Field b;                ///< the right-hand sides, then their solution; 0 on the boundary
    Field forcing;          ///< what the exact solution would change by; 0 on the boundary
    Field velocity;         ///< by axis
    Field inverse_density;  ///< 1 / rho
    Field kinetic;          ///< q: half the square of the speed
    Field pressure;         ///< c2 (U5 - rho q)
};

/// What follows from the unknowns, for rows first..last-1 along y, and one point around the box
/// along x and z.
void derive(Flow& flow, int first_row, int last_row);
/// For all points that residuals need: the box and one point around it.
inline void derive(Flow& flow) {
    derive(flow, -1, flow.box.size(1) + 1);
}

/// U = U + scale b, inside.
void add_solution(Flow& flow, double scale);

}  // namespace railyard::kernels::cfd
