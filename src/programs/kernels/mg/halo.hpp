#pragma once
/// The exchanges of MG: outermost layers of a field to the neighbours, axis by axis, and what a
/// rank that had no points on a coarse grid gets after prolongation.

#include <cstddef>
#include <vector>

#include "kernels/mg/levels.hpp"

namespace railyard::kernels::multigrid {

class Halo {
  public:
    /// `any_source`: receives do not name who sends, as in versions up to 3.2.
    explicit Halo(bool any_source) : any_source_(any_source) {}

    /// Fills the outermost layers of a field with those of the neighbours; the domain is periodic.
    void exchange(const Level& level, double* field);
    /// Along each axis, ranks that had points on the coarser level give those that had none theirs.
    void hand_over(const Level& level, double* field);

  private:
    /// Which layers along an axis, and all of the other axes or their inner part.
    struct Box {
        PerAxis<int> first, last;
    };
    static Box layers(const Level& level, std::size_t axis, int first, int last, bool whole);

    void swap_layers(const Level& level, std::size_t axis, double* field);
    static void wrap(const Level& level, std::size_t axis, double* field);
    void send(const Level& level, std::size_t axis, bool up, const double* field, const Box& box);

    bool any_source_;
    std::vector<double> out_, from_lower_, from_upper_;
};

}  // namespace railyard::kernels::multigrid
