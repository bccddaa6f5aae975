/// The hot loops of the NAS kernels beside the same loops written plainly over flat arrays: what
/// the kernels' order costs.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "bench/plain_loops.hpp"
#include "bench/programs.hpp"
#include "bench/suite.hpp"
#include "kernels/bt/line_solve.hpp"
#include "kernels/cfd/flow.hpp"
#include "kernels/cg/matrix.hpp"
#include "kernels/ft/fourier.hpp"
#include "kernels/mg/levels.hpp"
#include "kernels/sp/line_solve.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

namespace {

using Numbers = std::vector<double>;
namespace cfd = kernels::cfd;

/// Somewhere between -1 and 1, the same at every run.
Numbers some_numbers(std::size_t count) {
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i)
        numbers[i] = std::sin(static_cast<double>(i % 9973));
    return numbers;
}

void check_same(const char* what, const double* ours, const double* plain, std::size_t count) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < count; ++i) {
        difference = std::max(difference, std::fabs(ours[i] - plain[i]));
        size = std::max(size, std::fabs(plain[i]));
    }
    if (!(difference <= 1e-9 * size))
        throw Error(fmt::format("{}: the plain loops compute something else", what));
}

/// Both sides of a comparison, told as elements in a microsecond.
class Loops {
  public:
    Loops(const Settings& settings, const Report& report) : settings_(settings), report_(report) {}

    /// `prepare` comes before each run, and does not count.
    void compare(const std::string& name, const std::string& note, double elements,
                 const std::function<void()>& prepare, const std::function<void()>& ours,
                 const std::function<void()>& by_hand) const {
        const auto rate = [&](const std::function<void()>& work) {
            prepare();
            const double start = thread_clock::now().seconds();
            work();
            return elements * 1e-6 / (thread_clock::now().seconds() - start);
        };
        tell(
            name, note, [&] { return rate(ours); }, [&] { return rate(by_hand); });
    }
    /// The same of a program: its own time against that of the loops.
    void compare_program(const KernelProgram& program, const std::string& note, double elements,
                         const std::function<void()>& by_hand) const {
        tell(
            "kernel/" + program.kernel, note, [&] { return elements * 1e-6 / program.seconds(1); },
            [&] {
                const double start = thread_clock::now().seconds();
                by_hand();
                return elements * 1e-6 / (thread_clock::now().seconds() - start);
            });
    }

  private:
    void tell(const std::string& name, const std::string& note, const std::function<double()>& ours,
              const std::function<double()>& by_hand) const {
        const Score score = duel(settings_.rounds, ours, by_hand);
        report_({.name = name,
                 .unit = "million/s",
                 .ours = score.ours,
                 .reference = score.reference,
                 .ratio = score.ratio,
                 .target = Target{Target::Kind::at_least, 0.7},
                 .note = note});
    }

    const Settings& settings_;
    const Report& report_;
};

void nothing() {}

void matrix(const Loops& loops) {
    using namespace kernels::conjugate;
    const Problem class_a{14000, 11, 15, 20, 0};
    const Matrix matrix(class_a, {0, class_a.order}, {0, class_a.order});
    const Numbers x = some_numbers(static_cast<std::size_t>(class_a.order));
    Numbers ours(x.size());
    Numbers plain(x.size());
    loops.compare(
        "kernel/cg", "A x of class A; entries", 10.0 * static_cast<double>(matrix.value().size()),
        nothing,
        [&] {
            for (int i = 0; i < 10; ++i)
                matrix.multiply(x.data(), ours.data());
        },
        [&] {
            for (int i = 0; i < 10; ++i)
                plain::multiply(class_a.order, matrix.row_start().data(), matrix.column().data(),
                                matrix.value().data(), x.data(), plain.data());
        });
    check_same("cg", ours.data(), plain.data(), ours.size());
}

void grids(const Loops& loops) {
    using namespace kernels::multigrid;
    const Weights smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
    const Level level = Levels(0, 1, 7).all.back();
    const int n = level.own[0];
    Stencils stencils(smoother, level);
    const Numbers u = some_numbers(level.volume());
    const Numbers v = some_numbers(level.volume());
    Numbers ours(u.size());
    Numbers plain(u.size());
    const double points = std::pow(n, 3);
    loops.compare(
        "kernel/mg/residual", "128 x 128 x 128; points", points, nothing,
        [&] { stencils.residual(level, u.data(), v.data(), ours.data()); },
        [&] { plain::residual(n, u.data(), v.data(), plain.data()); });
    check_same("mg/residual", ours.data(), plain.data(), ours.size());
    loops.compare(
        "kernel/mg/smooth", "128 x 128 x 128; points", points,
        [&] {
            ours = u;
            plain = u;
        },
        [&] { stencils.smooth(level, v.data(), ours.data()); },
        [&] { plain::smooth(n, smoother.data(), v.data(), plain.data()); });
    ours = u;
    plain = u;
    stencils.smooth(level, v.data(), ours.data());
    plain::smooth(n, smoother.data(), v.data(), plain.data());
    check_same("mg/smooth", ours.data(), plain.data(), ours.size());
}

