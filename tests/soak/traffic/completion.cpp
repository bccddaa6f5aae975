#include "traffic/completion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace railyard::soak {

namespace {

constexpr int most_at_once = 48;

void wait_any(int n, MPI_Request* requests, MPI_Status* statuses) {
    for (int index = 0; index != MPI_UNDEFINED;) {
        MPI_Status status;
        MPI_Waitany(n, requests, &index, &status);
        if (index != MPI_UNDEFINED) statuses[index] = status;
    }
}

void wait_some(int n, MPI_Request* requests, MPI_Status* statuses) {
    std::array<int, most_at_once> indices;
    std::array<MPI_Status, most_at_once> some;
    for (int count = 0; count != MPI_UNDEFINED;) {
        MPI_Waitsome(n, requests, &count, indices.data(), some.data());
        for (int i = 0; i < count; ++i)
            statuses[indices[static_cast<std::size_t>(i)]] = some[static_cast<std::size_t>(i)];
    }
}

void test_some(int n, MPI_Request* requests, MPI_Status* statuses) {
    std::array<int, most_at_once> indices;
    std::array<MPI_Status, most_at_once> some;
    for (int count = 0; count != MPI_UNDEFINED;) {
        MPI_Testsome(n, requests, &count, indices.data(), some.data());
        for (int i = 0; i < count; ++i)
            statuses[indices[static_cast<std::size_t>(i)]] = some[static_cast<std::size_t>(i)];
    }
}

void test_any(int n, MPI_Request* requests, MPI_Status* statuses) {
    for (int index = 0, flag = 0; flag == 0 || index != MPI_UNDEFINED;) {
        MPI_Status status;
        MPI_Testany(n, requests, &index, &flag, &status);
        if (flag != 0 && index != MPI_UNDEFINED) statuses[index] = status;
    }
}

void test_all(int n, MPI_Request* requests, MPI_Status* statuses) {
    for (int flag = 0; flag == 0;)
        MPI_Testall(n, requests, &flag, statuses);
}

/// One by one, in any order.
void one_by_one(int n, MPI_Request* requests, MPI_Status* statuses, Draw& draw) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        order[static_cast<std::size_t>(i)] = i;
    draw.shuffle(order);
    const int way = draw.below(3);
    for (const int i : order) {
        int flag = 0;
        switch (way) {
            case 0:
                while (flag == 0)
                    MPI_Test(&requests[i], &flag, &statuses[i]);
                break;
            case 1:
                while (flag == 0)
                    MPI_Request_get_status(requests[i], &flag, &statuses[i]);
                MPI_Wait(&requests[i], &statuses[i]);
                break;
            default:
                MPI_Wait(&requests[i], &statuses[i]);
                break;
        }
    }
}

}  // namespace

void complete_all(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses, Draw& draw,
                  Where& where) {
    statuses.resize(requests.size());
    // Mostly as most programs do it.
    if (draw.one_in(2)) {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
    } else {
        for (std::size_t from = 0; from < requests.size(); from += most_at_once) {
            MPI_Request* const some = requests.data() + from;
            MPI_Status* const theirs = statuses.data() + from;
            const int n =
                static_cast<int>(std::min<std::size_t>(most_at_once, requests.size() - from));
            switch (draw.below(7)) {
                case 0:
                    wait_any(n, some, theirs);
                    break;
                case 1:
                    wait_some(n, some, theirs);
                    break;
                case 2:
                    test_some(n, some, theirs);
                    break;
                case 3:
                    test_any(n, some, theirs);
                    break;
                case 4:
                    test_all(n, some, theirs);
                    break;
                case 5:
                    one_by_one(n, some, theirs, draw);
                    break;
                default:
                    MPI_Waitall(n, some, theirs);
                    break;
            }
            where.beat();
        }
    }
    for (MPI_Request& request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

}  // namespace railyard::soak
