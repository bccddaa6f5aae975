#pragma once
/// A cube of complex numbers that is spread over ranks, and its Fourier transform. In space a rank
/// has whole lines along x, as a wave whole lines along z; between the two, ranks send each other
/// parts of what they have.

#include <mpi.h>

#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/ft/fourier.hpp"

namespace railyard::kernels::spectral {

using Field = std::vector<Complex>;

/// A part of an axis.
struct Part {
    std::size_t first, size;
};

/// What a rank has: x fastest, z slowest.
struct Block {
    Part x, y, z;
};

class Cube {
  public:
    /// Up to as many ranks as points along z have a slab of it each; more share slabs. The number
    /// of ranks is a power of two, and at most the square of the points along z. All ranks call it.
    Cube(int rank, int ranks, const std::array<int, 3>& log_points);
    ~Cube();
    Cube(const Cube&) = delete;
    Cube& operator=(const Cube&) = delete;

    const Block& in_space() const { return space_; }
    const Block& as_waves() const { return waves_; }
    /// Of a rank's field, in any form.
    std::size_t volume() const { return volume_; }

    /// In place; all ranks call it.
    void to_waves(Field& field);
    void to_space(Field& field);

  private:
    void along_x(Direction direction, Field& field);
    void along_y(Direction direction, Field& field);
    void along_z(Direction direction, Field& field);
    // Between space and waves there are whole lines along y.
    void gather_y(Field& field);
    void scatter_y(Field& field);
    void gather_z(Field& field);
    void scatter_z(Field& field);
    void exchange(MPI_Comm ranks, int count, const Field& out, Field& in) const;

    std::array<int, 3> log_points_;
    std::size_t slabs_;   ///< parts of z, and in waves of y
    std::size_t shares_;  ///< ranks that share a slab
    MPI_Comm across_slabs_ = MPI_COMM_WORLD;
    MPI_Comm in_slab_ = MPI_COMM_SELF;
    Block space_, middle_, waves_;
    std::size_t volume_;
    Fourier fourier_;
    Field packed_;
};

// The published checksums of FT: class by class, step by step.

/// By the place of the class: S is 0.
std::span<const std::complex<double>> checksums(std::size_t class_index);

}  // namespace railyard::kernels::spectral
