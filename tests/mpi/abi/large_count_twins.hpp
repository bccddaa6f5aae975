#pragma once
/// What tests of large-count calls do with requests, and with the three forms of a collective.

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {

constexpr MPI_Count wrong_count = -1;
using Start = std::function<int(MPI_Request*)>;

inline int wait_for(MPI_Request& request) {
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
/// Starts, and waits if that was no error.
inline int started(const Start& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = start(&request);
    return code != MPI_SUCCESS ? code : wait_for(request);
}
/// A persistent one, twice.
inline int started_twice(const Start& make) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (const int code = make(&request); code != MPI_SUCCESS) return code;
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&request);
        if (const int code = wait_for(request); code != MPI_SUCCESS) return code;
    }
    return MPI_Request_free(&request);
}

}  // namespace railyard::mpi

// NOLINTBEGIN(bugprone-macro-parentheses)
/// All forms of a collective, each of which `check` looks at.
#define RAILYARD_ALL_FORMS(check, Call, ICall, ...)                                     \
    do {                                                                                \
        EXPECT_EQ(MPI_##Call##_c(__VA_ARGS__), MPI_SUCCESS);                            \
        check();                                                                        \
        EXPECT_EQ(railyard::mpi::started(                                               \
                      [&](MPI_Request* r) { return MPI_##ICall##_c(__VA_ARGS__, r); }), \
                  MPI_SUCCESS);                                                         \
        check();                                                                        \
        EXPECT_EQ(railyard::mpi::started_twice([&](MPI_Request* r) {                    \
                      return MPI_##Call##_init_c(__VA_ARGS__, MPI_INFO_NULL, r);        \
                  }),                                                                   \
                  MPI_SUCCESS);                                                         \
        check();                                                                        \
    } while (false)
/// Of arguments that are wrong.
#define RAILYARD_ALL_FORMS_FAIL(error, Call, ICall, ...)                          \
    do {                                                                          \
        MPI_Request none = MPI_REQUEST_NULL;                                      \
        EXPECT_EQ(MPI_##Call##_c(__VA_ARGS__), error);                            \
        EXPECT_EQ(MPI_##ICall##_c(__VA_ARGS__, &none), error);                    \
        EXPECT_EQ(MPI_##Call##_init_c(__VA_ARGS__, MPI_INFO_NULL, &none), error); \
    } while (false)
// NOLINTEND(bugprone-macro-parentheses)
