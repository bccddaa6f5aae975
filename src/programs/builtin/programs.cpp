#include "programs/builtin/programs.hpp"

#include <algorithm>
#include <vector>

#include "kernels/kernels.hpp"

namespace railyard::programs {

namespace {

std::vector<Program> own_and_kernels() {
    // To add a program, add its line.
    std::vector<Program> programs = {
        {"hello", "every rank says where it is", hello},
        {"ping-pong", "two ranks send a message to and fro, at many sizes", ping_pong},
        {"ring", "a message goes round all ranks", ring},
        {"barrier", "all ranks wait for each other", barrier},
        {"allreduce", "all ranks add up their vectors", allreduce},
        {"all-to-all", "every rank sends a block to every other", all_to_all},
        {"stencil", "a grid cut into tiles, which exchange their edges with their neighbours",
         stencil},
    };
    for (const kernels::Kernel& kernel : kernels::all())
        programs.push_back({kernel.name, kernel.purpose, kernel.main});
    return programs;
}

}  // namespace

std::span<const Program> all() {
    static const std::vector<Program> programs = own_and_kernels();
    return programs;
}

const Program* find(std::string_view name) {
    const auto programs = all();
    const auto found = std::ranges::find(programs, name, &Program::name);
    return found != programs.end() ? &*found : nullptr;
}

}  // namespace railyard::programs
