#include "mpi/programs/random_collectives.hpp"

#include "mpi/programs/area.hpp"

namespace railyard::mpi::programs {

namespace {

/// What was drawn for one collective.
class Moving {
  public:
    Moving(MPI_Comm comm, sim::Random& random, std::uint64_t number, const Calling& call)
        : comm_(comm), number_(number), call_(call) {
        MPI_Comm_size(comm, &size_);
        MPI_Comm_rank(comm, &rank_);
        // The same number of draws whatever the communicator: others draw along with us.
        base_ = static_cast<int>(random.below(3));
        out_ = static_cast<Shape>(random.below(shape_count));
        in_ = static_cast<Shape>(random.below(shape_count));
        in_place_ = random.below(3) == 0;
        gap_ = static_cast<int>(random.below(2));
        root_ = static_cast<int>(random.below(1 << 16)) % size_;
        const std::uint64_t scale = random.below(4);
        const std::uint64_t most = scale == 0 ? 1 : scale == 1 ? 4 : scale == 2 ? 60 : 400;
        each_ = Area::unit * random.below(most);
        spice_ = random();
        most_ = most;
    }

    void bcast() {
        Area area(rank_ == root_ ? out_ : in_, base_, {each_}, 0);
        if (rank_ == root_) area.fill(0, pattern(root_, 0));
        call_(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, area.data(), area.count(0), area.type(), root_,
              comm_);
        area.expect(0, pattern(root_, 0), "bcast");
        area.expect_clean("bcast");
    }

    void gather(bool uneven) {
        const bool is_root = rank_ == root_;
        Area out(out_, base_, {own(uneven)}, 0);
        Area in(in_, base_, is_root ? blocks(uneven) : Sizes{}, uneven ? gap_ : 0);
        const bool in_place = in_place_ && is_root;
        if (in_place)
            in.fill(me(), pattern(rank_, root_));
        else
            out.fill(0, pattern(rank_, root_));
        const void* from = in_place ? MPI_IN_PLACE : out.data();
        if (uneven)
            call_(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, from, out.count(0), out.type(),
                  in.data(), in.counts(), in.displacements(), in.type(), root_, comm_);
        else
            call_(MPI_Gather, MPI_Igather, MPI_Gather_init, from, out.count(0), out.type(),
                  in.data(), is_root ? in.count(0) : -7, in.type(), root_, comm_);
        for (std::size_t i = 0; is_root && i < size(); ++i)
            in.expect(i, pattern(static_cast<int>(i), root_), "gather");
        in.expect_clean("gather");
    }

    void scatter(bool uneven) {
        const bool is_root = rank_ == root_;
        Area out(out_, base_, is_root ? blocks(uneven) : Sizes{}, uneven ? gap_ : 0);
        Area in(in_, base_, {own(uneven)}, 0);
        for (std::size_t i = 0; is_root && i < size(); ++i)
            out.fill(i, pattern(root_, static_cast<int>(i)));
        const bool in_place = in_place_ && is_root;
        void* to = in_place ? MPI_IN_PLACE : in.data();
        if (uneven)
            call_(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, out.data(), out.counts(),
                  out.displacements(), out.type(), to, in.count(0), in.type(), root_, comm_);
        else
            call_(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, out.data(),
                  is_root ? out.count(0) : -7, out.type(), to, in.count(0), in.type(), root_,
                  comm_);
        if (!in_place) in.expect(0, pattern(root_, rank_), "scatter");
        in.expect_clean("scatter");
        out.expect_clean("scatter's source");
    }

    void allgather(bool uneven) {
        Area out(out_, base_, {own(uneven)}, 0);
        Area in(in_, base_, blocks(uneven), uneven ? gap_ : 0);
        if (in_place_)
            in.fill(me(), pattern(rank_, 0));
        else
            out.fill(0, pattern(rank_, 0));
        const void* from = in_place_ ? MPI_IN_PLACE : out.data();
        if (uneven)
            call_(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, from, out.count(0),
                  out.type(), in.data(), in.counts(), in.displacements(), in.type(), comm_);
        else
            call_(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, from, out.count(0), out.type(),
                  in.data(), in.count(0), in.type(), comm_);
        for (std::size_t i = 0; i < size(); ++i)
            in.expect(i, pattern(static_cast<int>(i), 0), "allgather");
        in.expect_clean("allgather");
    }

