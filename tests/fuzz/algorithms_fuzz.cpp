/// Any text to parse_algorithms: it is refused with a UsageError, or taken, and what was taken is
/// printed as text that parses back to the same.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mpi/collectives/algorithms.hpp"
#include "railyard/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace railyard;
    mpi::Algorithms wishes;
    try {
        wishes = mpi::parse_algorithms({reinterpret_cast<const char*>(data), size});
    } catch (const UsageError&) {
        return 0;
    }
    const std::string printed = mpi::to_string(wishes);
    if (mpi::parse_algorithms(printed) == wishes) return 0;
    std::fprintf(stderr, "algorithms were printed as '%s', which is something else\n",
                 printed.c_str());
    std::abort();
}
