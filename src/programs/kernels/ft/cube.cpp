#include "kernels/ft/cube.hpp"

#include <algorithm>

namespace railyard::kernels::spectral {

namespace {

Part part(int log_points, std::size_t index, std::size_t parts) {
    const std::size_t size = (std::size_t{1} << log_points) / parts;
    return {index * size, size};
}

}  // namespace

Cube::Cube(int rank, int ranks, const std::array<int, 3>& log_points)
    : log_points_(log_points), fourier_(*std::max_element(log_points.begin(), log_points.end())) {
    const auto all = static_cast<std::size_t>(ranks);
    const auto me = static_cast<std::size_t>(rank);
    const std::size_t points_z = std::size_t{1} << log_points[2];
    shares_ = all > points_z ? points_z : 1;
    slabs_ = all / shares_;
    const std::size_t slab = me % slabs_;
    const std::size_t share = me / slabs_;
    if (shares_ > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(share), rank, &across_slabs_);
        MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(slab), rank, &in_slab_);
    }
    const auto [x, y, z] = log_points;
    space_ = {part(x, 0, 1), part(y, share, shares_), part(z, slab, slabs_)};
    middle_ = {part(x, share, shares_), part(y, 0, 1), part(z, slab, slabs_)};
    waves_ = {part(x, share, shares_), part(y, slab, slabs_), part(z, 0, 1)};
    volume_ = space_.x.size * space_.y.size * space_.z.size;
    packed_.resize(all > 1 ? volume_ : 0);
}

Cube::~Cube() {
    if (shares_ == 1) return;
    MPI_Comm_free(&across_slabs_);
    MPI_Comm_free(&in_slab_);
}

void Cube::to_waves(Field& field) {
    along_x(Direction::forward, field);
    gather_y(field);
    along_y(Direction::forward, field);
    gather_z(field);
    along_z(Direction::forward, field);
}

void Cube::to_space(Field& field) {
    along_z(Direction::backward, field);
    scatter_z(field);
    along_y(Direction::backward, field);
    scatter_y(field);
    along_x(Direction::backward, field);
}

void Cube::along_x(Direction direction, Field& field) {
    fourier_.transform(direction, log_points_[0], space_.y.size * space_.z.size, field.data(), 1,
                       space_.x.size);
}

void Cube::along_y(Direction direction, Field& field) {
    const std::size_t row = middle_.x.size;
    for (std::size_t z = 0; z < middle_.z.size; ++z)
        fourier_.transform(direction, log_points_[1], row, field.data() + z * middle_.y.size * row,
                           row, 1);
}

void Cube::along_z(Direction direction, Field& field) {
    const std::size_t plane = waves_.x.size * waves_.y.size;
    fourier_.transform(direction, log_points_[2], plane, field.data(), plane, 1);
}

void Cube::exchange(MPI_Comm ranks, int parts, const Field& out, Field& in) const {
    const auto numbers = static_cast<int>(2 * volume_ / static_cast<std::size_t>(parts));
    MPI_Alltoall(out.data(), numbers, MPI_DOUBLE, in.data(), numbers, MPI_DOUBLE, ranks);
}

void Cube::gather_y(Field& field) {
    if (shares_ == 1) return;
    const std::size_t rows = space_.y.size * space_.z.size;
    const std::size_t width = middle_.x.size;
    Complex* to = packed_.data();
    for (std::size_t share = 0; share < shares_; ++share)
        for (std::size_t row = 0; row < rows; ++row)
            to = std::copy_n(field.data() + row * space_.x.size + share * width, width, to);
    Field& received = field;
    exchange(in_slab_, static_cast<int>(shares_), packed_, received);
    // Each sent its y of all z: for each z, all of them side by side.
    const std::size_t strip = space_.y.size * width;
    for (std::size_t share = 0; share < shares_; ++share)
        for (std::size_t z = 0; z < space_.z.size; ++z)
            std::copy_n(received.data() + (share * space_.z.size + z) * strip, strip,
                        packed_.data() + (z * shares_ + share) * strip);
    std::swap(field, packed_);
}

void Cube::scatter_y(Field& field) {
    if (shares_ == 1) return;
    const std::size_t width = middle_.x.size;
    const std::size_t strip = space_.y.size * width;
    for (std::size_t share = 0; share < shares_; ++share)
        for (std::size_t z = 0; z < space_.z.size; ++z)
            std::copy_n(field.data() + (z * shares_ + share) * strip, strip,
                        packed_.data() + (share * space_.z.size + z) * strip);
    Field& received = field;
    exchange(in_slab_, static_cast<int>(shares_), packed_, received);
    const std::size_t rows = space_.y.size * space_.z.size;
    const Complex* from = received.data();
    for (std::size_t share = 0; share < shares_; ++share)
        for (std::size_t row = 0; row < rows; ++row, from += width)
            std::copy_n(from, width, packed_.data() + row * space_.x.size + share * width);
    std::swap(field, packed_);
}

/// What arrives is in order of z already.
void Cube::gather_z(Field& field) {
    if (slabs_ == 1) return;
    const std::size_t strip = waves_.x.size * waves_.y.size;
    Complex* to = packed_.data();
    for (std::size_t slab = 0; slab < slabs_; ++slab)
        for (std::size_t z = 0; z < middle_.z.size; ++z)
            to = std::copy_n(field.data() + (z * slabs_ + slab) * strip, strip, to);
    exchange(across_slabs_, static_cast<int>(slabs_), packed_, field);
}

/// The way back: nothing to pack, but to sort out.
void Cube::scatter_z(Field& field) {
    if (slabs_ == 1) return;
    exchange(across_slabs_, static_cast<int>(slabs_), field, packed_);
    const std::size_t strip = waves_.x.size * waves_.y.size;
    const Complex* from = packed_.data();
    for (std::size_t slab = 0; slab < slabs_; ++slab)
        for (std::size_t z = 0; z < middle_.z.size; ++z, from += strip)
            std::copy_n(from, strip, field.data() + (z * slabs_ + slab) * strip);
}

}  // namespace railyard::kernels::spectral
