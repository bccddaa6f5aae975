// IS: ranks of whole numbers among all, by sorting them into buckets. Every rank sends keys to
// every other.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/numbers.hpp"
#include "kernels/common/session.hpp"
#include "kernels/kernels.hpp"

namespace railyard::kernels::sorting {

/// The keys of IS and the sorting of them: each rank gets the keys of some buckets, and counts.
constexpr int iterations = 10;
constexpr std::size_t probes = 5;

/// A key whose rank is known: where it is, its rank, and what each iteration adds to that.
struct Probe {
    std::int64_t position;
    std::int64_t rank;
    int direction;
    int holds_at;  ///< the iteration at which `rank` holds as it is
};

struct Problem {
    int log_keys, log_range, log_buckets, most_ranks;
    std::array<Probe, probes> probe;
};

class Sorter {
  public:
    /// Makes the keys. `problem` must outlive this.
    Sorter(const Problem& problem, int rank, int ranks);

    /// The ranks of the keys, after two of them were changed. `iteration` counts from 1.
    void rank_keys(int iteration);
    /// How many of the probes that this rank has received are ranked as they should be.
    int right_probes(int iteration) const;
    /// Whether the received keys, sorted, go on where the left neighbour's end.
    bool in_order() const;

  private:
    void make_keys();
    void count_buckets();
    void sort_into_buckets();
    void share_buckets_out();
    void exchange();
    void count_received();
    std::size_t bucket_of(int key) const { return static_cast<std::size_t>(key >> shift_); }

    const Problem& problem_;
    int rank_, ranks_;
    std::size_t buckets_;
    int shift_;
    std::vector<int> keys_;
    std::vector<int> by_bucket_;  ///< the same, in the order of buckets
    std::vector<int> count_;      ///< own keys of each bucket; then the probes
    std::vector<int> total_;      ///< the same of all ranks
    std::vector<int> start_;      ///< where the next key of a bucket goes
    std::vector<int> send_count_, send_start_, receive_count_, receive_start_;
    std::vector<int> last_bucket_;  ///< of each rank
    std::vector<int> received_;
    int lowest_ = 0;               ///< key that may have been received
    std::vector<int> up_to_;       ///< how many received keys are not above lowest_ + index
    std::int64_t keys_below_ = 0;  ///< those of the ranks to the left
};

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

namespace {

constexpr Problem problems[] = {
    {16,
     11,
     9,
     128,
     {{{48427, 0, 1, 0},
       {17148, 18, 1, 0},
       {23627, 346, 1, 0},
       {62548, 64917, -1, 0},
       {4431, 65463, -1, 0}}}},
    {20,
     16,
     10,
     1024,
     {{{357773, 1249, 1, 2},
       {934767, 11698, 1, 2},
       {875723, 1039987, -1, 0},
       {898999, 1043896, -1, 0},
       {404505, 1048018, -1, 0}}}},
    {23,
     19,
     10,
     1024,
     {{{2112377, 104, 1, 1},
       {662041, 17523, 1, 1},
       {5336171, 123928, 1, 1},
       {3642833, 8288932, -1, 1},
       {4250760, 8388264, -1, 1}}}},
    {25,
     21,
     10,
     1024,
     {{{41869, 33422937, -1, 0},
       {812306, 10244, 1, 0},
       {5102857, 59149, 1, 0},
       {18232239, 33135281, -1, 0},
       {26860214, 99, 1, 0}}}},
    {27,
     23,
     10,
     1024,
     {{{44172927, 61147, 1, 0},
       {72999161, 882988, 1, 0},
       {74326391, 266290, 1, 0},
       {129606274, 133997595, -1, 0},
       {21736814, 133525895, -1, 0}}}},
};

/// Returns how many of all tests were passed, on rank 0.
int passed_by_all(int own) {
    int all = 0;
    MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

}  // namespace

}  // namespace railyard::kernels::sorting

namespace railyard::kernels {

int is(int argc, char** argv, Outcome* outcome) {
    Session session(argc, argv,
                    {.name = "IS",
                     .purpose = "whole numbers ranked by sorting them into buckets",
                     .ranks = "a power of two, up to 128 in class S and 1024 in the others",
                     .iterations = false},
                    outcome);
    if (!session.begin()) return session.exit_code();
    const sorting::Problem& problem = sorting::problems[session.class_index()];
    const int ranks = session.ranks();
    if (!is_power_of_two(ranks) || ranks > problem.most_ranks)
        return session.refuse("class " + std::string(1, session.problem_class()) +
                              " runs on a power of two of ranks, up to " +
                              std::to_string(problem.most_ranks) + "; these are " +
                              std::to_string(ranks));

    sorting::Sorter sorter(problem, session.rank(), ranks);
    sorter.rank_keys(1);
    int passed = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 1; i <= sorting::iterations; ++i) {
        sorter.rank_keys(i);
        passed += sorter.right_probes(i);
    }
    const double seconds = MPI_Wtime() - start;

    passed = sorting::passed_by_all(passed + (sorter.in_order() ? 1 : 0));
    const int expected = static_cast<int>(sorting::probes) * sorting::iterations + ranks;
    Verification verification(0);
    verification.compare("tests passed", passed, expected);
    return session.finish(
        {.size = "2^" + std::to_string(problem.log_keys) + " keys",
         .iterations = sorting::iterations,
         .seconds = seconds,
         .operations = sorting::iterations * static_cast<double>(1 << problem.log_keys),
         .operation = "keys ranked"},
        verification);
}

}  // namespace railyard::kernels
