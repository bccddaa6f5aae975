#pragma once
/// SP's solves along the lines of one cell: five scalar systems a line, each with five diagonals.
/// The first three components have the same matrix; the others have one each.

#include <vector>

#include "kernels/cfd/flow.hpp"

namespace railyard::kernels::cfd::sp {

class LineSolve {
  public:
    /// Doubles that a line hands on to the next cell: for each of two rows two factors of three
    /// matrices and the right-hand sides; and back, the solution of two rows.
    static constexpr std::size_t forward_doubles = 22;
    static constexpr std::size_t backward_doubles = 10;

    explicit LineSolve(const Box& box);

    /// Eliminates what is below the diagonal. `in` is from the cell before, null at the first;
    /// `out` is for the next, null at the last; both are the caller's.
    void eliminate(Flow& flow, const Field& sound, std::size_t axis, const double* in, double* out);
    /// Substitutes back; the same with `in` from the next cell and `out` for the one before.
    void substitute(Flow& flow, std::size_t axis, const double* in, double* out) const;

  private:
    struct Row;

    void begin(Flow& flow, const Lines& lines, int sheet, const double* in);
    void end(const Flow& flow, const Lines& lines, int sheet, double* out) const;
    template <class Lane>
    void eliminate_row(Flow& flow, const Field& sound, const Lines& lines, Lane lane,
                       const Row& row);

    /// Of every row, after elimination: those of the next point and of the one after it, for each
    /// matrix. Two rows more are for what comes from the cell before.
    std::vector<double> factors_;
    std::vector<double> lower_;    ///< of one row
    std::vector<double> inverse_;  ///< of one row
};

// SP's changes of variables: from the unknowns to the characteristic variables of x, from one
// axis' to the next one's, and back. Each replaces b at every point inside.

/// The speed of sound, wherever derive() has been.
void set_sound(const Flow& flow, Field& sound);

void to_x(Flow& flow, const Field& sound);
void from_x_to_y(Flow& flow);
void from_y_to_z(Flow& flow);
void from_z(Flow& flow, const Field& sound);

}  // namespace railyard::kernels::cfd::sp
