#include "programs/programs.hpp"

#include <algorithm>

namespace railyard::programs {

std::span<const Program> all() {
    // To add a program, add its line.
    static constexpr Program programs[] = {
        {"hello", "every rank says where it is", hello},
        {"ping-pong", "two ranks send a message to and fro, at many sizes", ping_pong},
        {"ring", "a message goes round all ranks", ring},
        {"barrier", "all ranks wait for each other", barrier},
        {"allreduce", "all ranks add up their vectors", allreduce},
        {"all-to-all", "every rank sends a block to every other", all_to_all},
        {"stencil", "a grid cut into tiles, which exchange their edges with their neighbours",
         stencil},
    };
    return programs;
}

const Program* find(std::string_view name) {
    const auto programs = all();
    const auto found = std::ranges::find(programs, name, &Program::name);
    return found != programs.end() ? &*found : nullptr;
}

}  // namespace railyard::programs
