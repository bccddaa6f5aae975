#include "experiments/mpi_kernels.hpp"

#include <fmt/format.h>

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

}  // namespace railyard::experiments
