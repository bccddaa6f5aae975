#include "experiments/mpi/applications.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

constexpr MpiKernel kernels_of_wu02[] = {
    {"CG", "cg", false, 1024, false, 2}, {"MG", "mg", false, 4096, true, 4},
    {"IS", "is", false, 128, false, 0},  {"SP", "sp", true, 16, false, 10},
    {"BT", "bt", true, 16, false, 10},
};

bool is_square(int n) {
    int root = 1;
    while (root * root < n)
        ++root;
    return root * root == n;
}

kernels::Outcome run(const MpiKernel& kernel, const char* problem_class, int iterations) {
    std::vector<std::string> words{kernel.kernel, "--quiet", "--class", problem_class};
    if (kernel.any_source) words.emplace_back("--any-source");
    if (kernel.iterations > 0) {
        words.emplace_back("--iterations");
        words.push_back(std::to_string(iterations));
    }
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    kernels::Outcome outcome;
    const int code = kernels::find(kernel.kernel)
                         ->run(static_cast<int>(words.size()), pointers.data(), &outcome);
    if (code != 0) throw Error(fmt::format("'{}' ended with {}", fmt::join(words, " "), code));
    return outcome;
}

}  // namespace

std::span<const MpiKernel> mpi_kernels() {
    return kernels_of_wu02;
}

const MpiKernel& mpi_kernel(std::string_view application) {
    for (const MpiKernel& kernel : kernels_of_wu02)
        if (application == kernel.application) return kernel;
    throw Error(fmt::format("no kernel is called {}", application));
}

bool is_mpi_kernel(std::string_view application) {
    return std::ranges::any_of(kernels_of_wu02, [&](const MpiKernel& kernel) {
        return application == kernel.application;
    });
}

bool runs_on(const MpiKernel& kernel, int ranks) {
    return kernel.square ? is_square(ranks) : std::has_single_bit(static_cast<unsigned>(ranks));
}

void meet_partners(const MpiKernel& kernel, int ranks) {
    run(kernel, ranks <= kernel.small_ranks ? "S" : "W", 1);
}

kernels::Outcome run_class_w(const MpiKernel& kernel) {
    return run(kernel, "W", kernel.iterations);
}

namespace {

int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void expect(int found, int expected) {
    if (found != expected)
        throw Error(fmt::format("rank {} got {} in place of {}", rank(), found, expected));
}

void ring() {
    const int right = (rank() + 1) % size();
    const int left = (rank() + size() - 1) % size();
    const int mine = rank();
    int got = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(got, left);
}

void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

// The others have a barrier, too, as the table's numbers tell: a broadcast alone would need 1.9
// connections on average.

void bcast() {
    int value = rank() == 0 ? 42 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect(value, 42);
    MPI_Barrier(MPI_COMM_WORLD);
}

void allreduce() {
    int sum = rank();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, size() * (size() - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

void allgather() {
    const int mine = rank();
    std::vector<int> all(static_cast<std::size_t>(size()), -1);
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size(); ++i)
        expect(all[static_cast<std::size_t>(i)], i);
    MPI_Barrier(MPI_COMM_WORLD);
}

void alltoall() {
    const std::vector<int> out(static_cast<std::size_t>(size()), rank());
    std::vector<int> in(out.size(), -1);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size(); ++i)
        expect(in[static_cast<std::size_t>(i)], i);
    MPI_Barrier(MPI_COMM_WORLD);
}

constexpr MpiProgram small_programs[] = {
    {"Ring", ring},           {"Barrier", barrier},     {"Bcast", bcast},
    {"Allreduce", allreduce}, {"Allgather", allgather}, {"Alltoall", alltoall},
};

}  // namespace

std::span<const MpiProgram> mpi_programs() {
    return small_programs;
}

}  // namespace railyard::experiments
