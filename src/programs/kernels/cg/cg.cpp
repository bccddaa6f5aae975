// CG: the smallest eigenvalue of a random sparse matrix, by inverse power iteration. Long messages
// to few partners, and many sums.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/cg/matrix.hpp"
#include "kernels/common/numbers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels::conjugate {

/// The conjugate-gradient method on vectors that are spread over the columns of ranks, and the
/// exchanges that it needs: sums along a row, and the transposition that turns rows into columns.
class Solver {
  public:
    /// `steps`: of conjugate gradients, in each step of the iteration.
    Solver(const Grid& grid, const Matrix& matrix, int steps);

    void reset();
    /// One step of the inverse power iteration. Returns zeta.
    double step(double shift);
    /// ||x - A z|| of the last step.
    double residual() const { return residual_; }

  private:
    using Vector = std::vector<double>;

    void solve();
    /// result = A p: rows are summed up along the row of ranks, and go to who has them as columns.
    void multiply(const Vector& p, Vector& result);
    void add_up_rows();
    void exchange_rows(int partner, const Range& out, const Range& in);
    void transpose(Vector& result);
    /// Sums of this rank and of all others of its row.
    template <std::size_t n>
    void add_up(std::array<double, n>& sums) const;
    double dot(const Vector& a, const Vector& b) const;

    const Grid& grid_;
    const Matrix& matrix_;
    const int steps_;
    Vector x_, z_, p_, q_, r_;  ///< of the columns
    Vector rows_, received_;    ///< of the rows
    double residual_ = 0;
};

