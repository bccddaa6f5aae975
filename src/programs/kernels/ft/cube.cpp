#include "kernels/ft/cube.hpp"

#include <algorithm>
#include <array>

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

namespace {

using Checksum = std::complex<double>;

constexpr Checksum class_s[] = {
    {5.546087004964e+02, 4.845363331978e+02}, {5.546385409189e+02, 4.865304269511e+02},
    {5.546148406171e+02, 4.883910722336e+02}, {5.545423607415e+02, 4.901273169046e+02},
    {5.544255039624e+02, 4.917475857993e+02}, {5.542683411902e+02, 4.932597244941e+02},
};

constexpr Checksum class_w[] = {
    {5.673612178944e+02, 5.293246849175e+02}, {5.631436885271e+02, 5.282149986629e+02},
    {5.594024089970e+02, 5.270996558037e+02}, {5.560698047020e+02, 5.260027904925e+02},
    {5.530898991250e+02, 5.249400845633e+02}, {5.504159734538e+02, 5.239212247086e+02},
};

constexpr Checksum class_a[] = {
    {5.046735008193e+02, 5.114047905510e+02}, {5.059412319734e+02, 5.098809666433e+02},
    {5.069376896287e+02, 5.098144042213e+02}, {5.077892868474e+02, 5.101336130759e+02},
    {5.085233095391e+02, 5.104914655194e+02}, {5.091487099959e+02, 5.107917842803e+02},
};

constexpr Checksum class_b[] = {
    {5.177643571579e+02, 5.077803458597e+02}, {5.154521291263e+02, 5.088249431599e+02},
    {5.146409228649e+02, 5.096208912659e+02}, {5.142378756213e+02, 5.101023387619e+02},
    {5.139626667737e+02, 5.103976610617e+02}, {5.137423460082e+02, 5.105948019802e+02},
    {5.135547056878e+02, 5.107404165783e+02}, {5.133910925466e+02, 5.108576573661e+02},
    {5.132470705390e+02, 5.109577278523e+02}, {5.131197729984e+02, 5.110460304483e+02},
    {5.130070319283e+02, 5.111252433800e+02}, {5.129070537032e+02, 5.111968077718e+02},
    {5.128182883502e+02, 5.112616233064e+02}, {5.127393733383e+02, 5.113203605551e+02},
    {5.126691062020e+02, 5.113735928093e+02}, {5.126064276004e+02, 5.114218460548e+02},
    {5.125504076570e+02, 5.114656139760e+02}, {5.125002331720e+02, 5.115053595966e+02},
    {5.124551951846e+02, 5.115415130407e+02}, {5.124146770029e+02, 5.115744692211e+02},
};

constexpr Checksum class_c[] = {
    {5.195078707457e+02, 5.149019699238e+02}, {5.155422171134e+02, 5.127578201997e+02},
    {5.144678022222e+02, 5.122251847514e+02}, {5.140150594328e+02, 5.121090289018e+02},
    {5.137550426810e+02, 5.121143685824e+02}, {5.135811056728e+02, 5.121496764568e+02},
    {5.134569343165e+02, 5.121870921893e+02}, {5.133651975661e+02, 5.122193250322e+02},
    {5.132955192805e+02, 5.122454735794e+02}, {5.132410471738e+02, 5.122663649603e+02},
    {5.131971141679e+02, 5.122830879827e+02}, {5.131605205716e+02, 5.122965869718e+02},
    {5.131290734194e+02, 5.123075927445e+02}, {5.131012720314e+02, 5.123166486553e+02},
    {5.130760908195e+02, 5.123241541685e+02}, {5.130528295923e+02, 5.123304037599e+02},
    {5.130310107773e+02, 5.123356167976e+02}, {5.130103090133e+02, 5.123399592211e+02},
    {5.129905029333e+02, 5.123435588985e+02}, {5.129714421109e+02, 5.123465164008e+02},
};

}  // namespace

std::span<const Checksum> checksums(std::size_t class_index) {
    constexpr std::array<std::span<const Checksum>, 5> all = {class_s, class_w, class_a, class_b,
                                                              class_c};
    return all[class_index];
}

}  // namespace railyard::kernels::spectral
