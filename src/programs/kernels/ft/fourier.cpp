#include "kernels/ft/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace railyard::kernels::spectral {

namespace {

/// One pass of Stockham's radix-2 transform over `count` pairs: x and y are halves of the data, and
/// go to two places that lie side by side.
void combine(std::size_t count, const Complex& root, const Complex* __restrict x,
             const Complex* __restrict y, Complex* __restrict sum, Complex* __restrict rest) {
    for (std::size_t i = 0; i < count; ++i) {
        const double real = x[i].real - y[i].real;
        const double imaginary = x[i].imaginary - y[i].imaginary;
        sum[i] = {x[i].real + y[i].real, x[i].imaginary + y[i].imaginary};
        rest[i] = {root.real * real - root.imaginary * imaginary,
                   root.real * imaginary + root.imaginary * real};
    }
}

}  // namespace

Fourier::Fourier(int most_log)
    : roots_(std::size_t{1} << most_log), work_(block << most_log), spare_(work_.size()) {
    for (std::size_t n = 1; n < roots_.size(); n *= 2)
        for (std::size_t j = 0; j < n; ++j) {
            const double angle = std::numbers::pi * static_cast<double>(j) / static_cast<double>(n);
            roots_[n + j] = {std::cos(angle), std::sin(angle)};
        }
}

const Complex* Fourier::transform_block(Direction direction, int log_points) {
    const std::size_t half = (std::size_t{1} << log_points) / 2;
    Complex* from = work_.data();
    Complex* to = spare_.data();
    for (std::size_t groups = half, size = 1; groups > 0; groups /= 2, size *= 2) {
        const std::size_t count = size * block;
        for (std::size_t j = 0; j < groups; ++j) {
            Complex root = roots_[groups + j];
            if (direction == Direction::forward) root.imaginary = -root.imaginary;
            combine(count, root, from + j * count, from + half * block + j * count,
                    to + 2 * j * count, to + (2 * j + 1) * count);
        }
        std::swap(from, to);
    }
    return from;
}

void Fourier::transform(Direction direction, int log_points, std::size_t lines, Complex* data,
                        std::size_t point_stride, std::size_t line_stride) {
    const std::size_t points = std::size_t{1} << log_points;
    for (std::size_t first = 0; first < lines; first += block) {
        const std::size_t width = std::min(block, lines - first);
        Complex* const begin = data + first * line_stride;
        for (std::size_t p = 0; p < points; ++p)
            for (std::size_t line = 0; line < width; ++line)
                work_[p * block + line] = begin[p * point_stride + line * line_stride];
        const Complex* const done = transform_block(direction, log_points);
        for (std::size_t p = 0; p < points; ++p)
            for (std::size_t line = 0; line < width; ++line)
                begin[p * point_stride + line * line_stride] = done[p * block + line];
    }
}

}  // namespace railyard::kernels::spectral
