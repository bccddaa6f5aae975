#include "results/machine.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <set>

#include "base/topology.hpp"

namespace railyard::results {

namespace {

std::string or_unknown(std::string text) {
    return text.empty() ? "unknown" : text;
}

std::string kernel() {
    utsname name{};
    if (::uname(&name) != 0) return "unknown";
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

/// The frequency governor of all cores; several, if they differ. Virtual machines have none.
std::string governor() {
    std::set<std::string> governors;
    for (const int core : allowed_cores()) {
        std::ifstream file(
            fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor", core));
        if (std::string word; file >> word) governors.insert(word);
    }
    return or_unknown(fmt::format("{}", fmt::join(governors, ", ")));
}

std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

// Both are set by the build; cmake/revision.cmake asks git for the second.
std::string_view version() {
    return RAILYARD_VERSION;
}
std::string_view revision() {
    return RAILYARD_REVISION;
}

std::string compiler() {
#ifdef __clang__
    std::string name = fmt::format("Clang {}", __clang_version__);
#else
    std::string name = fmt::format("GCC {}", __VERSION__);
#endif
#ifdef __OPTIMIZE__
    name += ", optimized";
#else
    name += ", not optimized";
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    name += ", with sanitizers";
#endif
    return name;
}

Machine this_machine() {
    const railyard::Machine& facts = railyard::machine();
    return {.cpu = or_unknown(facts.cpu),
            .cores = static_cast<unsigned>(facts.cores),
            .threads = static_cast<unsigned>(facts.threads),
            .l1d = facts.l1d,
            .l2 = facts.l2,
            .l3 = facts.l3,
            .memory = facts.memory,
            .kernel = kernel(),
            .governor = governor(),
            .version = std::string(version()),
            .revision = std::string(revision()),
            .compiler = compiler(),
            .date = now()};
}

}  // namespace railyard::results
