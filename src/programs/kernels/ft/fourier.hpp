#pragma once
/// Fourier transforms of many lines at once, unnormalised. Lines lie in a flat array; a block of
/// them is worked on side by side, so that the innermost loops run over lines.

#include <cstddef>
#include <vector>

namespace railyard::kernels::spectral {

/// Without std::complex's care for infinities, which would cost a call for each product.
struct Complex {
    double real, imaginary;
};

enum class Direction { forward, backward };

class Fourier {
  public:
    /// For lines of up to 2^most_log points.
    explicit Fourier(int most_log);

    /// Transforms `lines` lines of 2^log_points points, in place. Points of a line are
    /// `point_stride` apart, lines `line_stride`. The caller owns the data.
    void transform(Direction direction, int log_points, std::size_t lines, Complex* data,
                   std::size_t point_stride, std::size_t line_stride);

  private:
    static constexpr std::size_t block = 16;

    /// The block in work_; where it ends up is returned.
    const Complex* transform_block(Direction direction, int log_points);

    std::vector<Complex> roots_;  ///< exp(i pi j / n) for j < n, from place n on, for each power n
    std::vector<Complex> work_, spare_;
};

}  // namespace railyard::kernels::spectral