    enum class Kind : std::uint8_t { even, by_counts, by_types };
    void alltoall(Kind kind) {
        const bool uneven = kind != Kind::even;
        Area out(out_, base_, pairs(uneven), uneven ? gap_ : 0);
        Area in(in_, base_, pairs(uneven), uneven ? gap_ : 0);
        Area& source = in_place_ ? in : out;
        for (std::size_t i = 0; i < size(); ++i)
            source.fill(i, pattern(rank_, static_cast<int>(i)));
        const void* from = in_place_ ? MPI_IN_PLACE : out.data();
        if (kind == Kind::even) {
            call_(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, from, out.count(0), out.type(),
                  in.data(), in.count(0), in.type(), comm_);
        } else if (kind == Kind::by_counts) {
            call_(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, from, out.counts(),
                  out.displacements(), out.type(), in.data(), in.counts(), in.displacements(),
                  in.type(), comm_);
        } else {
            const std::vector<int> out_places = out.byte_displacements();
            const std::vector<int> in_places = in.byte_displacements();
            call_(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, from, out.counts(),
                  out_places.data(), out.types().data(), in.data(), in.counts(), in_places.data(),
                  in.types().data(), comm_);
        }
        for (std::size_t i = 0; i < size(); ++i)
            in.expect(i, pattern(static_cast<int>(i), rank_), "alltoall");
        in.expect_clean("alltoall");
        out.expect_clean("alltoall's source");
    }

  private:
    using Sizes = std::vector<std::size_t>;
    std::size_t size() const { return static_cast<std::size_t>(size_); }
    std::size_t me() const { return static_cast<std::size_t>(rank_); }
    std::uint64_t pattern(int from, int to) const {
        return number_ << 16 | static_cast<std::uint64_t>(from) << 8 |
               static_cast<std::uint64_t>(to);
    }
    /// A number of elements that all ranks agree on; often none.
    std::size_t drawn(std::size_t which) const {
        sim::Random random(spice_, which);
        return random.below(3) == 0 ? 0 : Area::unit * random.below(most_);
    }
    std::size_t own(bool uneven) const { return uneven ? drawn(me()) : each_; }
    Sizes blocks(bool uneven) const {
        Sizes sizes(size(), each_);
        for (std::size_t i = 0; uneven && i < size(); ++i)
            sizes[i] = drawn(i);
        return sizes;
    }
    /// Between this rank and each other, alike both ways, so that it can be done in place.
    Sizes pairs(bool uneven) const {
        Sizes sizes(size(), each_ / size() / Area::unit * Area::unit);
        for (std::size_t i = 0; uneven && i < size(); ++i)
            sizes[i] = drawn(std::min(i, me()) << 8 | std::max(i, me())) / size() / Area::unit *
                       Area::unit;
        return sizes;
    }

    MPI_Comm comm_;
    std::uint64_t number_;
    const Calling& call_;
    int size_ = 0;
    int rank_ = 0;
    int base_;
    Shape out_;
    Shape in_;
    bool in_place_;
    int gap_;
    int root_;
    std::size_t each_;
    std::uint64_t spice_;
    std::uint64_t most_;
};

}  // namespace

void move_at_random(MPI_Comm comm, sim::Random& random, std::uint64_t number, const Calling& call) {
    const std::uint64_t kind = random.below(11);
    Moving moving(comm, random, number, call);
    switch (kind) {
        case 0:
            return call(MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, comm);
        case 1:
            return moving.bcast();
        case 2:
            return moving.gather(false);
        case 3:
            return moving.gather(true);
        case 4:
            return moving.scatter(false);
        case 5:
            return moving.scatter(true);
        case 6:
            return moving.allgather(false);
        case 7:
            return moving.allgather(true);
        case 8:
            return moving.alltoall(Moving::Kind::even);
        case 9:
            return moving.alltoall(Moving::Kind::by_counts);
        default:
            return moving.alltoall(Moving::Kind::by_types);
    }
}

}  // namespace railyard::mpi::programs
