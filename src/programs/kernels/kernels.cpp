#include "kernels/kernels.hpp"

#include <algorithm>

namespace railyard::kernels {

namespace {

template <int (*run)(int argc, char** argv, Outcome* outcome)>
constexpr Kernel make(std::string_view name, std::string_view purpose) {
    return {name, purpose, [](int argc, char** argv) { return run(argc, argv, nullptr); }, run};
}

}  // namespace

std::span<const Kernel> all() {
    // To add a kernel, add its line, and its program in kernels.cmake.
    static constexpr Kernel kernels[] = {
        make<ep>("ep", "pairs of random numbers, each rank on its own"),
        make<is>("is", "whole numbers sorted into buckets: everybody sends to everybody"),
        make<cg>("cg", "an eigenvalue of a sparse matrix: long messages to few"),
        make<mg>("mg", "a Poisson problem on grids from coarse to fine: neighbours near and far"),
        make<ft>("ft", "a heat equation by Fourier transforms: long messages from all to all"),
        make<lu>("lu", "a flow, by sweeps that run through the ranks as a wave"),
        make<sp>("sp", "a flow, by scalar systems along the lines of the grid"),
        make<bt>("bt", "a flow, by systems of 5 x 5 blocks along the lines of the grid"),
    };
    return kernels;
}

const Kernel* find(std::string_view name) {
    const auto kernels = all();
    const auto found = std::ranges::find(kernels, name, &Kernel::name);
    return found != kernels.end() ? &*found : nullptr;
}

}  // namespace railyard::kernels
