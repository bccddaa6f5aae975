// The large-count twins of calls between two ranks, and of windows: each once as it should be, and
// once with a count below zero.

#include "mpi/abi/large_count_twins.hpp"

#include <gmock/gmock.h>

#include <array>
#include <vector>

namespace railyard::mpi {
namespace {

using testing::ElementsAre;

using LargeCountTwins = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(LargeCountTwins);

TEST_P(LargeCountTwins, OfMessagesInAllModes) {
    run(2, [](int rank, int) {
        const int peer = 1 - rank;
        MPI_Comm all = MPI_COMM_WORLD;
        const std::array<int, 2> out{rank, 7};
        std::array<int, 2> in{};
        std::vector<char> buffer(1000 + MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
        const auto comes = [&](const Start& send) {
            in = {};
            MPI_Request receive = MPI_REQUEST_NULL;
            MPI_Irecv_c(in.data(), 2, MPI_INT, peer, 1, all, &receive);
            MPI_Barrier(all);  // it is posted: one may send in ready mode
            MPI_Request request = MPI_REQUEST_NULL;
            EXPECT_EQ(send(&request), MPI_SUCCESS);
            if (request != MPI_REQUEST_NULL) wait_for(request);
            wait_for(receive);
            EXPECT_THAT(in, ElementsAre(peer, 7));
        };
        // NOLINTNEXTLINE(bugprone-macro-parentheses)
#define RAILYARD_SENDS(Send, ISend)                                                                \
    comes([&](MPI_Request*) { return MPI_##Send##_c(out.data(), 2, MPI_INT, peer, 1, all); });     \
    comes(                                                                                         \
        [&](MPI_Request* r) { return MPI_##ISend##_c(out.data(), 2, MPI_INT, peer, 1, all, r); }); \
    comes([&](MPI_Request*) {                                                                      \
        MPI_Request r = MPI_REQUEST_NULL;                                                          \
        MPI_##Send##_init_c(out.data(), 2, MPI_INT, peer, 1, all, &r);                             \
        MPI_Start(&r);                                                                             \
        wait_for(r);                                                                               \
        return MPI_Request_free(&r);                                                               \
    });                                                                                            \
    EXPECT_EQ(MPI_##Send##_c(out.data(), wrong_count, MPI_INT, peer, 1, all), MPI_ERR_COUNT);      \
    EXPECT_EQ(MPI_##ISend##_c(out.data(), wrong_count, MPI_INT, peer, 1, all, &none),              \
              MPI_ERR_COUNT);                                                                      \
    EXPECT_EQ(MPI_##Send##_init_c(out.data(), wrong_count, MPI_INT, peer, 1, all, &none),          \
              MPI_ERR_COUNT)
        MPI_Request none = MPI_REQUEST_NULL;
        RAILYARD_SENDS(Send, Isend);
        RAILYARD_SENDS(Bsend, Ibsend);
        RAILYARD_SENDS(Rsend, Irsend);
        // Synchronous ones of both sides meet, as both have posted receives.
        RAILYARD_SENDS(Ssend, Issend);
#undef RAILYARD_SENDS
        MPI_Recv_init_c(in.data(), 2, MPI_INT, peer, 1, all, &none);
        MPI_Start(&none);
        MPI_Send_c(out.data(), 2, MPI_INT, peer, 1, all);
        wait_for(none);
        EXPECT_THAT(in, ElementsAre(peer, 7));
        MPI_Request_free(&none);
        EXPECT_EQ(MPI_Recv_init_c(in.data(), wrong_count, MPI_INT, peer, 1, all, &none),
                  MPI_ERR_COUNT);

        in = {};
        EXPECT_EQ(started([&](MPI_Request* r) {
                      return MPI_Isendrecv_c(out.data(), 2, MPI_INT, peer, 2, in.data(), 2, MPI_INT,
                                             peer, 2, all, r);
                  }),
                  MPI_SUCCESS);
        EXPECT_THAT(in, ElementsAre(peer, 7));
        EXPECT_EQ(MPI_Isendrecv_c(out.data(), wrong_count, MPI_INT, peer, 2, in.data(), 2, MPI_INT,
                                  peer, 2, all, &none),
                  MPI_ERR_COUNT);
        in = out;
        MPI_Status status;
        EXPECT_EQ(MPI_Sendrecv_replace_c(in.data(), 2, MPI_INT, peer, 3, peer, 3, all, &status),
                  MPI_SUCCESS);
        EXPECT_THAT(in, ElementsAre(peer, 7));
        EXPECT_EQ(
            MPI_Sendrecv_replace_c(in.data(), wrong_count, MPI_INT, peer, 3, peer, 3, all, &status),
            MPI_ERR_COUNT);
        in = out;
        EXPECT_EQ(started([&](MPI_Request* r) {
                      return MPI_Isendrecv_replace(in.data(), 2, MPI_INT, peer, 4, peer, 4, all, r);
                  }),
                  MPI_SUCCESS);
        EXPECT_THAT(in, ElementsAre(peer, 7));
        EXPECT_EQ(MPI_Isendrecv_replace(in.data(), -1, MPI_INT, peer, 4, peer, 4, all, &none),
                  MPI_ERR_COUNT);
        for (const bool starts : {false, true}) {
            in = {};
            MPI_Request send = MPI_REQUEST_NULL;
            MPI_Isend_c(out.data(), 2, MPI_INT, peer, 5, all, &send);
            MPI_Message message = MPI_MESSAGE_NULL;
            MPI_Mprobe(peer, 5, all, &message, &status);
            EXPECT_EQ(MPI_Mrecv_c(in.data(), wrong_count, MPI_INT, &message, &status),
                      MPI_ERR_COUNT);
            EXPECT_EQ(starts ? started([&](MPI_Request* r) {
                          return MPI_Imrecv_c(in.data(), 2, MPI_INT, &message, r);
                      })
                             : MPI_Mrecv_c(in.data(), 2, MPI_INT, &message, &status),
                      MPI_SUCCESS);
            wait_for(send);
            EXPECT_THAT(in, ElementsAre(peer, 7));
        }
        void* detached = nullptr;
        int size = 0;
        MPI_Buffer_detach(&detached, &size);
    });
}

TEST_P(LargeCountTwins, OfWindows) {
    run(1, [](int, int) {
        MPI_Comm all = MPI_COMM_WORLD;
        std::array<int, 4> memory{1, 2, 3, 4};
        MPI_Win win = MPI_WIN_NULL;
        ASSERT_EQ(MPI_Win_create_c(memory.data(), sizeof memory, 4, MPI_INFO_NULL, all, &win),
                  MPI_SUCCESS);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        const std::array<int, 2> out{10, 20};
        std::array<int, 2> in{};
        MPI_Request none = MPI_REQUEST_NULL;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        EXPECT_EQ(MPI_Put_c(out.data(), 2, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_SUCCESS);
        MPI_Win_flush(0, win);
        EXPECT_EQ(MPI_Get_c(in.data(), 2, MPI_INT, 0, 1, 2, MPI_INT, win), MPI_SUCCESS);
        MPI_Win_flush(0, win);
        EXPECT_THAT(in, ElementsAre(20, 3));
        EXPECT_EQ(MPI_Accumulate_c(out.data(), 2, MPI_INT, 0, 2, 2, MPI_INT, MPI_SUM, win),
                  MPI_SUCCESS);
        EXPECT_EQ(MPI_Get_accumulate_c(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, 0, 2, 2,
                                       MPI_INT, MPI_SUM, win),
                  MPI_SUCCESS);
        MPI_Win_flush(0, win);
        EXPECT_THAT(in, ElementsAre(13, 24));
        EXPECT_EQ(started([&](MPI_Request* r) {
                      return MPI_Rput_c(out.data(), 2, MPI_INT, 0, 2, 2, MPI_INT, win, r);
                  }),
                  MPI_SUCCESS);
        MPI_Win_flush(0, win);
        EXPECT_EQ(started([&](MPI_Request* r) {
                      return MPI_Rget_c(in.data(), 2, MPI_INT, 0, 2, 2, MPI_INT, win, r);
                  }),
                  MPI_SUCCESS);
        EXPECT_EQ(in, out);
        EXPECT_EQ(started([&](MPI_Request* r) {
                      return MPI_Raccumulate_c(out.data(), 2, MPI_INT, 0, 2, 2, MPI_INT, MPI_SUM,
                                               win, r);
                  }),
                  MPI_SUCCESS);
        EXPECT_EQ(started([&](MPI_Request* r) {
                      return MPI_Rget_accumulate_c(out.data(), 2, MPI_INT, in.data(), 2, MPI_INT, 0,
                                                   2, 2, MPI_INT, MPI_NO_OP, win, r);
                  }),
                  MPI_SUCCESS);
        EXPECT_THAT(in, ElementsAre(20, 40));
        EXPECT_EQ(MPI_Put_c(out.data(), wrong_count, MPI_INT, 0, 0, 2, MPI_INT, win),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Get_c(in.data(), wrong_count, MPI_INT, 0, 0, 2, MPI_INT, win), MPI_ERR_COUNT);
        EXPECT_EQ(
            MPI_Accumulate_c(out.data(), wrong_count, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win),
            MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Get_accumulate_c(out.data(), wrong_count, MPI_INT, in.data(), 2, MPI_INT, 0,
                                       0, 2, MPI_INT, MPI_SUM, win),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Rput_c(out.data(), wrong_count, MPI_INT, 0, 0, 2, MPI_INT, win, &none),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Rget_c(in.data(), wrong_count, MPI_INT, 0, 0, 2, MPI_INT, win, &none),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Raccumulate_c(out.data(), wrong_count, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM,
                                    win, &none),
                  MPI_ERR_COUNT);
        EXPECT_EQ(MPI_Rget_accumulate_c(out.data(), wrong_count, MPI_INT, in.data(), 2, MPI_INT, 0,
                                        0, 2, MPI_INT, MPI_NO_OP, win, &none),
                  MPI_ERR_COUNT);
        MPI_Win_unlock(0, win);
        MPI_Win_free(&win);

        void* base = nullptr;
        ASSERT_EQ(MPI_Win_allocate_c(64, 8, MPI_INFO_NULL, all, &base, &win), MPI_SUCCESS);
        EXPECT_NE(base, nullptr);
        MPI_Win_free(&win);
        ASSERT_EQ(MPI_Win_allocate_shared_c(64, 8, MPI_INFO_NULL, all, &base, &win), MPI_SUCCESS);
        MPI_Aint size = 0;
        MPI_Aint unit = 0;
        void* found = nullptr;
        EXPECT_EQ(MPI_Win_shared_query_c(win, 0, &size, &unit, &found), MPI_SUCCESS);
        EXPECT_EQ(size, 64);
        EXPECT_EQ(unit, 8);
        EXPECT_EQ(found, base);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        EXPECT_EQ(MPI_Win_shared_query_c(win, 1, &size, &unit, &found), MPI_ERR_RANK);
        MPI_Win_free(&win);
        EXPECT_EQ(MPI_Win_allocate_c(64, 0, MPI_INFO_NULL, all, &base, &win), MPI_ERR_DISP);
        EXPECT_EQ(MPI_Win_allocate_shared_c(64, 0, MPI_INFO_NULL, all, &base, &win), MPI_ERR_DISP);
        EXPECT_EQ(MPI_Win_create_c(memory.data(), 16, 0, MPI_INFO_NULL, all, &win), MPI_ERR_DISP);
    });
}

TEST_P(LargeCountTwins, OfExternalPacking) {
    run(1, [](int, int) {
        const std::array<int, 2> out{1, -2};
        std::array<int, 2> in{};
        std::array<std::byte, 8> packed{};
        MPI_Count position = 0;
        EXPECT_EQ(
            MPI_Pack_external_c("external32", out.data(), 2, MPI_INT, packed.data(), 8, &position),
            MPI_SUCCESS);
        EXPECT_EQ(position, 8);
        EXPECT_EQ(packed[3], std::byte{1}) << "the last of four, most significant first";
        position = 0;
        EXPECT_EQ(
            MPI_Unpack_external_c("external32", packed.data(), 8, &position, in.data(), 2, MPI_INT),
            MPI_SUCCESS);
        EXPECT_EQ(in, out);
        EXPECT_EQ(MPI_Pack_external_c("external32", out.data(), wrong_count, MPI_INT, packed.data(),
                                      8, &position),
                  MPI_ERR_COUNT);
        position = 0;
        EXPECT_EQ(MPI_Unpack_external_c("external32", packed.data(), 8, &position, in.data(),
                                        wrong_count, MPI_INT),
                  MPI_ERR_COUNT);
    });
}

}  // namespace
}  // namespace railyard::mpi
