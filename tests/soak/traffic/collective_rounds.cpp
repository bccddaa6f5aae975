// Collectives between messages, with results that every rank can work out alone; and MPI_Sendrecv,
// which all ranks of a team call as if it were one.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "traffic/lane.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

namespace {

/// What rank `rank` contributes at place `i`.
std::int64_t value(std::uint64_t seed, int rank, std::size_t i) {
    return static_cast<std::int64_t>(mix(seed, static_cast<std::uint64_t>(rank)) +
                                     i * 0x9E3779B97F4A7C15) >>
           16;
}

class Collectives {
  public:
    Collectives(Lane& lane, const Team& team, std::uint64_t seed)
        : lane_(lane),
          team_(team),
          seed_(seed),
          draw_(seed),
          n_(static_cast<std::size_t>(team.size)) {
        const int octave = draw_.below(draw_.one_in(20) ? 15 : 9);
        count_ = static_cast<std::size_t>(draw_.below((1 << octave) + 1));
        root_ = draw_.below(team.size);
        for (std::size_t rank = 0; rank < n_; ++rank) {
            counts_.push_back(draw_.below(static_cast<int>(count_) + 1));
            starts_.push_back(total_);
            total_ += counts_.back();
        }
    }

    void play() {
        using Round = void (Collectives::*)();
        static constexpr Round rounds[] = {
            &Collectives::barrier,        &Collectives::bcast,     &Collectives::gather,
            &Collectives::scatter,        &Collectives::allgather, &Collectives::all_to_all,
            &Collectives::all_to_all_v,   &Collectives::reduce,    &Collectives::allreduce,
            &Collectives::reduce_scatter, &Collectives::scans};
        for (int n = draw_.from_to(1, 3); n > 0; --n) {
            ++seed_;
            (this->*draw_.pick<Round>(rounds))();
        }
    }

  private:
    using Values = std::vector<std::int64_t>;

