#pragma once
/// The grids of MG, from the coarsest, of 2 x 2 x 2 points, to the finest, and which part of each a
/// rank has. On coarse grids there are fewer points than ranks, and most ranks sit out.

#include <array>
#include <cstddef>
#include <vector>

namespace railyard::kernels::multigrid {

/// One value for each of x, y, z.
template <class Value>
using PerAxis = std::array<Value, 3>;

struct Level {
    int number = 0;                  ///< 2^number points along an axis
    bool alive = true;               ///< whether this rank has points
    PerAxis<int> own{};              ///< points of this rank along an axis
    PerAxis<int> lower{}, upper{};   ///< neighbours: ranks
    PerAxis<bool> alone{};           ///< this rank has the whole axis
    PerAxis<bool> gives{}, takes{};  ///< in the exchange after prolongation to this level

    /// The points of a field along an axis: the rank's own and one of each neighbour.
    PerAxis<int> size() const { return {own[0] + 2, own[1] + 2, own[2] + 2}; }
    /// Of a field; none if this rank sits out.
    std::size_t volume() const;
};

struct Levels {
    /// The finest grid has 2^finest points along an axis.
    Levels(int rank, int ranks, int finest);

    PerAxis<int> ranks;       ///< along each axis
    PerAxis<int> coordinate;  ///< of this rank
    std::vector<Level> all;   ///< the coarsest first

  private:
    Level make_level(int number) const;
    int neighbour(std::size_t axis, int distance) const;
};

/// The ranks along each axis: the last axes get more. `ranks` is a power of two.
PerAxis<int> ranks_along_axes(int ranks);

/// The exchanges of MG: outermost layers of a field to the neighbours, axis by axis, and what a
/// rank that had no points on a coarse grid gets after prolongation.
class Halo {
  public:
    /// `any_source`: receives do not name who sends, as in versions up to 3.2.
    explicit Halo(bool any_source) : any_source_(any_source) {}

    /// Fills the outermost layers of a field with those of the neighbours; the domain is periodic.
    void exchange(const Level& level, double* field);
    /// Along each axis, ranks that had points on the coarser level give those that had none theirs.
    void hand_over(const Level& level, double* field);

  private:
    /// Which layers along an axis, and all of the other axes or their inner part.
    struct Box {
        PerAxis<int> first, last;
    };
    static Box layers(const Level& level, std::size_t axis, int first, int last, bool whole);

    void swap_layers(const Level& level, std::size_t axis, double* field);
    static void wrap(const Level& level, std::size_t axis, double* field);
    void send(const Level& level, std::size_t axis, bool up, const double* field, const Box& box);

    bool any_source_;
    std::vector<double> out_, from_lower_, from_upper_;
};

}  // namespace railyard::kernels::multigrid