namespace {

constexpr int usual_steps = 25;
constexpr int tag_rows = 1;
constexpr int tag_transpose = 2;
constexpr int tag_sum = 3;

double local_dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

/// Only nonblocking receive, blocking send, wait: so the original talks.
void exchange(int partner, int tag, const double* out, int out_size, double* in, int in_size) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in, in_size, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, out_size, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

Solver::Solver(const Grid& grid, const Matrix& matrix, int steps)
    : grid_(grid),
      matrix_(matrix),
      steps_(steps),
      x_(static_cast<std::size_t>(grid.matrix_columns.size)),
      z_(x_),
      p_(x_),
      q_(x_),
      r_(x_),
      rows_(static_cast<std::size_t>(grid.matrix_rows.size)),
      received_(rows_) {
    reset();
}

void Solver::reset() {
    std::fill(x_.begin(), x_.end(), 1.0);
}

double Solver::step(double shift) {
    solve();
    std::array<double, 2> sums = {local_dot(x_, z_), local_dot(z_, z_)};
    add_up(sums);
    const double scale = 1 / std::sqrt(sums[1]);
    for (std::size_t i = 0; i < x_.size(); ++i)
        x_[i] = scale * z_[i];
    return shift + 1 / sums[0];
}

void Solver::solve() {
    std::fill(z_.begin(), z_.end(), 0.0);
    r_ = x_;
    p_ = x_;
    double rho = dot(r_, r_);
    for (int i = 0; i < steps_; ++i) {
        multiply(p_, q_);
        const double alpha = rho / dot(p_, q_);
        for (std::size_t j = 0; j < z_.size(); ++j) {
            z_[j] += alpha * p_[j];
            r_[j] -= alpha * q_[j];
        }
        const double before = rho;
        rho = dot(r_, r_);
        const double beta = rho / before;
        for (std::size_t j = 0; j < p_.size(); ++j)
            p_[j] = r_[j] + beta * p_[j];
    }
    multiply(z_, q_);
    for (std::size_t j = 0; j < q_.size(); ++j)
        q_[j] = x_[j] - q_[j];
    residual_ = std::sqrt(dot(q_, q_));
}

void Solver::multiply(const Vector& p, Vector& result) {
    matrix_.multiply(p.data(), rows_.data());
    add_up_rows();
    transpose(result);
}

/// The nearest partner first. Where a rank needs but half of its rows, the two who share them swap
/// halves, and go on with their own.
void Solver::add_up_rows() {
    Range in = grid_.matrix_rows;
    for (auto partner = grid_.row_partners.rbegin(); partner != grid_.row_partners.rend();
         ++partner) {
        Range out = in;
        if (grid_.columns != grid_.rows) {
            in = grid_.own_part;
            out = in;
            if (partner == grid_.row_partners.rbegin()) {
                const int before = in.first - grid_.matrix_rows.first;
                out = before > 0 ? Range{grid_.matrix_rows.first, before}
                                 : Range{in.first + in.size, grid_.matrix_rows.size - in.size};
            }
        }
        exchange_rows(*partner, out, in);
    }
}

void Solver::exchange_rows(int partner, const Range& out, const Range& in) {
    double* const own = rows_.data() + (in.first - grid_.matrix_rows.first);
    exchange(partner, tag_rows, rows_.data() + (out.first - grid_.matrix_rows.first), out.size,
             received_.data(), in.size);
    for (int i = 0; i < in.size; ++i)
        own[i] += received_[static_cast<std::size_t>(i)];
}

/// A rank that is its own partner sends to itself, as in the original; one that is alone does not.
void Solver::transpose(Vector& result) {
    const double* const out = rows_.data() + (grid_.own_part.first - grid_.matrix_rows.first);
    if (grid_.columns == 1)
        std::copy_n(out, result.size(), result.data());
    else
        exchange(grid_.transpose_partner, tag_transpose, out, grid_.own_part.size, result.data(),
                 static_cast<int>(result.size()));
}

template <std::size_t n>
void Solver::add_up(std::array<double, n>& sums) const {
    std::array<double, n> received{};
    for (const int partner : grid_.row_partners) {
        exchange(partner, tag_sum, sums.data(), static_cast<int>(n), received.data(),
                 static_cast<int>(n));
        for (std::size_t i = 0; i < n; ++i)
            sums[i] += received[i];
    }
}

double Solver::dot(const Vector& a, const Vector& b) const {
    std::array<double, 1> sum = {local_dot(a, b)};
    add_up(sum);
    return sum[0];
}

namespace {

constexpr Problem problems[] = {
    {1400, 7, 15, 10, 8.5971775078648},     {7000, 8, 15, 12, 10.362595087124},
    {14000, 11, 15, 20, 17.130235054029},   {75000, 13, 75, 60, 22.712745482631},
    {150000, 15, 75, 110, 28.973605592845},
};

/// As the benchmark counts them: of one iteration.
double operations(const Problem& problem, int steps) {
    const double in_row = problem.nonzeros * (problem.nonzeros + 1.0);
    return 2.0 * problem.order * (3 + in_row + steps * (5 + in_row) + 3);
}

}  // namespace

}  // namespace railyard::kernels::conjugate

namespace railyard::kernels {

int cg(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "CG",
                     .purpose = "an eigenvalue of a sparse matrix by conjugate gradients",
                     .ranks = "a power of two",
                     .steps = conjugate::usual_steps},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const conjugate::Problem& problem = conjugate::problems[session.class_index()];
    if (!is_power_of_two(session.ranks()))
        return session.refuse("it runs on a power of two of ranks (1, 2, 4, 8, ...); these are " +
                              std::to_string(session.ranks()));

    const conjugate::Grid grid(session.rank(), session.ranks(), problem.order);
    const conjugate::Matrix matrix(problem, grid.matrix_rows, grid.matrix_columns);
    conjugate::Solver solver(grid, matrix, session.steps());
    solver.step(problem.shift);
    solver.reset();
    const int iterations = session.iterations(problem.iterations);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    double zeta = 0;
    for (int i = 1; i <= iterations; ++i) {
        zeta = solver.step(problem.shift);
        session.say(" iteration %3d   residual %.10e   zeta %.13f\n", i, solver.residual(), zeta);
    }
    const double seconds = MPI_Wtime() - start;

    Verification verification(1e-10, session.verifiable(problem.iterations));
    verification.compare("zeta", zeta, problem.zeta);
    return session.finish(
        {.size = std::to_string(problem.order),
         .iterations = iterations,
         .seconds = seconds,
         .operations = iterations * conjugate::operations(problem, session.steps())},
        verification);
}

}  // namespace railyard::kernels
