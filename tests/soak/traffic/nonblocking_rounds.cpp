// Collectives that do not block, several at once and in two forms, with messages and a blocking one
// before they are waited for; and those of neighbours on a grid.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "traffic/lane.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

namespace {

using Values = std::vector<std::int64_t>;

/// What rank `rank` gives at place `i`.
std::int64_t given(std::uint64_t seed, int rank, std::size_t i) {
    return static_cast<std::int64_t>(mix(seed + i, static_cast<std::uint64_t>(rank)) >> 20);
}

/// One of them: its buffers, which stay where they are, its request, and what it must give.
class StartedCollective {
  public:
    StartedCollective(Lane& lane, const Team& team, std::uint64_t seed)
        : lane_(lane), team_(team), seed_(seed), n_(static_cast<std::size_t>(team.size)) {
        Draw draw(seed);
        const int octave = draw.below(draw.one_in(20) ? 15 : 9);
        count_ = static_cast<std::size_t>(draw.below((1 << octave) + 1));
        root_ = draw.below(team.size);
        is_persistent_ = draw.one_in(3) && lane.options->persistent_collectives;
        using Kind = void (StartedCollective::*)();
        static constexpr Kind kinds[] = {
            &StartedCollective::barrier,   &StartedCollective::bcast,
            &StartedCollective::allgather, &StartedCollective::all_to_all,
            &StartedCollective::reduce,    &StartedCollective::allreduce,
            &StartedCollective::scan,      &StartedCollective::reduce_scatter};
        (this->*draw.pick<Kind>(kinds))();
        if (is_persistent_) MPI_Start(&request);
    }

    void check() {
        if (expected_)
            for (std::size_t i = 0; i < in_.size(); ++i)
                if (in_[i] != expected_(i))
                    lane_.fail("value " + std::to_string(i) + " of " + std::to_string(in_.size()) +
                               " is wrong after it was waited for");
        if (is_persistent_) MPI_Request_free(&request);
    }

    MPI_Request request = MPI_REQUEST_NULL;

  private:
    /// Either form of a function.
    template <class Start, class Init, class... Arguments>
    void call(Start start, Init init, Arguments... arguments) {
        if (is_persistent_)
            init(arguments..., MPI_INFO_NULL, &request);
        else
            start(arguments..., &request);
    }
    void fill(std::size_t out, std::size_t in) {
        for (std::size_t i = 0; i < out; ++i)
            out_.push_back(given(seed_, team_.rank, i));
        in_.assign(in, -1);
    }
    /// Of the ranks before `end`, from place `first` on.
    void expect_sums(int end, std::size_t first) {
        expected_ = [this, end, first](std::size_t i) {
            std::int64_t sum = 0;
            for (int rank = 0; rank < end; ++rank)
                sum += given(seed_, rank, first + i);
            return sum;
        };
    }

    void barrier() { call(MPI_Ibarrier, MPI_Barrier_init, team_.comm); }
    void bcast() {
        fill(0, count_);
        for (std::size_t i = 0; team_.rank == root_ && i < count_; ++i)
            in_[i] = given(seed_, root_, i);
        call(MPI_Ibcast, MPI_Bcast_init, in_.data(), count(), MPI_INT64_T, root_, team_.comm);
        expected_ = [this](std::size_t i) { return given(seed_, root_, i); };
    }
    void allgather() {
        fill(count_, n_ * count_);
        call(MPI_Iallgather, MPI_Allgather_init, out_.data(), count(), MPI_INT64_T, in_.data(),
             count(), MPI_INT64_T, team_.comm);
        expected_ = [this](std::size_t i) {
            return given(seed_, static_cast<int>(i / count_), i % count_);
        };
    }
    void all_to_all() {
        fill(n_ * count_, n_ * count_);
        call(MPI_Ialltoall, MPI_Alltoall_init, out_.data(), count(), MPI_INT64_T, in_.data(),
             count(), MPI_INT64_T, team_.comm);
        expected_ = [this](std::size_t i) {
            return given(seed_, static_cast<int>(i / count_), me() * count_ + i % count_);
        };
    }
    void reduce() {
        const bool is_root = team_.rank == root_;
        fill(count_, is_root ? count_ : 0);
        call(MPI_Ireduce, MPI_Reduce_init, out_.data(), in_.data(), count(), MPI_INT64_T, MPI_SUM,
             root_, team_.comm);
        expect_sums(team_.size, 0);
    }
    void allreduce() {
        fill(count_, count_);
        call(MPI_Iallreduce, MPI_Allreduce_init, out_.data(), in_.data(), count(), MPI_INT64_T,
             MPI_SUM, team_.comm);
        expect_sums(team_.size, 0);
    }
    void scan() {
        fill(count_, count_);
        call(MPI_Iscan, MPI_Scan_init, out_.data(), in_.data(), count(), MPI_INT64_T, MPI_SUM,
             team_.comm);
        expect_sums(team_.rank + 1, 0);
    }
    void reduce_scatter() {
        fill(n_ * count_, count_);
        call(MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, out_.data(), in_.data(),
             count(), MPI_INT64_T, MPI_SUM, team_.comm);
        expect_sums(team_.size, me() * count_);
    }

