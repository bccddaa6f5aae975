#include "launch/managers/surroundings.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

constexpr const char* launch_variable = "RAILYARD_LAUNCH";
constexpr const char* joined_variable = "RAILYARD_JOINED";

int number(const Surroundings& around, const char* name, int otherwise) {
    const char* const text = around.variable(name);
    return text == nullptr ? otherwise : parse_number<int>(text).value_or(otherwise);
}

bool has_live_pmi(const Surroundings& around) {
    const int fd = number(around, "PMI_FD", -1);
    return fd >= 0 && around.is_socket(fd);
}

bool has(const Surroundings& around, const char* name) {
    return around.variable(name) != nullptr;
}

Road road_by_name(const Surroundings& around, std::string_view name) {
    if (name == "self") return Road::none;
    if (name == "pmix") return Road::pmix;
    if (name == "slurm") return Road::slurm;
    if (name != "pmi")
        throw UsageError(fmt::format("{}: expected pmi, pmix, slurm or self, found '{}'",
                                     launch_variable, name));
    if (has_live_pmi(around)) return Road::pmi;
    if (has(around, "PMI_PORT") && has(around, "PMI_ID")) return Road::pmi_port;
    throw Error(
        fmt::format("{}=pmi, but PMI_FD names no open socket and PMI_PORT and PMI_ID are "
                    "not set; start the program with mpiexec.hydra or srun --mpi=pmi2",
                    launch_variable));
}

/// Variables of launchers to whom no road leads from here.
struct Sign {
    const char* variable;
    bool is_size;  ///< of several only if it is more than 1
    const char* launcher;
    const char* remedy;
};
constexpr std::array<Sign, 3> signs{{
    {"PMI_SIZE", true, "a PMI server",
     "its socket is not open here: see what closes PMI_FD, a script or a container on the way"},
    {"OMPI_COMM_WORLD_SIZE", true, "Open MPI's mpirun",
     "PMIX_NAMESPACE is not set here: see what removes it, a script or a container on the way"},
    {"PALS_RANKID", false, "PALS", "start the ranks with srun, mpiexec.hydra or our mpiexec"},
}};

void refuse_strangers(const Surroundings& around) {
    for (const Sign& sign : signs) {
        if (!has(around, sign.variable)) continue;
        // Whoever says how many there are has said so by now.
        if (number(around, sign.is_size ? sign.variable : "PMI_SIZE", sign.is_size ? 1 : 2) <= 1)
            continue;
        throw Error(fmt::format(
            "{} has started this process as one of several ({}={}), and there is no way to it; {}. "
            "{}=self makes it a job of one rank",
            sign.launcher, sign.variable, around.variable(sign.variable), sign.remedy,
            launch_variable));
    }
}

}  // namespace

Surroundings Surroundings::here() {
    return {[](const char* name) -> const char* { return std::getenv(name); },
            [](int fd) {
                struct stat status {};
                return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
            }};
}

Road choose_road(const Surroundings& around) {
    if (const char* const wish = around.variable(launch_variable))
        return road_by_name(around, wish);
    if (has_live_pmi(around)) return Road::pmi;
    const char* const joined = around.variable(joined_variable);
    if (joined != nullptr && fingerprint(around) == joined) return Road::none;
    if (has(around, "PMI_PORT") && has(around, "PMI_ID")) return Road::pmi_port;
    if (has(around, "PMIX_NAMESPACE")) return Road::pmix;
    // The process number alone is no rank: inside salloc it is that of a proxy.
    if (has(around, "SLURM_STEP_ID") && has(around, "SLURM_PROCID") &&
        number(around, "SLURM_NTASKS", 1) > 1)
        return Road::slurm;
    refuse_strangers(around);
    return Road::none;
}

std::string fingerprint(const Surroundings& around) {
    std::string all;
    for (const char* name :
         {"PMI_PORT", "PMI_ID", "PMI_JOBID", "PMI_RANK", "PMIX_NAMESPACE", "PMIX_RANK",
          "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID", "PALS_RANKID"}) {
        const char* const value = around.variable(name);
        all += fmt::format("{}/", value != nullptr ? value : "");
    }
    return all;
}

void mark_as_joined() {
    ::setenv(joined_variable, fingerprint(Surroundings::here()).c_str(), 1);
}

}  // namespace railyard::managers
