// Sessions: without MPI_Init, beside it, and one after the other.

#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

/// Ranks that have not called MPI_Init.
class Sessions : public OnRanks {
  protected:
    void start(int ranks, const std::function<void(int rank)>& body,
               std::vector<fabric::NodeId> nodes = {}) {
        job::Options options = options_for(GetParam(), ranks);
        if (!nodes.empty()) options.nodes = std::move(nodes);
        const job::Result result = job::run(options, [&](job::Rank& rank) { body(rank.id()); });
        EXPECT_TRUE(result.ok) << result.failure;
    }
};
RAILYARD_ON_BOTH_CLOCKS(Sessions);

MPI_Session opened(MPI_Info info = MPI_INFO_NULL) {
    MPI_Session session = MPI_SESSION_NULL;
    EXPECT_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    EXPECT_NE(session, MPI_SESSION_NULL);
    return session;
}

void close(MPI_Session session) {
    EXPECT_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    EXPECT_EQ(session, MPI_SESSION_NULL);
}

std::string info_of(MPI_Info info, const char* key) {
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
    MPI_Info_free(&info);
    return flag != 0 ? value : "(none)";
}

MPI_Comm communicator_of(MPI_Session session, const char* set, const char* tag) {
    MPI_Group group = MPI_GROUP_NULL;
    EXPECT_EQ(MPI_Group_from_session_pset(session, set, &group), MPI_SUCCESS);
    MPI_Comm comm = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
              MPI_SUCCESS);
    MPI_Group_free(&group);
    return comm;
}

/// The sum over the set's ranks, by a communicator of its own.
int sum_over(MPI_Session session, const char* set, int value) {
    MPI_Comm comm = communicator_of(session, set, "sum");
    int sum = -1;
    EXPECT_EQ(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    MPI_Comm_free(&comm);
    return sum;
}

int flag_of(int (*ask)(int*)) {
    int flag = -1;
    EXPECT_EQ(ask(&flag), MPI_SUCCESS);
    return flag;
}

TEST_P(Sessions, NeedNoInit) {
    for (const int ranks : {1, 5})
        start(ranks, [&](int rank) {
            const MPI_Session session = opened();
            EXPECT_EQ(flag_of(&MPI_Initialized), 0) << "which MPI_Init alone does";
            EXPECT_EQ(sum_over(session, "mpi://WORLD", rank), ranks * (ranks - 1) / 2);
            EXPECT_EQ(sum_over(session, "mpi://SELF", rank), rank);
            close(session);
            EXPECT_EQ(flag_of(&MPI_Finalized), 0);
        });
}

TEST_P(Sessions, MayFollowEachOther) {
    start(3, [](int rank) {
        for (int time = 0; time < 3; ++time) {
            // One rank opens more of them than the others.
            for (int more = 0; more < rank; ++more)
                close(opened());
            const MPI_Session session = opened();
            EXPECT_EQ(sum_over(session, "mpi://WORLD", rank), 3);
            close(session);
        }
    });
}

TEST_P(Sessions, TwoAtATimeBesideTheWorld) {
    start(3, [](int rank) {
        const MPI_Session first = opened();
        MPI_Comm comm = communicator_of(first, "mpi://WORLD", "kept");
        ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
        EXPECT_EQ(flag_of(&MPI_Initialized), 1);
        const MPI_Session second = opened();
        EXPECT_NE(first, second);
        EXPECT_EQ(sum_over(second, "mpi://WORLD", rank), 3);
        int sum = -1;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(sum, 3);
        close(second);
        ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);
        EXPECT_EQ(flag_of(&MPI_Finalized), 1);
        // The first session lives on.
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        EXPECT_EQ(sum, 3);
        MPI_Comm_free(&comm);
        close(first);
    });
}

TEST_P(Sessions, TheWorldMayComeAfterThem) {
    start(2, [](int rank) {
        close(opened());
        ASSERT_EQ(MPI_Init(nullptr, nullptr), MPI_SUCCESS);
        int sum = -1;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(sum, 1);
        ASSERT_EQ(MPI_Finalize(), MPI_SUCCESS);
        EXPECT_EQ(flag_of(&MPI_Finalized), 1);
    });
}

