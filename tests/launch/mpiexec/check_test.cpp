// What is found of a program's mistakes: each check with a program that trips it, and the same
// program without the mistake; deadlocks whose cycle is known; crashes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <regex>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int of_deadlock = 35;
constexpr int of_finding = 36;

Ended mistaken(const Words& options, const Words& which, int ranks = 2) {
    Words words = options;
    words.insert(words.end(), {"-n", std::to_string(ranks), RAILYARD_MISTAKES});
    words.insert(words.end(), which.begin(), which.end());
    return mpiexec(words);
}

struct Check {
    std::string mistake;
    int exit_code;
    std::vector<const char*> said;
    int ranks = 2;
};
void PrintTo(const Check& check, std::ostream* out) {
    *out << check.mistake;
}

Check of_groups(const char* mistake, std::vector<const char*> said) {
    return {std::string("groups-") + mistake, of_finding, std::move(said), 5};
}
Check of_types(const char* mistake, std::vector<const char*> said) {
    return {std::string("types-") + mistake, of_finding, std::move(said)};
}
std::string check_name(const ::testing::TestParamInfo<Check>& info) {
    return std::regex_replace(info.param.mistake, std::regex("-"), "_");
}

class MpiexecCheck : public ::testing::TestWithParam<Check> {};

TEST_P(MpiexecCheck, FindsTheMistakeAndNothingWhereThereIsNone) {
    const Ended right = mistaken({"--check"}, {"right", GetParam().mistake}, GetParam().ranks);
    EXPECT_EQ(right.exit_code, 0);
    EXPECT_EQ(right.out, "done\n");
    EXPECT_EQ(right.err, "");

    const Ended wrong = mistaken({"--check"}, {GetParam().mistake}, GetParam().ranks);
    EXPECT_EQ(wrong.exit_code, GetParam().exit_code);
    for (const char* const text : GetParam().said)
        EXPECT_THAT(wrong.err, HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(
    Each, MpiexecCheck,
    ::testing::Values(
        Check{"functions",
              of_finding,
              {"rank 0 called MPI_Bcast(count 1, MPI_INT, root 0, MPI_COMM_WORLD), rank 1 called "
               "MPI_Reduce(count 1, MPI_INT, MPI_SUM, root 0, MPI_COMM_WORLD): the functions "
               "differ (number 1 on MPI_COMM_WORLD)"}},
        Check{
            "roots", of_finding, {"rank 1 called MPI_Bcast(count 1, MPI_INT, root 1", "the roots"}},
        Check{"operations", of_finding, {"MPI_SUM", "MPI_MAX", "the operations differ"}},
        Check{"reduced-types", of_finding, {"MPI_FLOAT", "the types differ"}},
        Check{"lengths",
              of_finding,
              {"rank 0 called MPI_Bcast(count 8", "rank 1 called MPI_Bcast(count 4",
               "gives the second 32 bytes, which takes 16"}},
        Check{"gathered",
              of_finding,
              {"rank 1 called MPI_Gather(sendcount 1", "gives the second 4 bytes, which takes 8"}},
        Check{"started", of_finding, {"MPI_Ibarrier(", "MPI_Ibcast(", "the functions differ"}},
        Check{
            "changed", of_finding, {"the buffer of MPI_Isend(count 100000", "was changed before"}},
        Check{"looked-at", of_finding, {"the buffer of MPI_Isend(count 100000", "was changed"}},
        Check{"overlapping", 0, {"rank 0: check: buffers overlap: MPI_Irecv(count 4"}},
        Check{"overlapping-far",
              0,
              {"rank 0: check: buffers overlap: MPI_Irecv(count 1, MPI_INT, source 0, tag 9, "
               "MPI_COMM_WORLD) is given memory that MPI_Isend(count 100000"}},
        Check{"window", 50, {"MPI_Put", "no access epoch is open for rank 0"}}),
    check_name);

// Ranks 0, 2 and 4 are the one group, 1 and 3 the other.
INSTANTIATE_TEST_SUITE_P(
    Groups, MpiexecCheck,
    ::testing::Values(
        of_groups("functions", {"rank 0 called MPI_Barrier(both), rank 3 called MPI_Allgather(",
                                "the functions differ (number 1 on both)"}),
        of_groups("two-roots", {"rank 0 called MPI_Bcast(count 1, MPI_INT, root MPI_ROOT, both), "
                                "rank 2 called MPI_Bcast(count 1, MPI_INT, root MPI_ROOT, both): "
                                "both say that they are the root"}),
        of_groups("no-root", {"rank 0 called MPI_Bcast(count 1, MPI_INT, root MPI_PROC_NULL, both)",
                              "one names as the root who says MPI_PROC_NULL"}),
        of_groups("other-root", {"rank 3 called MPI_Bcast(count 1, MPI_INT, root 1, both): one "
                                 "says that it is the root, and the other names another"}),
        of_groups("root-in-own", {"rank 1 called MPI_Bcast(count 1, MPI_INT, root MPI_PROC_NULL, "
                                  "both): "}),
        of_groups("root-in-other",
                  {"rank 2 called MPI_Bcast(count 1, MPI_INT, root 0, both): of one group, one "
                   "looks for the root in the other group, and one in its own"}),
        of_groups("root-elsewhere", {"each looks for the root in the other's group"}),
        of_groups("lengths", {"rank 3 called MPI_Bcast(count 2, MPI_INT, root 0, both): the first "
                              "gives the second 4 bytes, which takes 8"}),
        of_groups("gathered", {"rank 3 called MPI_Gather(sendcount 1, MPI_FLOAT, recvcount 1, "
                               "MPI_INT, root 0, both), rank 0 called MPI_Gather(",
                               "the types differ"}),
        of_groups("swapped", {"gives the second 4 bytes, which takes 8"}),
        of_groups("operations", {"rank 0 called MPI_Allreduce(count 1, MPI_INT, MPI_SUM, both), "
                                 "rank 2 called MPI_Allreduce(count 1, MPI_INT, MPI_MAX, both): "
                                 "the operations differ"}),
        of_groups("operations-between", {"the operations differ"}),
        of_groups("reduced", {"MPI_Reduce(count 2", "MPI_Reduce(count 1", "8 bytes and 4 bytes"}),
        of_groups("scattered", {"MPI_Reduce_scatter_block(recvcount 5", "60 bytes and 48 bytes"}),
        of_groups("started", {"MPI_Ibarrier(both)", "MPI_Ibcast(", "the functions differ"})),
    check_name);

INSTANTIATE_TEST_SUITE_P(
    Types, MpiexecCheck,
    ::testing::Values(
        of_types("scalars",
                 {"types do not match: rank 1 called MPI_Send(count 4, MPI_FLOAT, dest 0, tag 7, "
                  "MPI_COMM_WORLD), rank 0 called MPI_Recv(count 4, MPI_INT, source 1, tag 7, "
                  "MPI_COMM_WORLD)"}),
        of_types("started", {"rank 1 called MPI_Send(count 2, MPI_LONG, dest 0, tag 7",
                             "rank 0 called MPI_Irecv(count 2, a type of 2 MPI_DOUBLE"}),
        of_types("records", {"rank 1 called MPI_Send(count 2, a type of 2 MPI_INT, 2 MPI_DOUBLE, ",
                             "rank 0 called MPI_Recv(count 3, a type of 2 MPI_DOUBLE, 2 MPI_INT"}),
        of_types("large", {"rank 1 called MPI_Ssend(count 100000, MPI_LONG",
                           "rank 0 called MPI_Recv(count 100000, MPI_DOUBLE, source any"}),
        of_types("persistent", {"rank 1 called MPI_Send_init(count 1, MPI_FLOAT, dest 0, tag 8",
                                "rank 0 called MPI_Recv_init(count 1, MPI_INT, source 1, tag 8"}),
        of_types("exchanged", {"called MPI_Sendrecv_replace(count 1, MPI_UNSIGNED, dest",
                               "called MPI_Sendrecv(sendcount 1, MPI_UNSIGNED"}),
        of_types("at-once", {"rank 1 called MPI_Isendrecv(sendcount 1, MPI_FLOAT",
                             "rank 0 called MPI_Isendrecv(sendcount 1, MPI_INT"}),
        of_types("probed",
                 {"rank 1 called MPI_Send(count 1, MPI_FLOAT", "rank 0 called MPI_Mrecv("}),
        of_types("buffered", {"rank 1 called MPI_Bsend(count 1, MPI_FLOAT", "rank 0 called"}),
        of_types("collective",
                 {"rank 0 called MPI_Bcast(count 3, a type of 2 MPI_INT, 2 MPI_DOUBLE",
                  "rank 1 called MPI_Bcast(count 3, a type of 2 MPI_DOUBLE, 2 MPI_INT",
                  "the types differ"}),
        of_types("many", {"rank 1 called MPI_Isend(count 1, MPI_INT, dest 0, tag 77",
                          "rank 0 called MPI_Irecv(count 1, MPI_FLOAT, source 1, tag 77"}),
        of_types("partitioned",
                 {"types do not match: rank 1 called MPI_Psend_init(partitions 4, count 6, "
                  "MPI_FLOAT, dest 0, tag 5, MPI_COMM_WORLD), rank 0 called "
                  "MPI_Precv_init(partitions 3, count 8, MPI_INT, dest 1, tag 5, MPI_COMM_WORLD)"}),
        of_types("neighbours",
                 {"rank 0 called MPI_Neighbor_alltoall(sendcount 2, MPI_INT, recvcount 2, MPI_INT, "
                  "ring), rank 1 called MPI_Neighbor_alltoall(sendcount 2, MPI_INT, recvcount 2, "
                  "MPI_FLOAT, ring): the types differ"}),
        of_types("neighbours-by-place",
                 {"rank 0 called MPI_Ineighbor_alltoallw(ring), rank 1 called "
                  "MPI_Ineighbor_alltoallw(ring): the types differ"}),
        of_types("neighbours-lengths", {"rank 1 called MPI_Neighbor_allgatherv(", "rank 0 called",
                                        "the first gives the second 8 bytes, which takes 4"}),
        of_types("neighbours-edges",
                 {"rank 0 called MPI_Neighbor_allgather(", "rank 1 called",
                  "the first sends to the second 1 times, which receives from it 2 times"})),
    check_name);

// Both types are the origin's.
INSTANTIATE_TEST_SUITE_P(
    Windows, MpiexecCheck,
    ::testing::Values(
        of_types("put",
                 {"types do not match: rank 1 called MPI_Put(origin_count 1, a type of 4 MPI_INT, "
                  "target_rank 0, target_disp 0, target_count 4, MPI_FLOAT, win): the types of the "
                  "origin are not those of the target"}),
        of_types("get",
                 {"rank 1 called MPI_Get(", "the types of the target are not those of the origin"}),
        of_types("accumulate", {"rank 1 called MPI_Accumulate(",
                                "the types of the origin are not those of the target"}),
        of_types("fetch", {"rank 1 called MPI_Get_accumulate(",
                           "the types of the target are not those of the result"})),
    check_name);

INSTANTIATE_TEST_SUITE_P(
    Leaks, MpiexecCheck,
    ::testing::Values(
        Check{"leaked",
              0,
              {"rank 0: check: MPI_Isend(count 1, MPI_INT, dest 1, tag 7, MPI_COMM_WORLD) was "
               "never completed: wait for its request, or test it"}},
        Check{"leaked-generalized", 0, {"rank 0: check: MPI_Grequest_start() was never completed"}},
        Check{"leaked-persistent",
              0,
              {"rank 0: check: MPI_Send_init(", "was never freed: call MPI_Request_free"}},
        Check{"leaked-partitioned", 0, {"rank 0: check: MPI_Psend_init(", "was never freed"}},
        Check{"leaked-collective", 0, {"rank 0: check: MPI_Ibcast(", "was never completed"}},
        Check{"leaked-persistent-collective", 0, {"MPI_Barrier_init(", "was never freed"}},
        Check{"leaked-at-once", 0, {"rank 0: check: MPI_Isendrecv(", "was never completed"}},
        Check{"leaked-duplication", 0, {"rank 0: check: MPI_Comm_idup(", "was never completed"}}),
    check_name);

TEST(MpiexecCheckWindows, KnowEveryOperationInEveryEpoch) {
    for (const Words& options : {Words{}, Words{"--check"}, Words{"--on", "iwarp"}}) {
        const Ended ended = mistaken(options, {"windows"});
        EXPECT_EQ(ended.exit_code, 0);
        EXPECT_EQ(ended.out, "done\n");
        EXPECT_EQ(ended.err, "");
    }
}

TEST(MpiexecCheckThreads, MayUseABufferInTurn) {
    const Ended ended = mistaken({"--check"}, {"threads-in-turn"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.out, "done\n");
    EXPECT_EQ(ended.err, "");
}

TEST(MpiexecDeadlock, IsACycleOfTwoOrThree) {
    for (const int ranks : {2, 3}) {
        const Ended ended = mistaken({"--deadlock-timeout", "0.5"}, {"ring"}, ranks);
        EXPECT_EQ(ended.exit_code, of_deadlock);
        EXPECT_EQ(ended.err,
                  ranks == 2
                      ? "mpiexec: deadlock: all 2 ranks wait, and nothing has moved for 0.5 s\n"
                        "  rank 0 waits for rank 1 in MPI_Recv(count 1, MPI_INT, source 1, tag 7, "
                        "MPI_COMM_WORLD)\n"
                        "  rank 1 waits for rank 0 in MPI_Recv(count 1, MPI_INT, source 0, tag 7, "
                        "MPI_COMM_WORLD)\n"
                        "  cycle: rank 0 → rank 1 → rank 0\n"
                        "  all ranks were ended\n"
                      : "mpiexec: deadlock: all 3 ranks wait, and nothing has moved for 0.5 s\n"
                        "  rank 0 waits for rank 1 in MPI_Recv(count 1, MPI_INT, source 1, tag 7, "
                        "MPI_COMM_WORLD)\n"
                        "  rank 1 waits for rank 2 in MPI_Recv(count 1, MPI_INT, source 2, tag 7, "
                        "MPI_COMM_WORLD)\n"
                        "  rank 2 waits for rank 0 in MPI_Recv(count 1, MPI_INT, source 0, tag 7, "
                        "MPI_COMM_WORLD)\n"
                        "  cycle: rank 0 → rank 1 → rank 2 → rank 0\n"
                        "  all ranks were ended\n");
    }
}

TEST(MpiexecDeadlock, OfACollectiveNamesThoseWhoAreNotThere) {
    const Ended ended = mistaken({"--deadlock-timeout", "0.5"}, {"barrier"}, 3);
    EXPECT_EQ(ended.exit_code, of_deadlock);
    EXPECT_THAT(ended.err, HasSubstr("\n  rank 0 waits for rank 1 in MPI_Recv("));
    EXPECT_THAT(ended.err, HasSubstr("\n  rank 1 waits for rank 0 in MPI_Barrier("));
    EXPECT_THAT(ended.err, HasSubstr("\n  rank 2 waits for rank 0 in MPI_Barrier("));
    EXPECT_THAT(ended.err, HasSubstr("\n  cycle: rank 0 → rank 1 → rank 0\n"));
}

TEST(MpiexecDeadlock, OfRequestsSaysWhatTheyAre) {
    const Ended ended = mistaken({"--deadlock-timeout", "0.5"}, {"requests"}, 2);
    EXPECT_EQ(ended.exit_code, of_deadlock);
    EXPECT_THAT(
        ended.err,
        HasSubstr("rank 0 waits for rank 1 in MPI_Waitall(count 2) of a receive with tag 7"));
}

TEST(MpiexecDeadlock, IsFoundOnOtherFabricsAndWithAProgressThread) {
    for (const Words& way :
         {Words{"--on", "iwarp"}, Words{"--set", "progress-thread=on"}, Words{"--check"}}) {
        Words options = way;
        options.insert(options.end(), {"--deadlock-timeout", "0.5"});
        const Ended ended = mistaken(options, {"ring"});
        EXPECT_EQ(ended.exit_code, of_deadlock);
        EXPECT_THAT(ended.err, HasSubstr("cycle: rank 0 → rank 1 → rank 0\n"));
    }
}

TEST(MpiexecDeadlock, IsNoneWhereSomebodyComputesOrAnotherThreadWillSend) {
    for (const Words& which : {Words{"sleeping"}, Words{"threads"}, Words{"right", "ring"},
                               Words{"right", "barrier"}, Words{"right", "requests"}}) {
        const Ended ended = mistaken({"--deadlock-timeout", "0.3"}, which);
        EXPECT_EQ(ended.exit_code, 0) << which.back();
        EXPECT_EQ(ended.out, "done\n");
        EXPECT_EQ(ended.err, "");
    }
}

TEST(MpiexecDeadlock, NeedsATime) {
    const Ended ended = mpiexec({"--deadlock-timeout", "soon", "-n", "2", "true"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("--deadlock-timeout: expected seconds"));
}

TEST(MpiexecCrash, IsToldWithABacktrace) {
    const Ended ended = mistaken({}, {"segfault"});
    EXPECT_EQ(ended.exit_code, 128 + SIGSEGV);
    EXPECT_THAT(ended.err, HasSubstr("\nrank 1 (pid "));
    EXPECT_THAT(ended.err, HasSubstr("crashed: signal 11 (Segmentation fault) at address 0x10\n"));
    EXPECT_TRUE(std::regex_search(ended.err, std::regex("\n  #0  read_from\\+0x[0-9a-f]+  /.*\n")))
        << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("  segfault+0x"));
    EXPECT_THAT(ended.err, HasSubstr("  main+0x"));
    EXPECT_THAT(ended.err, HasSubstr("was killed by signal 11"));

    const Ended aborted = mistaken({}, {"aborted"});
    EXPECT_EQ(aborted.exit_code, 128 + SIGABRT);
    EXPECT_THAT(aborted.err, AllOf(HasSubstr("signal 6 (Aborted)\n"), HasSubstr("  aborted+0x")));
}

TEST(MpiexecCrash, IsNotToldIfThatIsNotWanted) {
    const Ended ended = mistaken({"--set", "backtrace=off"}, {"segfault"});
    EXPECT_EQ(ended.exit_code, 128 + SIGSEGV);
    EXPECT_THAT(ended.err, Not(HasSubstr("crashed")));
    EXPECT_EQ(mistaken({}, {"right", "segfault"}).err, "");
}

}  // namespace
}  // namespace railyard::mpiexec
