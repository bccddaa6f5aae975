// Names of algorithms, and wishes as text.

#include "mpi/collectives/algorithms.hpp"

#include <gmock/gmock.h>

#include "railyard/base/error.hpp"

namespace railyard::mpi {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string complaint_about(std::string_view text) {
    try {
        parse_algorithms(text);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "none";
}

TEST(Algorithms, AreAskedForByName) {
    const Algorithms wishes = parse_algorithms("allreduce=reduce-bcast, barrier = pairwise");
    EXPECT_EQ(wishes[Collective::allreduce], Algorithm::reduce_bcast);
    EXPECT_EQ(wishes[Collective::barrier], Algorithm::pairwise);
    EXPECT_EQ(wishes[Collective::bcast], Algorithm::automatic);
    EXPECT_EQ(to_string(wishes), "barrier=pairwise,allreduce=reduce-bcast");
}

TEST(Algorithms, OfNothingAreAutomatic) {
    EXPECT_EQ(parse_algorithms(""), Algorithms());
    EXPECT_EQ(parse_algorithms("  "), Algorithms());
    EXPECT_EQ(parse_algorithms("automatic"), Algorithms());
    EXPECT_EQ(to_string(Algorithms()), "");
}

TEST(Algorithms, TheLastWordCounts) {
    EXPECT_EQ(parse_algorithms("scan=linear,scan=automatic"), Algorithms());
    EXPECT_EQ(parse_algorithms("scan=automatic,scan=linear")[Collective::scan], Algorithm::linear);
}

TEST(Algorithms, PrintAsTheyAreRead) {
    for (std::size_t i = 0; i < collective_count; ++i) {
        const auto collective = static_cast<Collective>(i);
        EXPECT_FALSE(algorithms_of(collective).empty());
        for (const Algorithm algorithm : algorithms_of(collective)) {
            Algorithms wishes;
            wishes[collective] = algorithm;
            EXPECT_EQ(parse_algorithms(to_string(wishes)), wishes) << to_string(wishes);
        }
    }
}

TEST(Algorithms, ThoseOfThePapersAreThere) {
    EXPECT_THAT(algorithms_of(Collective::barrier), Contains(Algorithm::pairwise));
    EXPECT_THAT(algorithms_of(Collective::bcast), Contains(Algorithm::binomial));
    EXPECT_THAT(algorithms_of(Collective::allreduce), Contains(Algorithm::reduce_bcast));
    EXPECT_THAT(algorithms_of(Collective::allgather), Contains(Algorithm::ring));
    EXPECT_THAT(algorithms_of(Collective::alltoall), Contains(Algorithm::pairwise));
}

TEST(Algorithms, AWrongNameIsToldWhatThereIs) {
    EXPECT_EQ(complaint_about("barrier"),
              "algorithms: expected COLLECTIVE=ALGORITHM such as 'barrier=pairwise', found "
              "'barrier'");
    EXPECT_EQ(complaint_about("barrier=pairwise,"),
              "algorithms: expected COLLECTIVE=ALGORITHM such as 'barrier=pairwise', found ''");
    EXPECT_THAT(complaint_about("brodcast=binomial"),
                AllOf(HasSubstr("'brodcast' is no collective; there are barrier, bcast, gather"),
                      HasSubstr("exscan")));
    EXPECT_EQ(complaint_about("alltoall=brook"),
              "algorithms: alltoall has no algorithm 'brook'; it has automatic, pairwise, bruck, "
              "linear, by-node, shared, direct; did you mean 'bruck'?");
    EXPECT_THAT(complaint_about("barrier=ring"),
                HasSubstr("it has automatic, dissemination, pairwise, flat, tree"));
}

}  // namespace
}  // namespace railyard::mpi