TEST_P(Sessions, KnowProcessSets) {
    if (GetParam().kind != job::Kind::fibers) GTEST_SKIP() << "has one node";
    start(5,
          [](int rank) {
              const MPI_Session session = opened();
              int count = 0;
              ASSERT_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count), MPI_SUCCESS);
              std::vector<std::string> names;
              for (int n = 0; n < count; ++n) {
                  int length = 0;
                  MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, nullptr);
                  std::string name(static_cast<std::size_t>(length), '?');
                  EXPECT_EQ(
                      MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name.data()),
                      MPI_SUCCESS);
                  EXPECT_EQ(static_cast<std::size_t>(length), name.size());
                  EXPECT_EQ(name.back(), '\0');
                  name.pop_back();
                  names.push_back(name);
              }
              const std::string node = rank < 3 ? "railyard://node/0" : "railyard://node/1";
              EXPECT_THAT(names, testing::ElementsAre("mpi://WORLD", "mpi://SELF", node));
              // Too little room: the beginning, and how much there would be.
              char some[5] = "";
              int length = sizeof some;
              MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, some);
              EXPECT_STREQ(some, "mpi:");
              EXPECT_EQ(length, 12);
              for (const auto& [name, size] : {std::pair{std::string("mpi://WORLD"), "5"},
                                               {std::string("mpi://SELF"), "1"},
                                               {node, rank < 3 ? "3" : "2"}}) {
                  MPI_Info info = MPI_INFO_NULL;
                  EXPECT_EQ(MPI_Session_get_pset_info(session, name.c_str(), &info), MPI_SUCCESS);
                  EXPECT_EQ(info_of(info, "mpi_size"), size) << name;
              }
              EXPECT_EQ(sum_over(session, node.c_str(), 1), rank < 3 ? 3 : 2);
              close(session);
          },
          {0, 0, 0, 1, 1});
}

TEST_P(Sessions, GiveTheThreadLevelAskedFor) {
    start(1, [&](int) {
        // Info objects may come first.
        MPI_Info info = MPI_INFO_NULL;
        ASSERT_EQ(MPI_Info_create(&info), MPI_SUCCESS);
        MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
        const MPI_Session session = opened(info);
        MPI_Info used = MPI_INFO_NULL;
        EXPECT_EQ(MPI_Session_get_info(session, &used), MPI_SUCCESS);
        EXPECT_EQ(info_of(used, "thread_level"), GetParam().kind == job::Kind::fibers
                                                     ? "MPI_THREAD_SERIALIZED"
                                                     : "MPI_THREAD_MULTIPLE");
        MPI_Info_set(info, "thread_level", "many");
        MPI_Session wrong = MPI_SESSION_NULL;
        EXPECT_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &wrong), MPI_ERR_INFO_VALUE);
        MPI_Info_free(&info);
        close(session);
    });
}

thread_local std::vector<int> heard;  // NOLINT: a C function has nowhere else to write

void hear(MPI_Session* session, int* code, ...) {
    heard = {*session, *code};
}

TEST_P(Sessions, HaveErrorHandlers) {
    start(1, [](int) {
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        ASSERT_EQ(MPI_Session_create_errhandler(&hear, &handler), MPI_SUCCESS)
            << "before the first session";
        MPI_Session session = MPI_SESSION_NULL;
        ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, handler, &session), MPI_SUCCESS);
        MPI_Group group = MPI_GROUP_NULL;
        EXPECT_EQ(MPI_Group_from_session_pset(session, "mpi://NOBODY", &group), MPI_ERR_ARG);
        EXPECT_THAT(heard, testing::ElementsAre(session, MPI_ERR_ARG));
        EXPECT_EQ(MPI_Session_call_errhandler(session, MPI_ERR_TAG), MPI_SUCCESS);
        EXPECT_THAT(heard, testing::ElementsAre(session, MPI_ERR_TAG));
        MPI_Errhandler same = MPI_ERRHANDLER_NULL;
        EXPECT_EQ(MPI_Session_get_errhandler(session, &same), MPI_SUCCESS);
        EXPECT_EQ(same, handler);
        MPI_Errhandler_free(&same);
        EXPECT_EQ(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN), MPI_SUCCESS);
        heard.clear();
        EXPECT_EQ(MPI_Group_from_session_pset(session, nullptr, &group), MPI_ERR_ARG);
        EXPECT_TRUE(heard.empty());
        MPI_Errhandler_free(&handler);
        close(session);
    });
}

TEST_P(Sessions, WrongCallsAreTold) {
    run(1, [](int, int) {
        MPI_Session session = MPI_SESSION_NULL;
        int number = 0;
        MPI_Info info = MPI_INFO_NULL;
        EXPECT_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number), MPI_ERR_SESSION);
        EXPECT_EQ(MPI_Session_finalize(&session), MPI_ERR_SESSION);
        EXPECT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session), MPI_ERR_ARG);
        session = opened();
        EXPECT_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 9, &number, nullptr),
                  MPI_ERR_ARG);
        EXPECT_EQ(MPI_Session_get_pset_info(session, "mpi://", &info), MPI_ERR_ARG);
        EXPECT_EQ(MPI_Session_get_info(session, nullptr), MPI_ERR_ARG);
        const MPI_Session closed = session;
        close(session);
        EXPECT_EQ(MPI_Session_get_info(closed, &info), MPI_ERR_SESSION);
    });
}

}  // namespace
}  // namespace railyard::mpi
