#include "bench/kernel_program.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "bench/programs.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

double KernelProgram::seconds(int ranks) const {
    const std::string folder = own_folder().string();
    const std::string command = fmt::format("'{}/mpiexec' -n {} '{}/{}' --class {} {} < /dev/null",
                                            folder, ranks, folder, kernel, problem_class, options);
    const std::string said = output_of(command);
    const std::string label = "Time in seconds =";
    const auto at = said.find(label);
    if (at == std::string::npos) throw Error("it tells no time: " + command);
    return std::strtod(said.c_str() + at + label.size(), nullptr);
}

}  // namespace railyard::bench
