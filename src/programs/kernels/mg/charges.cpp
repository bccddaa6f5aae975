#include "kernels/mg/charges.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/common/random.hpp"

namespace railyard::kernels::multigrid {

namespace {

constexpr std::size_t charges = 10;

struct Candidate {
    double number;
    std::size_t index;  ///< in the field
};

/// The ten best numbers of this rank, the best first. Sign is 1 for the largest, -1 for the
/// smallest.
class Best {
  public:
    explicit Best(double sign) : sign_(sign) {}

    void offer(double number, std::size_t index) {
        if (best_.size() == charges && !better(number, best_.back().number)) return;
        const auto place = std::find_if(best_.begin(), best_.end(), [&](const Candidate& other) {
            return better(number, other.number);
        });
        best_.insert(place, {number, index});
        if (best_.size() > charges) best_.pop_back();
    }

    /// Ranks find the ten best of all together, and each marks its own in the field.
    void mark(std::vector<double>& field) const {
        struct Bid {
            double number;
            int rank;
        };
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        std::size_t next = 0;
        for (std::size_t i = 0; i < charges; ++i) {
            const double nothing = -sign_ * std::numeric_limits<double>::max();
            Bid bid{next < best_.size() ? best_[next].number : nothing, rank};
            MPI_Allreduce(MPI_IN_PLACE, &bid, 1, MPI_DOUBLE_INT,
                          sign_ > 0 ? MPI_MAXLOC : MPI_MINLOC, MPI_COMM_WORLD);
            if (bid.rank == rank && next < best_.size()) field[best_[next++].index] = sign_;
        }
    }

  private:
    bool better(double one, double other) const { return sign_ * one > sign_ * other; }

    double sign_;
    std::vector<Candidate> best_;
};

}  // namespace

std::vector<double> make_charges(const Levels& levels) {
    const Level& level = levels.all.back();
    const PerAxis<int> size = level.size();
    const auto points = std::uint64_t{1} << level.number;
    const auto first = [&](std::size_t axis) {
        return static_cast<std::uint64_t>(levels.coordinate[axis] * level.own[axis]);
    };
    Best largest(1);
    Best smallest(-1);
    for (int z = 0; z < level.own[2]; ++z)
        for (int y = 0; y < level.own[1]; ++y) {
            const std::uint64_t row = (first(2) + static_cast<std::uint64_t>(z)) * points +
                                      first(1) + static_cast<std::uint64_t>(y);
            Random random(Random::usual_seed, row * points + first(0));
            auto index =
                static_cast<std::size_t>((std::ptrdiff_t{z + 1} * size[1] + y + 1) * size[0] + 1);
            for (int x = 0; x < level.own[0]; ++x, ++index) {
                const double number = random.next();
                largest.offer(number, index);
                smallest.offer(number, index);
            }
        }
    std::vector<double> field(level.volume());
    largest.mark(field);
    smallest.mark(field);
    return field;
}

}  // namespace railyard::kernels::multigrid
