#include "bench/plain_loops.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace railyard::bench::plain {

namespace {

constexpr std::uint64_t multiplier = 1220703125;
constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;

}  // namespace

double gaussian_pairs(int log_pairs) {
    constexpr int batch = 1 << 16;
    std::vector<double> uniform(2 * batch);
    double counts[10] = {};
    double sum_x = 0;
    double sum_y = 0;
    std::uint64_t state = 271828183;
    for (int done = 0; done < 1 << (log_pairs - 16); ++done) {
        for (int i = 0; i < 2 * batch; ++i) {
            state = (state * multiplier) & mask;
            uniform[static_cast<std::size_t>(i)] = 2 * (static_cast<double>(state) * 0x1p-46) - 1;
        }
        for (std::size_t i = 0; i < batch; ++i) {
            const double x = uniform[2 * i];
            const double y = uniform[2 * i + 1];
            const double t = x * x + y * y;
            if (t > 1) continue;
            const double w = std::sqrt(-2 * std::log(t) / t);
            const double a = std::fabs(x * w);
            const double b = std::fabs(y * w);
            counts[static_cast<int>(a > b ? a : b)] += 1;
            sum_x += x * w;
            sum_y += y * w;
        }
    }
    return counts[0] > 0 ? sum_x : sum_y;
}

std::vector<int> make_keys(int log_keys, int log_range) {
    std::vector<int> keys(std::size_t{1} << log_keys);
    std::uint64_t state = 314159265;
    for (int& key : keys) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            state = (state * multiplier) & mask;
            sum += static_cast<double>(state) * 0x1p-46;
        }
        key = static_cast<int>(static_cast<double>(1 << log_range) / 4 * sum);
    }
    return keys;
}

int rank_keys(int log_keys, int log_range, int log_buckets, const std::vector<int>& keys) {
    const int n = 1 << log_keys;
    const int range = 1 << log_range;
    const int buckets = 1 << log_buckets;
    const int shift = log_range - log_buckets;
    std::vector<int> sorted(keys.size());
    std::vector<int> start(static_cast<std::size_t>(buckets));
    std::vector<int> rank(static_cast<std::size_t>(range));
    const int* const key = keys.data();
    int* const to = sorted.data();
    int* const count = rank.data();
    int* const next = start.data();
    for (int iteration = 0; iteration < 10; ++iteration) {
        for (int i = 0; i < buckets; ++i)
            next[i] = 0;
        for (int i = 0; i < n; ++i)
            ++next[key[i] >> shift];
        for (int i = 0, sum = 0; i < buckets; ++i)
            sum += std::exchange(next[i], sum);
        for (int i = 0; i < n; ++i)
            to[next[key[i] >> shift]++] = key[i];
        for (int i = 0; i < range; ++i)
            count[i] = 0;
        for (int i = 0; i < n; ++i)
            ++count[to[i]];
        for (int i = 1; i < range; ++i)
            count[i] += count[i - 1];
    }
    return count[range / 2];
}

void multiply(int rows, const int* start, const int* column, const double* value, const double* x,
              double* y) {
    for (int r = 0; r < rows; ++r) {
        double sum = 0;
        for (int i = start[r]; i < start[r + 1]; ++i)
            sum += value[i] * x[column[i]];
        y[r] = sum;
    }
}

void residual(int n, const double* u, const double* v, double* r) {
    const std::ptrdiff_t row = n + 2;
    const std::ptrdiff_t plane = row * row;
    std::vector<double> faces(static_cast<std::size_t>(row));
    std::vector<double> edges(static_cast<std::size_t>(row));
    double* const f = faces.data();
    double* const e = edges.data();
    for (int z = 1; z <= n; ++z)
        for (int y = 1; y <= n; ++y) {
            const double* const c = u + z * plane + y * row;
            for (int x = 0; x < n + 2; ++x) {
                f[x] = c[x - row] + c[x + row] + c[x - plane] + c[x + plane];
                e[x] = c[x - row - plane] + c[x + row - plane] + c[x - row + plane] +
                       c[x + row + plane];
            }
            const std::ptrdiff_t at = z * plane + y * row;
            for (int x = 1; x <= n; ++x)
                r[at + x] = v[at + x] + 8.0 / 3 * c[x] - 1.0 / 6 * (e[x] + f[x - 1] + f[x + 1]) -
                            1.0 / 12 * (e[x - 1] + e[x + 1]);
        }
}