    void barrier() {
        lane_.where.at("barrier");
        MPI_Barrier(team_.comm);
    }
    void bcast() {
        lane_.where.at("bcast", root_);
        Values data = team_.rank == root_ ? of(root_, count_) : nothing(count_);
        MPI_Bcast(data.data(), count(), MPI_INT64_T, root_, team_.comm);
        check(data, 0, root_, 0, count_);
    }
    void gather() {
        lane_.where.at("gather", root_);
        const bool mine = team_.rank == root_;
        const Values own = of(team_.rank, count_);
        Values all = nothing(mine ? n_ * count_ : 0);
        if (draw_.one_in(2)) {
            MPI_Gather(own.data(), count(), MPI_INT64_T, all.data(), count(), MPI_INT64_T, root_,
                       team_.comm);
            for (int rank = 0; mine && rank < team_.size; ++rank)
                check(all, static_cast<std::size_t>(rank) * count_, rank, 0, count_);
        } else {
            MPI_Gatherv(own.data(), counts_[me()], MPI_INT64_T, all.data(), counts_.data(),
                        starts_.data(), MPI_INT64_T, root_, team_.comm);
            if (mine) check_varied(all);
        }
    }
    void scatter() {
        lane_.where.at("scatter", root_);
        const Values all = team_.rank == root_ ? of(root_, n_ * count_) : Values();
        Values own = nothing(count_);
        if (draw_.one_in(2)) {
            MPI_Scatter(all.data(), count(), MPI_INT64_T, own.data(), count(), MPI_INT64_T, root_,
                        team_.comm);
            check(own, 0, root_, me() * count_, count_);
        } else {
            MPI_Scatterv(all.data(), counts_.data(), starts_.data(), MPI_INT64_T, own.data(),
                         counts_[me()], MPI_INT64_T, root_, team_.comm);
            check(own, 0, root_, static_cast<std::size_t>(starts_[me()]), my_count());
        }
    }
    void allgather() {
        lane_.where.at("allgather");
        const Values own = of(team_.rank, count_);
        Values all = nothing(n_ * count_);
        if (draw_.one_in(2)) {
            MPI_Allgather(own.data(), count(), MPI_INT64_T, all.data(), count(), MPI_INT64_T,
                          team_.comm);
            for (int rank = 0; rank < team_.size; ++rank)
                check(all, static_cast<std::size_t>(rank) * count_, rank, 0, count_);
        } else {
            MPI_Allgatherv(own.data(), counts_[me()], MPI_INT64_T, all.data(), counts_.data(),
                           starts_.data(), MPI_INT64_T, team_.comm);
            check_varied(all);
        }
    }
    void all_to_all() {
        lane_.where.at("alltoall");
        const Values out = of(team_.rank, n_ * count_);
        Values in = nothing(n_ * count_);
        MPI_Alltoall(out.data(), count(), MPI_INT64_T, in.data(), count(), MPI_INT64_T, team_.comm);
        for (int rank = 0; rank < team_.size; ++rank)
            check(in, static_cast<std::size_t>(rank) * count_, rank, me() * count_, count_);
    }
    /// Rank a sends counts_[(a + b) mod n] to rank b.
    void all_to_all_v() {
        lane_.where.at("alltoallv");
        std::vector<int> counts;
        std::vector<int> starts;
        std::vector<int> byte_starts;
        const std::vector<MPI_Datatype> types(n_, MPI_INT64_T);
        int total = 0;
        for (std::size_t rank = 0; rank < n_; ++rank) {
            counts.push_back(counts_[(rank + me()) % n_]);
            starts.push_back(total);
            byte_starts.push_back(total * static_cast<int>(sizeof(std::int64_t)));
            total += counts.back();
        }
        const Values out = of(team_.rank, static_cast<std::size_t>(total));
        Values in = nothing(static_cast<std::size_t>(total));
        if (draw_.one_in(2))
            MPI_Alltoallv(out.data(), counts.data(), starts.data(), MPI_INT64_T, in.data(),
                          counts.data(), starts.data(), MPI_INT64_T, team_.comm);
        else
            MPI_Alltoallw(out.data(), counts.data(), byte_starts.data(), types.data(), in.data(),
                          counts.data(), byte_starts.data(), types.data(), team_.comm);
        for (std::size_t rank = 0; rank < n_; ++rank) {
            std::size_t theirs = 0;  // where its part for us began
            for (std::size_t before = 0; before < me(); ++before)
                theirs += static_cast<std::size_t>(counts_[(before + rank) % n_]);
            check(in, static_cast<std::size_t>(starts[rank]), static_cast<int>(rank), theirs,
                  static_cast<std::size_t>(counts[rank]));
        }
    }
    void reduce() {
        lane_.where.at("reduce", root_);
        const Values own = of(team_.rank, count_);
        Values sum = nothing(count_);
        MPI_Reduce(own.data(), sum.data(), count(), MPI_INT64_T, MPI_SUM, root_, team_.comm);
        if (team_.rank == root_) check_sum(sum, 0, count_, team_.size);
    }
    void allreduce() {
        lane_.where.at("allreduce");
        Values sum = of(team_.rank, count_);
        if (draw_.one_in(2)) {
            MPI_Allreduce(MPI_IN_PLACE, sum.data(), count(), MPI_INT64_T, MPI_SUM, team_.comm);
        } else {
            const Values own = sum;
            MPI_Allreduce(own.data(), sum.data(), count(), MPI_INT64_T, MPI_SUM, team_.comm);
        }
        check_sum(sum, 0, count_, team_.size);
    }
    void reduce_scatter() {
        lane_.where.at("reduce_scatter");
        Values part = nothing(count_);
        if (draw_.one_in(2)) {
            const Values own = of(team_.rank, n_ * count_);
            MPI_Reduce_scatter_block(own.data(), part.data(), count(), MPI_INT64_T, MPI_SUM,
                                     team_.comm);
            check_sum(part, me() * count_, count_, team_.size);
        } else {
            const Values own = of(team_.rank, static_cast<std::size_t>(total_));
            MPI_Reduce_scatter(own.data(), part.data(), counts_.data(), MPI_INT64_T, MPI_SUM,
                               team_.comm);
            check_sum(part, static_cast<std::size_t>(starts_[me()]), my_count(), team_.size);
        }
    }
    void scans() {
        lane_.where.at("scan");
        const Values own = of(team_.rank, count_);
        Values sum = nothing(count_);
        if (draw_.one_in(2)) {
            MPI_Scan(own.data(), sum.data(), count(), MPI_INT64_T, MPI_SUM, team_.comm);
            check_sum(sum, 0, count_, team_.rank + 1);
        } else {
            MPI_Exscan(own.data(), sum.data(), count(), MPI_INT64_T, MPI_SUM, team_.comm);
            if (team_.rank > 0) check_sum(sum, 0, count_, team_.rank);
        }
    }

