// FT: a heat equation by Fourier transforms in three dimensions. Long messages from everybody to
// everybody.

#include <mpi.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/common/numbers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/ft/cube.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels {

namespace spectral {
namespace {

struct Class {
    std::array<int, 3> log_points;
    int steps;
};

constexpr Class classes[] = {
    {{6, 6, 6}, 6}, {{7, 7, 5}, 6}, {{8, 8, 7}, 6}, {{9, 8, 8}, 20}, {{9, 9, 9}, 20},
};

std::size_t points(const Class& problem, std::size_t axis) {
    return std::size_t{1} << problem.log_points[axis];
}

double total_points(const Class& problem) {
    const auto [x, y, z] = problem.log_points;
    return std::ldexp(1.0, x + y + z);
}

void fill(const Class& problem, const Cube& cube, Field& field) {
    const Block& own = cube.in_space();
    Complex* to = field.data();
    for (std::size_t z = own.z.first; z < own.z.first + own.z.size; ++z) {
        const std::size_t row = z * points(problem, 1) + own.y.first;
        Random random(Random::usual_seed, 2 * row * points(problem, 0));
        for (std::size_t i = 0; i < own.y.size * own.x.size; ++i, ++to) {
            to->real = random.next();
            to->imaginary = random.next();
        }
    }
}

/// What waves along one axis become in a step of time, for a part of the axis.
std::vector<double> decay(const Part& part, std::size_t all) {
    constexpr double alpha = 1e-6;
    std::vector<double> factors;
    for (std::size_t i = part.first; i < part.first + part.size; ++i) {
        const double wave = static_cast<double>(i) - (i < all / 2 ? 0.0 : static_cast<double>(all));
        factors.push_back(std::exp(-4 * std::numbers::pi * std::numbers::pi * alpha * wave * wave));
    }
    return factors;
}

/// The waves of this rank, and how they go on in time.
class Evolution {
  public:
    Evolution(const Class& problem, const Cube& cube)
        : x_(decay(cube.as_waves().x, points(problem, 0))),
          y_(decay(cube.as_waves().y, points(problem, 1))),
          z_(decay(cube.as_waves().z, points(problem, 2))) {}

    /// A step: `waves` go on, and are copied to `now`.
    void step(Field& waves, Field& now) const {
        Complex* from = waves.data();
        Complex* to = now.data();
        const std::size_t row = x_.size();
        for (const double in_z : z_)
            for (const double in_y : y_) {
                for (std::size_t x = 0; x < row; ++x) {
                    const double factor = in_z * in_y * x_[x];
                    from[x].real *= factor;
                    from[x].imaginary *= factor;
                    to[x] = from[x];
                }
                from += row;
                to += row;
            }
    }

  private:
    std::vector<double> x_, y_, z_;
};

/// On rank 0; the others get what is of no use. All ranks call it.
std::complex<double> checksum(const Class& problem, const Cube& cube, const Field& field) {
    const Block& own = cube.in_space();
    std::array<double, 2> sum{};
    for (std::size_t j = 1; j <= 1024; ++j) {
        // What is below the first wraps round, and so is beyond the last.
        const std::size_t x = j % points(problem, 0);
        const std::size_t y = 3 * j % points(problem, 1) - own.y.first;
        const std::size_t z = 5 * j % points(problem, 2) - own.z.first;
        if (y >= own.y.size || z >= own.z.size) continue;
        const Complex& number = field[(z * own.y.size + y) * own.x.size + x];
        sum[0] += number.real;
        sum[1] += number.imaginary;
    }
    std::array<double, 2> all{};
    MPI_Reduce(sum.data(), all.data(), 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return std::complex<double>(all[0], all[1]) / total_points(problem);
}

/// Fills `waves` with the transform of the random field.
void begin(const Class& problem, Cube& cube, Field& waves) {
    fill(problem, cube, waves);
    cube.to_waves(waves);
}

/// As the benchmark counts them.
double operations(const Class& problem, int steps) {
    const double all = total_points(problem);
    const double log = std::log(all);
    return all * (14.8157 + 7.19641 * log + (5.23518 + 7.21113 * log) * steps);
}

std::string size_text(const Class& problem) {
    return std::to_string(points(problem, 0)) + " x " + std::to_string(points(problem, 1)) + " x " +
           std::to_string(points(problem, 2));
}

}  // namespace
}  // namespace spectral

int ft(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "FT",
                     .purpose = "a heat equation by Fourier transforms in three dimensions",
                     .ranks = "a power of two, up to the square of the points along z (4096 in S)"},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const spectral::Class& problem = spectral::classes[session.class_index()];
    const int most = 1 << (2 * problem.log_points[2]);
    if (!is_power_of_two(session.ranks()) || session.ranks() > most)
        return session.refuse("class " + std::string(1, session.problem_class()) +
                              " runs on a power of two of ranks (1, 2, 4, 8, ...), up to " +
                              std::to_string(most) + "; these are " +
                              std::to_string(session.ranks()));

    spectral::Cube cube(session.rank(), session.ranks(), problem.log_points);
    spectral::Field waves(cube.volume());
    spectral::Field now(cube.volume());
    spectral::begin(problem, cube, waves);
    const int steps = session.iterations(problem.steps);
    std::vector<std::complex<double>> sums;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    spectral::begin(problem, cube, waves);
    const spectral::Evolution evolution(problem, cube);
    for (int i = 0; i < steps; ++i) {
        evolution.step(waves, now);
        cube.to_space(now);
        sums.push_back(spectral::checksum(problem, cube, now));
    }
    const double seconds = MPI_Wtime() - start;

    const bool verifiable = session.verifiable(problem.steps);
    Verification verification(1e-12, verifiable);
    for (std::size_t i = 0; i < sums.size() && session.rank() == 0; ++i)
        verification.compare("step " + std::to_string(i + 1), sums[i],
                             verifiable ? spectral::checksums(session.class_index())[i] : 0.0);
    return session.finish({.size = spectral::size_text(problem),
                           .iterations = steps,
                           .seconds = seconds,
                           .operations = spectral::operations(problem, steps)},
                          verification);
}

}  // namespace railyard::kernels
