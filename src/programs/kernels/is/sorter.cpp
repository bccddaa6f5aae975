#include "kernels/is/sorter.hpp"

#include <mpi.h>

#include <algorithm>

#include "kernels/common/random.hpp"

namespace railyard::kernels::sorting {

Sorter::Sorter(const Problem& problem, int rank, int ranks)
    : problem_(problem),
      rank_(rank),
      ranks_(ranks),
      buckets_(std::size_t{1} << problem.log_buckets),
      shift_(problem.log_range - problem.log_buckets),
      keys_((std::size_t{1} << problem.log_keys) / static_cast<std::size_t>(ranks)),
      by_bucket_(keys_.size()),
      count_(buckets_ + probes),
      total_(buckets_ + probes),
      start_(buckets_),
      send_count_(static_cast<std::size_t>(ranks)),
      send_start_(send_count_),
      receive_count_(send_count_),
      receive_start_(send_count_),
      last_bucket_(send_count_) {
    make_keys();
}

void Sorter::make_keys() {
    const double quarter = static_cast<double>(1 << problem_.log_range) / 4;
    Random random(Random::usual_seed, 4 * keys_.size() * static_cast<std::size_t>(rank_));
    for (int& key : keys_) {
        double sum = random.next();
        for (int i = 1; i < 4; ++i)
            sum += random.next();
        key = static_cast<int>(quarter * sum);
    }
}

void Sorter::rank_keys(int iteration) {
    if (rank_ == 0) {
        keys_[static_cast<std::size_t>(iteration)] = iteration;
        keys_[static_cast<std::size_t>(iteration + iterations)] =
            (1 << problem_.log_range) - iteration;
    }
    count_buckets();
    sort_into_buckets();
    MPI_Allreduce(count_.data(), total_.data(), static_cast<int>(count_.size()), MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    share_buckets_out();
    exchange();
    count_received();
}

/// The keys at the probes' places travel in the same sum: only one rank has each.
void Sorter::count_buckets() {
    std::fill(count_.begin(), count_.end(), 0);
    for (const int key : keys_)
        ++count_[bucket_of(key)];
    const auto size = static_cast<std::int64_t>(keys_.size());
    for (std::size_t i = 0; i < probes; ++i) {
        const std::int64_t position = problem_.probe[i].position;
        if (position / size == rank_)
            count_[buckets_ + i] = keys_[static_cast<std::size_t>(position % size)];
    }
}

void Sorter::sort_into_buckets() {
    int sum = 0;
    for (std::size_t i = 0; i < buckets_; ++i) {
        start_[i] = sum;
        sum += count_[i];
    }
    for (const int key : keys_)
        by_bucket_[static_cast<std::size_t>(start_[bucket_of(key)]++)] = key;
}

/// A rank has as many buckets as it takes to have its share of the keys.
void Sorter::share_buckets_out() {
    const auto share = static_cast<std::int64_t>(keys_.size());
    std::fill(send_count_.begin(), send_count_.end(), 0);
    std::fill(last_bucket_.begin(), last_bucket_.end(), static_cast<int>(buckets_) - 1);
    std::int64_t all = 0;
    std::size_t to = 0;
    for (std::size_t i = 0; i < buckets_; ++i) {
        all += total_[i];
        send_count_[to] += count_[i];
        if (all >= share * static_cast<std::int64_t>(to + 1) && to + 1 < send_count_.size())
            last_bucket_[to++] = static_cast<int>(i);
    }
    int start = 0;
    for (std::size_t i = 0; i < send_count_.size(); ++i) {
        send_start_[i] = start;
        start += send_count_[i];
    }
}

void Sorter::exchange() {
    MPI_Alltoall(send_count_.data(), 1, MPI_INT, receive_count_.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int start = 0;
    for (std::size_t i = 0; i < receive_count_.size(); ++i) {
        receive_start_[i] = start;
        start += receive_count_[i];
    }
    received_.resize(static_cast<std::size_t>(start));
    MPI_Alltoallv(by_bucket_.data(), send_count_.data(), send_start_.data(), MPI_INT,
                  received_.data(), receive_count_.data(), receive_start_.data(), MPI_INT,
                  MPI_COMM_WORLD);
}

void Sorter::count_received() {
    const auto me = static_cast<std::size_t>(rank_);
    const int first = rank_ == 0 ? 0 : last_bucket_[me - 1] + 1;
    keys_below_ = 0;
    for (int i = 0; i < first; ++i)
        keys_below_ += total_[static_cast<std::size_t>(i)];
    lowest_ = first << shift_;
    up_to_.assign(static_cast<std::size_t>(((last_bucket_[me] + 1) << shift_) - lowest_), 0);
    for (const int key : received_)
        ++up_to_[static_cast<std::size_t>(key - lowest_)];
    for (std::size_t i = 1; i < up_to_.size(); ++i)
        up_to_[i] += up_to_[i - 1];
}

int Sorter::right_probes(int iteration) const {
    int right = 0;
    for (std::size_t i = 0; i < probes; ++i) {
        const Probe& probe = problem_.probe[i];
        const auto key = static_cast<std::int64_t>(total_[buckets_ + i]) - lowest_;
        if (key < 0 || key >= static_cast<std::int64_t>(up_to_.size())) continue;
        const std::int64_t below = key > 0 ? up_to_[static_cast<std::size_t>(key - 1)] : 0;
        const int change = probe.direction * (iteration - probe.holds_at);
        if (keys_below_ + below == probe.rank + change) ++right;
    }
    return right;
}

bool Sorter::in_order() const {
    std::vector<int> sorted(received_.size());
    std::vector<int> end(up_to_);
    for (const int key : received_)
        sorted[static_cast<std::size_t>(--end[static_cast<std::size_t>(key - lowest_)])] = key;
    // Who has no keys has none to compare, and nor have those to the right.
    const int own_last = sorted.empty() ? -1 : sorted.back();
    int last_of_left = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank_ > 0) MPI_Irecv(&last_of_left, 1, MPI_INT, rank_ - 1, 1000, MPI_COMM_WORLD, &request);
    if (rank_ + 1 < ranks_) MPI_Send(&own_last, 1, MPI_INT, rank_ + 1, 1000, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return std::is_sorted(sorted.begin(), sorted.end()) &&
           (sorted.empty() || last_of_left <= sorted.front());
}

}  // namespace railyard::kernels::sorting
