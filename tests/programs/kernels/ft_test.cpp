// FT: its transforms, and the whole in virtual time: the published results in slabs and in pencils.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <tuple>

#include "kernels/common/numbers.hpp"
#include "kernels/ft/cube.hpp"
#include "programs/kernels/virtual_run.hpp"

namespace railyard::kernels {

namespace spectral {
namespace {

std::vector<Complex> some_numbers(std::size_t count) {
    Random random(Random::usual_seed);
    std::vector<Complex> all(count);
    for (Complex& number : all) {
        number.real = random.next();
        number.imaginary = random.next();
    }
    return all;
}

/// By the definition.
std::complex<double> wave(const Complex* line, std::size_t points, std::size_t stride,
                          std::size_t k, double sign) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < points; ++i) {
        const double angle = sign * 2 * std::numbers::pi * static_cast<double>(i * k % points) /
                             static_cast<double>(points);
        sum += std::complex<double>(line[i * stride].real, line[i * stride].imaginary) *
               std::polar(1.0, angle);
    }
    return sum;
}

// More lines than a block has, and fewer; along either side of an array.
TEST(Fourier, TransformsLinesAsDefined) {
    Fourier fourier(6);
    for (const int log_points : {1, 2, 5, 6})
        for (const std::size_t lines : {1U, 3U, 16U, 37U})
            for (const bool adjacent : {false, true}) {
                const std::size_t points = std::size_t{1} << log_points;
                const std::vector<Complex> before = some_numbers(points * lines);
                const std::size_t point_stride = adjacent ? 1 : lines;
                const std::size_t line_stride = adjacent ? points : 1;
                for (const double sign : {-1.0, 1.0}) {
                    std::vector<Complex> after = before;
                    fourier.transform(sign < 0 ? Direction::forward : Direction::backward,
                                      log_points, lines, after.data(), point_stride, line_stride);
                    for (std::size_t line = 0; line < lines; ++line)
                        for (std::size_t k = 0; k < points; ++k) {
                            const Complex& got = after[line * line_stride + k * point_stride];
                            const auto expected = wave(before.data() + line * line_stride, points,
                                                       point_stride, k, sign);
                            ASSERT_NEAR(got.real, expected.real(), 1e-12);
                            ASSERT_NEAR(got.imaginary, expected.imag(), 1e-12);
                        }
                }
            }
}

TEST(FtChecksums, ThereIsOneForEachStep) {
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(checksums(i).size(), i < 3 ? 6U : 20U);
    EXPECT_EQ(checksums(4)[19], std::complex<double>(512.9714421109, 512.3465164008));
}

}  // namespace
}  // namespace spectral

namespace {

class Ft : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(Ft, VerifiesClassS) {
    const auto [fabric, ranks] = GetParam();
    const VirtualRun whole = run({"ft"}, ranks, fabric);
    EXPECT_TRUE(whole.verified()) << whole.failure << whole.output << whole.errors;
    EXPECT_EQ(whole.sends, std::vector<int>(static_cast<std::size_t>(ranks), 0));
}

// Up to 64 ranks have slabs, more have pencils.
INSTANTIATE_TEST_SUITE_P(OnIdeal, Ft,
                         testing::Combine(testing::Values("ideal"),
                                          testing::Values(1, 2, 4, 16, 64, 256)));
INSTANTIATE_TEST_SUITE_P(OnAModel, Ft,
                         testing::Combine(testing::Values("clan-via"), testing::Values(8)));

TEST(FtRanks, OthersAreRefused) {
    for (const int ranks : {3, 6, 12})
        expect_refused({"ft"}, ranks,
                       "class S runs on a power of two of ranks (1, 2, 4, 8, ...), up to 4096");
    expect_refused({"ft", "--class", "W"}, 2048, "up to 1024; these are 2048");
}

}  // namespace
}  // namespace railyard::kernels
