// Collectives through the C interface against an oracle: random counts (none included), layouts,
// roots, operations, in place or not, on communicators of many kinds, with messages under way.

#include "mpi/programs/random_collectives.hpp"
#include "mpi/programs/traffic.hpp"

namespace railyard::mpi::programs {
namespace {

class RandomCollectives : public OnFabrics {
  protected:
    static constexpr std::uint64_t programs = 3;
    static constexpr std::uint64_t collectives = 30;
};

/// A copy, two halves turned round, or thirds.
std::vector<MPI_Comm> make_comms(int rank, int size) {
    std::vector<MPI_Comm> comms(3);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_split(comms[0], rank < (size + 1) / 2 ? 0 : 1, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3, rank, &comms[2]);
    comms.push_back(MPI_COMM_WORLD);
    return comms;
}

/// Calls collectives, some of them while others are under way. All ranks draw alike, whichever
/// communicators they are in.
class Caller {
  public:
    Caller(std::uint64_t seed, const std::vector<MPI_Comm>& comms)
        : comms_(comms), random_(seed), number_(seed << 20) {}

    /// One, and up to `depth` more between its start and its end.
    void call(int depth) {
        const MPI_Comm comm = comms_[random_.below(comms_.size())];
        const bool has_traffic = random_.below(2) == 0;
        const std::size_t bytes = random_.below(2) == 0 ? 100 : 40000;
        Calling calling{.form = static_cast<Calling::Form>(random_.below(3)),
                        .polls = random_.below(4) == 0};
        const std::uint64_t within = random_.below(3);
        if (depth > 0)
            calling.meanwhile = [this, depth, within] {
                for (std::uint64_t i = 0; i < within; ++i)
                    call(depth - 1);
            };
        std::unique_ptr<Traffic> traffic;
        if (has_traffic && depth == most_deep) traffic = std::make_unique<Traffic>(comm, bytes);
        if (random_.below(2) == 0)
            move_at_random(comm, random_, ++number_, calling);
        else
            reduce_at_random(comm, own_, random_, ++number_, calling);
        if (traffic) traffic->finish();
    }

    static constexpr int most_deep = 2;

  private:
    const std::vector<MPI_Comm>& comms_;
    sim::Random random_;
    std::uint64_t number_;
    const OwnOperations own_;
};

void call_at_random(std::uint64_t seed, std::uint64_t times, int rank, int size) {
    std::vector<MPI_Comm> comms = make_comms(rank, size);
    {
        Caller caller(seed, comms);
        for (std::uint64_t i = 0; i < times; ++i)
            caller.call(Caller::most_deep);
    }
    for (std::size_t i = 0; i < 3; ++i)
        MPI_Comm_free(&comms[i]);
}

TEST_P(RandomCollectives, AgreeWithTheOracle) {
    for (std::uint64_t i = 0; i < programs && !HasFailure(); ++i) {
        const std::uint64_t seed = 10 * static_cast<std::uint64_t>(GetParam().ranks) + i;
        SCOPED_TRACE("seed " + std::to_string(seed));
        run([seed](int rank, int size) { call_at_random(seed, collectives, rank, size); });
    }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, RandomCollectives,
                         testing::ValuesIn(job_specs({1, 2, 3, 4, 7, 8, 16})), spec_name);
INSTANTIATE_TEST_SUITE_P(Processes, RandomCollectives, testing::ValuesIn(processes({3, 16})),
                         spec_name);

}  // namespace
}  // namespace railyard::mpi::programs
