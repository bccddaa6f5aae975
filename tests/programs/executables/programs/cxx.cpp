// Constructors, destructors, exceptions, streams and thread_local of a rank's own.
#include <mpi.h>

#include <chrono>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Global {
    int value = 11;
    ~Global() { std::cout << "global " << value << " ends\n"; }
};
Global global;
thread_local std::vector<int> of_thread{1, 2, 3};

int throw_if_odd(int rank) {
    if (rank % 2 != 0) throw std::runtime_error("odd " + std::to_string(rank));
    return rank;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    global.value += rank;
    of_thread.push_back(rank);
    if (rank == 1) std::cout << std::fixed << std::setprecision(3);
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << "rank " << rank << ": " << 3.14159265 << ", " << of_thread.back();
    try {
        MPI_Barrier(MPI_COMM_WORLD);
        const int even = throw_if_odd(rank);
        std::cout << ", even " << even;
        MPI_Barrier(MPI_COMM_WORLD);
    } catch (const std::exception& error) {
        MPI_Barrier(MPI_COMM_WORLD);
        std::cout << ", " << error.what();
    }
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::seconds(3600));
    const std::chrono::duration<double> slept = std::chrono::steady_clock::now() - begin;
    std::cout << (slept.count() >= 3600 && slept.count() < 3601 ? ", slept an hour" : ", WRONG")
              << std::endl;
    MPI_Finalize();
}