void waves(const Loops& loops) {
    using namespace kernels::spectral;
    constexpr int log_points = 8;
    constexpr std::size_t points = 1 << log_points;
    constexpr std::size_t lines = 2048;
    const Numbers start = some_numbers(2 * points * lines);
    std::vector<Complex> ours(points * lines);
    Numbers plain(start.size());
    Fourier fourier(log_points);
    plain::Lines by_hand(points);
    const auto prepare = [&] {
        for (std::size_t i = 0; i < ours.size(); ++i)
            ours[i] = {start[2 * i], start[2 * i + 1]};
        plain = start;
    };
    const auto transform = [&] {
        fourier.transform(Direction::forward, log_points, lines, ours.data(), 1, points);
    };
    loops.compare("kernel/ft", "2048 lines of 256; points", points * lines, prepare, transform,
                  [&] { by_hand.transform(lines, plain.data()); });
    prepare();
    transform();
    by_hand.transform(lines, plain.data());
    check_same("ft", &ours.data()->real, plain.data(), plain.size());
}

/// A flow of class A of SP and BT, and the same as flat arrays.
class Flows {
  public:
    Flows() : ours(grid(), box()), sound(box(), 1), plain(points, grid().dt) {
        cfd::set_initial(ours);
        cfd::derive(ours);
        cfd::sp::set_sound(ours, sound);
        const auto copy = [&](const double* from, std::size_t values) {
            return Numbers(from, from + values * plain.volume);
        };
        plain.u = copy(ours.u[0], 5);
        plain.b = copy(ours.b[0], 5);
        plain.forcing = copy(ours.forcing[0], 5);
        plain.velocity = copy(ours.velocity[0], 3);
        plain.inverse_density = copy(ours.inverse_density[0], 1);
        plain.kinetic = copy(ours.kinetic[0], 1);
        plain.pressure = copy(ours.pressure[0], 1);
        plain.sound = copy(sound[0], 1);
    }

    /// Right-hand sides as at the start of a step.
    void start() {
        cfd::set_residual(ours);
        std::copy_n(ours.b[0], plain.b.size(), plain.b.data());
    }
    void check(const char* what) const {
        check_same(what, ours.b[0], plain.b.data(), plain.b.size());
    }

    static constexpr int points = 64;
    static constexpr double inside = (points - 2.0) * (points - 2.0) * (points - 2.0);
    cfd::Flow ours;
    cfd::Field sound;
    plain::Cube plain;

  private:
    static cfd::Grid grid() { return {points, 0.0015}; }
    static cfd::Box box() {
        return {points, {cfd::Piece{0, points}, cfd::Piece{0, points}, cfd::Piece{0, points}}};
    }
};

void residuals(const Loops& loops, Flows& flows) {
    loops.compare(
        "kernel/lu", "residual of 64 x 64 x 64, as in sp and bt; points", Flows::inside, nothing,
        [&] { cfd::set_residual(flows.ours); }, [&] { plain::flow_residual(flows.plain); });
    flows.check("lu");
}

void scalar_lines(const Loops& loops, Flows& flows) {
    cfd::sp::LineSolve solve(flows.ours.box);
    for (const int axis : {0, 2}) {
        const auto along = static_cast<std::size_t>(axis);
        const auto ours = [&] {
            solve.eliminate(flows.ours, flows.sound, along, nullptr, nullptr);
            solve.substitute(flows.ours, along, nullptr, nullptr);
        };
        const auto by_hand = [&] { plain::solve_scalar_lines(flows.plain, axis); };
        loops.compare(
            axis == 0 ? "kernel/sp/x" : "kernel/sp/z", "lines of class A; points", Flows::inside,
            [&] { flows.start(); }, ours, by_hand);
        flows.start();
        ours();
        by_hand();
        flows.check("sp");
    }
}

void block_lines(const Loops& loops, Flows& flows) {
    cfd::bt::LineSolve solve(flows.ours.box);
    const auto ours = [&] {
        solve.eliminate(flows.ours, 0, nullptr, nullptr);
        solve.substitute(flows.ours, 0, nullptr, nullptr);
    };
    const auto by_hand = [&] { plain::solve_block_lines(flows.plain); };
    loops.compare(
        "kernel/bt", "lines of class A along x; points", Flows::inside, [&] { flows.start(); },
        ours, by_hand);
    flows.start();
    ours();
    by_hand();
    flows.check("bt");
}

}  // namespace

void kernel_loops(const Settings& settings, const Report& report) {
    const Loops loops(settings, report);
    constexpr int log_pairs = 24;
    loops.compare_program({"ep", "S"}, "class S, the program; pairs", std::ldexp(1.0, log_pairs),
                          [] {
                              if (plain::gaussian_pairs(log_pairs) == 0)
                                  throw Error("ep: no pairs");
                          });
    const std::vector<int> keys = plain::make_keys(23, 19);
    loops.compare_program({"is", "A"}, "class A, the program; keys", 10 * std::ldexp(1.0, 23), [&] {
        if (plain::rank_keys(23, 19, 10, keys) == 0) throw Error("is: no keys");
    });
    matrix(loops);
    grids(loops);
    waves(loops);
    Flows flows;
    residuals(loops, flows);
    scalar_lines(loops, flows);
    block_lines(loops, flows);
}

}  // namespace railyard::bench
