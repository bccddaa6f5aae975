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

/// Weights of a point, and of its neighbours by face, by edge and by corner.
using Weights = std::array<double, 4>;

/// The four operations of MG on fields of a rank: the residual, the smoother, and the ways from a
/// level to the coarser one and back. Fields are flat, x fastest, with a layer of neighbours'
/// points around. The caller owns them; they must not overlap, unless said otherwise.
class Stencils {
  public:
    /// The smoother's weight of corners is 0 in all classes, and so is not asked for.
    Stencils(const Weights& smoother, const Level& finest);

    /// r = v - A u. `r` may be `v`.
    void residual(const Level& level, const double* u, const double* v, double* r);
    /// u = u + S r.
    void smooth(const Level& level, const double* r, double* u);
    /// The coarse right-hand side from the fine residual.
    void restrict_to(const Level& coarse, const Level& fine, const double* r, double* s);
    /// u = u + P z, where z is coarse; the outermost layers, too.
    void prolong(const Level& coarse, const Level& fine, const double* z, double* u);

  private:
    Weights smoother_;
    std::vector<double> faces_, edges_;  ///< sums across a row, for all x of it
};

}  // namespace railyard::kernels::multigrid
