// Messages of one sender on one communicator are received in the order in which they were sent,
// whatever way each takes, and also by receives that ask for anybody's.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "mpi/programs/world.hpp"
#include "sim/random.hpp"

namespace railyard::mpi::programs {
namespace {

constexpr int same_tag = 5;

/// Eager and large ones in turn: through the shared receive queue or a ring, streamed, and by RDMA.
std::size_t length_of(int number) {
    constexpr std::size_t lengths[] = {8, 70000, 8, 100, 5000, 8, 20000, 3000, 8, 300000, 8, 9000};
    return lengths[static_cast<std::size_t>(number) % std::size(lengths)];
}

struct Note {
    int from;
    int number;
};

std::vector<char> make(Note note) {
    std::vector<char> bytes(length_of(note.number), static_cast<char>(note.number * 7 + note.from));
    std::memcpy(bytes.data(), &note, sizeof note);
    return bytes;
}

void expect(const std::vector<char>& bytes, const MPI_Status& status, Note note) {
    Note found{};
    std::memcpy(&found, bytes.data(), sizeof found);
    require_equal(found.from, note.from, "sender");
    require_equal(found.number, note.number, "number of message");
    require_equal(status.MPI_SOURCE, note.from, "source");
    int count = -1;
    MPI_Get_count(&status, MPI_CHAR, &count);
    require_equal(static_cast<std::size_t>(count), length_of(note.number), "count");
    require(std::equal(bytes.begin(), bytes.begin() + count, make(note).begin()), "wrong bytes");
}

class Order : public OnFabrics {
  protected:
    static constexpr int messages = 36;
    static constexpr std::size_t room = 300000;
};

/// Sends all without waiting in between, and in all ways to send.
void send_all(int rank, int messages) {
    std::vector<std::vector<char>> data;
    std::vector<MPI_Request> requests(static_cast<std::size_t>(messages), MPI_REQUEST_NULL);
    for (int i = 0; i < messages; ++i) {
        data.push_back(make({rank, i}));
        const auto n = static_cast<int>(data.back().size());
        MPI_Request* request = &requests[static_cast<std::size_t>(i)];
        if (i % 5 == 3)
            MPI_Issend(data.back().data(), n, MPI_CHAR, 0, same_tag, MPI_COMM_WORLD, request);
        else
            MPI_Isend(data.back().data(), n, MPI_CHAR, 0, same_tag, MPI_COMM_WORLD, request);
    }
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
}

// Receives come late, so that messages wait, some with their data and some without.
TEST_P(Order, OfManySendersIsEachSendersOwn) {
    run([](int rank, int size) {
        if (rank != 0) return send_all(rank, messages);
        std::vector<int> next(static_cast<std::size_t>(size), 0);
        std::vector<char> bytes(room);
        for (int i = 0; i < messages * (size - 1); ++i) {
            MPI_Status status;
            MPI_Recv(bytes.data(), static_cast<int>(room), MPI_CHAR, MPI_ANY_SOURCE,
                     i % 2 == 0 ? MPI_ANY_TAG : same_tag, MPI_COMM_WORLD, &status);
            expect(bytes, status,
                   {status.MPI_SOURCE, next.at(static_cast<std::size_t>(status.MPI_SOURCE))++});
        }
        for (int from = 1; from < size; ++from)
            require_equal(next[static_cast<std::size_t>(from)], messages, "messages of a sender");
    });
}

// Receives are there before the messages, and of all kinds: those posted first are first served.
TEST_P(Order, OfReceivesIsKeptAcrossKinds) {
    run([](int rank, int size) {
        if (rank > 1 || size < 2) return;
        if (rank == 1) {
            MPI_Recv(nullptr, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return send_all(1, messages);
        }
        std::vector<std::vector<char>> bytes(messages, std::vector<char>(room));
        std::vector<MPI_Request> requests(messages);
        for (int i = 0; i < messages; ++i)
            MPI_Irecv(bytes[static_cast<std::size_t>(i)].data(), static_cast<int>(room), MPI_CHAR,
                      i % 3 == 0 ? MPI_ANY_SOURCE : 1, i % 2 == 0 ? MPI_ANY_TAG : same_tag,
                      MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
        MPI_Send(nullptr, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        std::vector<MPI_Status> statuses(messages);
        MPI_Waitall(messages, requests.data(), statuses.data());
        for (int i = 0; i < messages; ++i)
            expect(bytes[static_cast<std::size_t>(i)], statuses[static_cast<std::size_t>(i)],
                   {1, i});
    });
}

// Tags choose among what waits; those with one tag keep their order.
TEST_P(Order, OfTagsTakenAtRandomIsKeptInEachTag) {
    constexpr int tags = 4;
    run([](int rank, int size) {
        if (rank > 1 || size < 2) return;
        if (rank == 1) {
            std::vector<std::vector<char>> data;
            std::vector<MPI_Request> requests(messages);
            for (int i = 0; i < messages; ++i) {
                data.push_back(make({1, i}));
                MPI_Isend(data.back().data(), static_cast<int>(data.back().size()), MPI_CHAR, 0,
                          i % tags, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
            }
            MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
            return;
        }
        sim::Random random(3);
        std::vector<int> next = {0, 1, 2, 3};
        std::vector<char> bytes(room);
        for (int left = messages; left > 0; --left) {
            int tag = static_cast<int>(random.below(tags));
            while (next[static_cast<std::size_t>(tag)] >= messages)
                tag = (tag + 1) % tags;
            MPI_Status status;
            MPI_Recv(bytes.data(), static_cast<int>(room), MPI_CHAR,
                     left % 2 == 0 ? MPI_ANY_SOURCE : 1, tag, MPI_COMM_WORLD, &status);
            expect(bytes, status, {1, next[static_cast<std::size_t>(tag)]});
            next[static_cast<std::size_t>(tag)] += tags;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Order, testing::ValuesIn(job_specs({2, 3, 4, 7, 8, 16})),
                         spec_name);

}  // namespace
}  // namespace railyard::mpi::programs
