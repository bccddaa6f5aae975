/// Any bytes in the place of what two ranks left in their kept memory: there is a summary of them,
/// whatever it says.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "mpi/traces/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace railyard::mpi::traces;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t half = size / 2;
    const std::vector<std::string> kept{bytes.substr(0, half), bytes.substr(half)};
    Wanted wanted;
    wanted.summary = SummaryForm::text;
    wanted.trace = "/dev/null";
    if (report(wanted, kept).empty()) std::abort();
    wanted.summary = SummaryForm::json;
    if (report(wanted, kept).empty()) std::abort();
    return 0;
}
