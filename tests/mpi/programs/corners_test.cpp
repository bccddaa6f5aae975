// Corners of point to point: what is cut off, what goes to oneself, to nobody, and what is empty.

#include <array>
#include <cstring>
#include <vector>

#include "mpi/programs/layout.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {
namespace {

class Corners : public OnFabrics {};

int class_of(int code) {
    int of = MPI_SUCCESS;
    MPI_Error_class(code, &of);
    return of;
}

// A message that is too long fills what room there is, is an error of that receive, and of no
// other.
TEST_P(Corners, TruncationIsAnErrorOfTheReceiveAlone) {
    run([](int rank, int size) {
        if (size < 2 || rank > 1) return;
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        const Layout bytes(Shape::dense, 0);
        constexpr std::size_t lengths[] = {9, 300, 3000, 9000, 70000, 200000};
        std::vector<std::byte> buffer(200000);
        for (const bool unexpected : {false, true})
            for (const std::size_t length : lengths) {
                const auto n = static_cast<int>(length);
                if (rank == 1) {
                    bytes.fill(buffer.data(), length, length);
                    if (!unexpected)
                        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    MPI_Send(buffer.data(), n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                    MPI_Send(buffer.data(), n, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
                    continue;
                }
                MPI_Status status;
                std::vector<std::byte> small(length, Layout::untouched);
                MPI_Request request;
                if (unexpected) MPI_Probe(1, 0, MPI_COMM_WORLD, &status);
                MPI_Irecv(small.data(), n / 2, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
                if (!unexpected) MPI_Send(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
                const int code = MPI_Wait(&request, &status);
                require_equal(class_of(code), MPI_ERR_TRUNCATE, "error of a receive too short");
                require_equal(status.MPI_SOURCE, 1, "source");
                require(bytes.holds(small.data(), length / 2, length), "wrong bytes");
                require(bytes.is_clean(small.data(), length / 2, length), "written beyond its end");
                require_equal(MPI_Recv(buffer.data(), n, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &status),
                              MPI_SUCCESS, "the next receive");
                require(bytes.holds(buffer.data(), length, length), "wrong bytes in the next");
            }
    });
}

TEST_P(Corners, MessagesToOneselfGoInEveryMode) {
    run([](int rank, int) {
        const Layout bytes(Shape::dense, 0);
        // For all at once: when a message has left its sender is not for the receiver to know.
        std::vector<std::byte> attached(500000 + 10 * MPI_BSEND_OVERHEAD);
        MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
        using Call = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
        for (const Call call : {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend})
            for (const std::size_t length : {0, 1, 100, 9000, 200000})
                for (const bool first : {true, false}) {
                    if (!first && call == MPI_Irsend) continue;  // not legal
                    const auto n = static_cast<int>(length);
                    std::vector<std::byte> out(length + 1);
                    std::vector<std::byte> in(length + 1, Layout::untouched);
                    bytes.fill(out.data(), length, length);
                    std::array<MPI_Request, 2> requests;
                    std::array<MPI_Status, 2> statuses;
                    const auto receive = [&] {
                        MPI_Irecv(in.data(), n, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                                  &requests[0]);
                    };
                    if (first) receive();
                    call(out.data(), n, MPI_BYTE, rank, 3, MPI_COMM_WORLD, &requests[1]);
                    if (!first) receive();
                    MPI_Waitall(2, requests.data(), statuses.data());
                    require_equal(statuses[0].MPI_SOURCE, rank, "source");
                    require(bytes.holds(in.data(), length, length), "wrong bytes to oneself");
                    require(bytes.is_clean(in.data(), length, length + 1), "beyond the end");
                }
        void* buffer = nullptr;
        int size = 0;
        MPI_Buffer_detach(&buffer, &size);
        int value = rank;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
        require_equal(value, rank, "value exchanged with oneself");
    });
}

void expect_nobody(const MPI_Status& status) {
    require_equal(status.MPI_SOURCE, MPI_PROC_NULL, "source");
    require_equal(status.MPI_TAG, MPI_ANY_TAG, "tag");
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    require_equal(count, 0, "count");
}

TEST_P(Corners, NobodyIsAPartnerOfEveryCall) {
    run([](int, int) {
        int value = 17;
        const MPI_Comm comm = MPI_COMM_WORLD;
        for (const auto call : {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend})
            call(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &status);
        expect_nobody(status);
        MPI_Probe(MPI_PROC_NULL, 0, comm, &status);
        expect_nobody(status);
        int flag = 0;
        MPI_Iprobe(MPI_PROC_NULL, 0, comm, &flag, &status);
        require_equal(flag, 1, "flag of a probe for nobody's");
        expect_nobody(status);
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(MPI_PROC_NULL, 0, comm, &message, &status);
        require_equal(message, MPI_MESSAGE_NO_PROC, "message of nobody");
        expect_nobody(status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        expect_nobody(status);
        MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0,
                     comm, &status);
        expect_nobody(status);
        for (const auto call : {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend}) {
            MPI_Request request;
            call(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request);
        MPI_Wait(&request, &status);
        expect_nobody(status);
        std::array<MPI_Request, 2> both;
        MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &both[0]);
        MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &both[1]);
        for (int time = 0; time < 2; ++time) {
            std::array<MPI_Status, 2> statuses;
            MPI_Startall(2, both.data());
            MPI_Waitall(2, both.data(), statuses.data());
            expect_nobody(statuses[1]);
        }
        MPI_Request_free(&both[0]);
        MPI_Request_free(&both[1]);
        require_equal(value, 17, "what nobody sent");
    });
}

// Of no bytes, by counts or by types; synchronous ones still wait for their receive.
TEST_P(Corners, EmptyMessagesCarryTheirEnvelope) {
    run([](int rank, int size) {
        const int right = (rank + 1) % size;
        const int left = (rank + size - 1) % size;
        MPI_Datatype nothing;
        MPI_Type_contiguous(0, MPI_INT, &nothing);
        MPI_Type_commit(&nothing);
        for (const auto call : {MPI_Isend, MPI_Issend})
            for (int tag = 0; tag < 40; ++tag) {
                MPI_Request request;
                if (tag % 2 == 0)
                    call(nullptr, 0, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, &request);
                else
                    call(&tag, 3, nothing, right, tag, MPI_COMM_WORLD, &request);
                MPI_Status status;
                int value = 5;
                MPI_Recv(&value, 1, MPI_INT, left, tag, MPI_COMM_WORLD, &status);
                require_equal(value, 5, "what an empty message was received into");
                require_equal(status.MPI_TAG, tag, "tag");
                int count = -1;
                MPI_Get_count(&status, MPI_INT, &count);
                require_equal(count, 0, "count");
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        MPI_Type_free(&nothing);
    });
}

// A synchronous send does not end before its receive begins.
TEST_P(Corners, SynchronousSendsWaitForTheirReceive) {
    run([](int rank, int size) {
        if (size < 2 || rank > 1) return;
        for (const int length : {0, 8, 3000, 100000}) {
            std::vector<char> bytes(100000);
            if (rank == 1) {
                MPI_Recv(nullptr, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(bytes.data(), length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                continue;
            }
            MPI_Request request;
            MPI_Issend(bytes.data(), length, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
            for (int look = 0; look < 200; ++look) {
                int flag = 1;
                MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
                require_equal(flag, 0, "completion before the receive");
            }
            MPI_Send(nullptr, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Corners, testing::ValuesIn(job_specs({1, 2, 3, 16})), spec_name);

}  // namespace
}  // namespace railyard::mpi::programs
