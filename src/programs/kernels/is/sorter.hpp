#pragma once
/// The keys of IS and the sorting of them: each rank gets the keys of some buckets, and counts.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace railyard::kernels::sorting {

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

}  // namespace railyard::kernels::sorting
