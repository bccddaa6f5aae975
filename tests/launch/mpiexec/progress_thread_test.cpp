// The progress thread, as a program that mpiexec has started sees it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
namespace fs = std::filesystem;

/// Rank 1 calls nothing until rank 0 has sent, or its patience is at an end.
constexpr const char* program = R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char** argv) {
    int rank = -1, word = 7, waited = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        fclose(fopen("sent", "w"));
    } else {
        while (access("sent", F_OK) != 0 && waited < atoi(argv[1])) {
            usleep(1000);
            ++waited;
        }
        printf("%s\n", access("sent", F_OK) == 0 ? "answered" : "not answered");
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return word == 7 ? 0 : 1;
}
)";

// OD-11: with it a short send completes though the receiver is in no call, and so is connected to;
// without it, it waits for one.
TEST(MpiexecProgressThread, ConnectsToARankThatCallsNothing) {
    std::string folder = (fs::temp_directory_path() / "railyard-progress-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    std::ofstream(folder + "/late.c") << program;
    const Ended built =
        command(RAILYARD_BIN "/mpicc", {"-o", folder + "/late", folder + "/late.c"});
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const auto run = [&](const std::string& thread, const std::string& patience) {
        fs::remove(folder + "/sent");
        return mpiexec({"-n", "2", "-wdir", folder, "--set", "progress-thread=" + thread,
                        folder + "/late", patience});
    };
    const Ended with = run("on", "60000");
    EXPECT_EQ(with.exit_code, 0) << with.err;
    EXPECT_EQ(with.out, "answered\n");
    const Ended without = run("off", "100");
    EXPECT_EQ(without.exit_code, 0) << without.err;
    EXPECT_EQ(without.out, "not answered\n");
    fs::remove_all(folder);
}

}  // namespace
}  // namespace railyard::mpiexec