void smooth(int n, const double* weights, const double* r, double* u) {
    const std::ptrdiff_t row = n + 2;
    const std::ptrdiff_t plane = row * row;
    std::vector<double> faces(static_cast<std::size_t>(row));
    std::vector<double> edges(static_cast<std::size_t>(row));
    double* const f = faces.data();
    double* const e = edges.data();
    for (int z = 1; z <= n; ++z)
        for (int y = 1; y <= n; ++y) {
            const double* const c = r + z * plane + y * row;
            for (int x = 0; x < n + 2; ++x) {
                f[x] = c[x - row] + c[x + row] + c[x - plane] + c[x + plane];
                e[x] = c[x - row - plane] + c[x + row - plane] + c[x - row + plane] +
                       c[x + row + plane];
            }
            const std::ptrdiff_t at = z * plane + y * row;
            for (int x = 1; x <= n; ++x)
                u[at + x] += weights[0] * c[x] + weights[1] * (c[x - 1] + c[x + 1] + f[x]) +
                             weights[2] * (e[x] + f[x - 1] + f[x + 1]);
        }
}

namespace {

constexpr std::size_t block = 16;

}  // namespace

Lines::Lines(std::size_t points)
    : points_(points), roots_(2 * points), work_(2 * block * points), spare_(work_.size()) {
    for (std::size_t groups = 1; groups < points; groups *= 2)
        for (std::size_t j = 0; j < groups; ++j) {
            const double angle =
                std::numbers::pi * static_cast<double>(j) / static_cast<double>(groups);
            roots_[2 * (groups + j)] = std::cos(angle);
            roots_[2 * (groups + j) + 1] = -std::sin(angle);
        }
}

void Lines::transform(std::size_t lines, double* data) {
    for (std::size_t first = 0; first < lines; first += block) {
        double* const begin = data + 2 * first * points_;
        double* from = work_.data();
        double* to = spare_.data();
        for (std::size_t p = 0; p < points_; ++p)
            for (std::size_t line = 0; line < block; ++line) {
                from[2 * (p * block + line)] = begin[2 * (line * points_ + p)];
                from[2 * (p * block + line) + 1] = begin[2 * (line * points_ + p) + 1];
            }
        for (std::size_t groups = points_ / 2, size = 1; groups > 0; groups /= 2, size *= 2) {
            for (std::size_t j = 0; j < groups; ++j) {
                const double c = roots_[2 * (groups + j)];
                const double s = roots_[2 * (groups + j) + 1];
                const double* const a = from + 2 * j * size * block;
                const double* const b = a + points_ * block;
                double* const sum = to + 4 * j * size * block;
                double* const rest = sum + 2 * size * block;
                for (std::size_t i = 0; i < size * block; ++i) {
                    const double re = a[2 * i] - b[2 * i];
                    const double im = a[2 * i + 1] - b[2 * i + 1];
                    sum[2 * i] = a[2 * i] + b[2 * i];
                    sum[2 * i + 1] = a[2 * i + 1] + b[2 * i + 1];
                    rest[2 * i] = c * re - s * im;
                    rest[2 * i + 1] = c * im + s * re;
                }
            }
            std::swap(from, to);
        }
        for (std::size_t p = 0; p < points_; ++p)
            for (std::size_t line = 0; line < block; ++line) {
                begin[2 * (line * points_ + p)] = from[2 * (p * block + line)];
                begin[2 * (line * points_ + p) + 1] = from[2 * (p * block + line) + 1];
            }
    }
}

}  // namespace railyard::bench::plain