    std::size_t me() const { return static_cast<std::size_t>(team_.rank); }
    int count() const { return static_cast<int>(count_); }

    Lane& lane_;
    const Team& team_;
    std::uint64_t seed_;
    std::size_t n_;
    std::size_t count_ = 0;
    int root_ = 0;
    bool is_persistent_ = false;
    Values out_;
    Values in_;
    std::function<std::int64_t(std::size_t)> expected_;
};

/// In any way, which is another for every rank.
void complete_in_any_way(std::vector<MPI_Request>& requests, Draw draw) {
    const auto n = static_cast<int>(requests.size());
    std::vector<int> indices(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    int flag = 0;
    switch (draw.below(4)) {
        case 0:
            MPI_Waitall(n, requests.data(), statuses.data());
            return;
        case 1:
            while (flag == 0)
                MPI_Testall(n, requests.data(), &flag, statuses.data());
            return;
        case 2:
            while (flag != MPI_UNDEFINED)
                MPI_Waitany(n, requests.data(), &flag, MPI_STATUS_IGNORE);
            return;
        default:
            while (flag != MPI_UNDEFINED)
                MPI_Waitsome(n, requests.data(), &flag, indices.data(), statuses.data());
    }
}

}  // namespace

void play_nonblocking(Lane& lane, const Team& team, std::uint64_t seed, int tag) {
    Draw draw(seed);
    std::vector<std::unique_ptr<StartedCollective>> all;
    std::vector<MPI_Request> requests;
    lane.where.at("collectives are started");
    for (int n = draw.from_to(1, 6); n > 0; --n) {
        all.push_back(std::make_unique<StartedCollective>(lane, team, draw.next()));
        requests.push_back(all.back()->request);
    }
    if (draw.one_in(2)) lane.planned += play_shift(lane, team, draw.next(), tag);
    if (draw.one_in(3)) play_collectives(lane, team, draw.next());
    lane.where.at("started collectives");
    complete_in_any_way(requests, Draw(mix(seed, static_cast<std::uint64_t>(team.rank))));
    for (const auto& one : all)
        one->check();
}

void play_neighbours(Lane& lane, const Team& team, std::uint64_t seed) {
    Draw draw(seed);
    int sizes[2] = {0, 0};
    MPI_Dims_create(team.size, 2, sizes);
    const int periods[2] = {draw.below(2), draw.below(2)};
    const auto count = static_cast<std::size_t>(draw.below(1 << draw.below(13)));
    const bool starts = draw.one_in(2);
    lane.where.at("neighbours");
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(team.comm, 2, sizes, periods, 0, &grid);
    int neighbours[4];
    for (int i = 0; i < 2; ++i)
        MPI_Cart_shift(grid, i, 1, &neighbours[2 * i], &neighbours[2 * i + 1]);
    Values out;
    for (std::size_t i = 0; i < 4 * count; ++i)
        out.push_back(given(seed, team.rank, i));
    Values in(4 * count, -1);
    const auto n = static_cast<int>(count);
    MPI_Request request = MPI_REQUEST_NULL;
    if (starts)
        MPI_Ineighbor_alltoall(out.data(), n, MPI_INT64_T, in.data(), n, MPI_INT64_T, grid,
                               &request);
    else
        MPI_Neighbor_alltoall(out.data(), n, MPI_INT64_T, in.data(), n, MPI_INT64_T, grid);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t block = i / count;
        const int from = neighbours[block];
        // What goes down comes from above.
        const std::size_t place = (block ^ 1) * count + i % count;
        if (in[i] != (from == MPI_PROC_NULL ? -1 : given(seed, from, place)))
            lane.fail("value " + std::to_string(i) + " from neighbour " + std::to_string(from) +
                      " is wrong");
    }
    MPI_Comm_free(&grid);
}

}  // namespace railyard::soak