    std::size_t me() const { return static_cast<std::size_t>(team_.rank); }
    int count() const { return static_cast<int>(count_); }
    std::size_t my_count() const { return static_cast<std::size_t>(counts_[me()]); }

    Values of(int rank, std::size_t n) const {
        Values values(n + 1);  // never without memory: libraries compare addresses
        for (std::size_t i = 0; i < n; ++i)
            values[i] = value(seed_, rank, i);
        return values;
    }
    static Values nothing(std::size_t n) { return Values(n + 1, -1); }

    void check(const Values& data, std::size_t at, int rank, std::size_t from,
               std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i)
            if (data[at + i] != value(seed_, rank, from + i))
                lane_.fail("element " + std::to_string(i) + " of " + std::to_string(n) +
                           " of rank " + std::to_string(rank) + " is wrong");
    }
    void check_varied(const Values& all) const {
        for (std::size_t rank = 0; rank < n_; ++rank)
            check(all, static_cast<std::size_t>(starts_[rank]), static_cast<int>(rank), 0,
                  static_cast<std::size_t>(counts_[rank]));
    }
    /// Of the first `ranks` ranks.
    void check_sum(const Values& sum, std::size_t from, std::size_t n, int ranks) const {
        for (std::size_t i = 0; i < n; ++i) {
            std::uint64_t expected = 0;
            for (int rank = 0; rank < ranks; ++rank)
                expected += static_cast<std::uint64_t>(value(seed_, rank, from + i));
            if (static_cast<std::uint64_t>(sum[i]) != expected)
                lane_.fail("sum " + std::to_string(i) + " of " + std::to_string(n) + " is wrong");
        }
    }

    Lane& lane_;
    const Team& team_;
    std::uint64_t seed_;
    Draw draw_;
    std::size_t n_;
    std::size_t count_ = 0;
    int root_ = 0;
    std::vector<int> counts_;  ///< of each rank, where they vary
    std::vector<int> starts_;
    int total_ = 0;
};

}  // namespace

void play_collectives(Lane& lane, const Team& team, std::uint64_t seed) {
    Collectives(lane, team, seed).play();
}

std::uint64_t play_shift(Lane& lane, const Team& team, std::uint64_t seed, int tag) {
    Draw draw(seed);
    std::vector<int> to(static_cast<std::size_t>(team.size));
    for (int i = 0; i < team.size; ++i)
        to[static_cast<std::size_t>(i)] = i;
    draw.shuffle(to);
    const int next = to[static_cast<std::size_t>(team.rank)];
    const auto previous = static_cast<int>(std::ranges::find(to, team.rank) - to.begin());
    const int count = draw.from_to(1, 32);
    const bool in_place = draw.one_in(2);
    const auto size = static_cast<std::size_t>(1) << draw.below(lane.options->large ? 22 : 13);
    lane.where.at(in_place ? "sendrecv_replace" : "sendrecv", next, tag, count);
    lane.arena.take_back();
    std::byte* const memory = lane.arena.take(size + 2 * guard_bytes) + guard_bytes;
    std::memset(memory - guard_bytes, static_cast<int>(guard_byte), size + 2 * guard_bytes);
    const auto content = [&](int rank, int i) {
        const std::uint64_t drawn =
            mix(seed + static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(rank));
        return pattern() + ((drawn >> 40) & 0xFFFF);
    };
    for (int i = 0; i < count; ++i) {
        MPI_Status status;
        const auto bytes = static_cast<int>(size);
        if (in_place) {
            std::memcpy(memory, content(team.rank, i), size);
            MPI_Sendrecv_replace(memory, bytes, MPI_BYTE, next, tag, previous, tag, team.comm,
                                 &status);
        } else {
            MPI_Sendrecv(content(team.rank, i), bytes, MPI_BYTE, next, tag, memory, bytes, MPI_BYTE,
                         previous, tag, team.comm, &status);
        }
        if (status.MPI_SOURCE != previous || status.MPI_TAG != tag ||
            std::memcmp(memory, content(previous, i), size) != 0)
            lane.fail("message " + std::to_string(i) + " of " + std::to_string(size) +
                      " bytes from " + std::to_string(previous) + " is wrong");
        for (std::size_t g = 1; g <= guard_bytes; ++g)
            if (memory[size + g - 1] != guard_byte || *(memory - g) != guard_byte)
                lane.fail("bytes beside the buffer were written");
        ++lane.messages;
        lane.bytes += size;
        lane.where.one_more();
    }
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(team.size);
}

}  // namespace railyard::soak
