#include "bench/programs.hpp"

#include <fmt/format.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::bench {

std::filesystem::path own_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

namespace {

struct Ran {
    std::string output;
    bool failed = false;
};

Ran run(const std::string& command) {
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    if (!pipe) throw Error("cannot run " + command);
    Ran ran;
    std::array<char, 4096> piece;
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe.get()))
        ran.output.append(piece.data(), n);
    ran.failed = ::pclose(pipe.release()) != 0;
    return ran;
}

/// Of lines that are a name and a number; others, such as a launcher's complaints, are left out.
Figures figures_of(const std::string& output) {
    Figures figures;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        double value = 0;
        if (words >> name >> value && words.eof()) figures[name] = value;
    }
    return figures;
}

}  // namespace

std::string output_of(const std::string& command) {
    Ran ran = run(command);
    if (ran.failed) throw Error("failed: " + command);
    return std::move(ran.output);
}

double processor_seconds(const std::string& command) {
    const auto used = [] {
        rusage usage{};
        ::getrusage(RUSAGE_CHILDREN, &usage);
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    };
    const double before = used();
    output_of(command);
    return used() - before;
}

double KernelProgram::seconds(int ranks) const {
    const std::string folder = own_folder().string();
    const std::string command =
        fmt::format("'{}/mpiexec' {} -n {} '{}/{}' --class {} {} < /dev/null", folder, launched,
                    ranks, folder, kernel, problem_class, options);
    const std::string said = output_of(command);
    const std::string label = "Time in seconds =";
    const auto at = said.find(label);
    if (at == std::string::npos) throw Error("it tells no time: " + command);
    return std::strtod(said.c_str() + at + label.size(), nullptr);
}

namespace {

namespace fs = std::filesystem;

bool there(const std::string& command) {
    return std::system(fmt::format("command -v {} > /dev/null 2>&1", command).c_str()) == 0;
}

/// Builds the program with that compiler driver, into the folder of our own programs.
std::string build(const std::string& compiler, const std::string& name) {
    const fs::path folder = own_folder().parent_path() / "bench";
    fs::create_directories(folder);
    const fs::path program = folder / ("mpi_figures." + name);
    const std::string command = fmt::format("{} -O2 -o '{}' '{}/bench/mpi/mpi_figures.c' 2>&1",
                                            compiler, program.string(), RAILYARD_SOURCE_DIR);
    output_of(command);
    return program.string();
}

// Ranks on cores of their own, as ours are; none of these refuse to run as root, or with more ranks
// than cores.
constexpr const char* open_mpi =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec.openmpi --oversubscribe";

std::string bound(const MpiLibrary& library, int ranks) {
    const bool fits = ranks <= static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    if (library.name == "mpich") return fits ? " -bind-to core" : "";
    if (library.name == "ours") return "";
    return fits ? " --bind-to core" : " --bind-to none";
}

/// One that is installed but cannot run here is no peer.
std::vector<MpiLibrary> those_that_work(std::vector<MpiLibrary> found) {
    std::erase_if(found, [](const MpiLibrary& library) {
        try {
            library.measure(2, "empty");
            return false;
        } catch (const Error&) {
            return true;
        }
    });
    if (found.empty())
        throw Error(
            "no other MPI library is installed; `make bench` installs mpich and openmpi-bin");
    return found;
}

}  // namespace

std::string MpiLibrary::command(int ranks, const std::string& arguments) const {
    return fmt::format("{}{} -n {} '{}' {} 2> /dev/null < /dev/null", launcher, bound(*this, ranks),
                       ranks, program, arguments);
}

Figures MpiLibrary::measure(int ranks, const std::string& arguments) const {
    return figures_of(output_of(command(ranks, arguments)));
}

Figures MpiLibrary::measure_what_works(int ranks, const std::string& arguments) const {
    return figures_of(run(command(ranks, arguments)).output);
}

MpiLibrary our_mpi() {
    const std::string folder = own_folder().string();
    return {"ours", build(folder + "/mpicc", "ours"), folder + "/mpiexec"};
}

std::vector<MpiLibrary> peer_mpis() {
    std::vector<MpiLibrary> found;
    if (there("mpicc.mpich"))
        found.push_back({"mpich", build("mpicc.mpich", "mpich"), "mpiexec.mpich"});
    if (there("mpicc.openmpi")) {
        const std::string program = build("mpicc.openmpi", "openmpi");
        const std::string plain = open_mpi;
        found.push_back({"openmpi", program, plain});
        found.push_back(
            {"openmpi-two-copies", program, plain + " --mca btl_vader_single_copy_mechanism none"});
        found.push_back({"openmpi-ucx", program,
                         plain + " --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any"});
    }
    return those_that_work(std::move(found));
}

MpiLibrary our_mpi_on_iwarp() {
    MpiLibrary own = our_mpi();
    own.launcher = "RAILYARD_IWARP_CRC=off " + own.launcher + " --on iwarp";
    return own;
}

MpiLibrary our_mpi_on_ofi(const std::string& provider) {
    MpiLibrary own = our_mpi();
    own.launcher += fmt::format(" --on 'ofi:{}'", provider);
    return own;
}

std::vector<MpiLibrary> peer_mpis_on_tcp() {
    const std::string ucx = "UCX_TLS=tcp,self UCX_NET_DEVICES=lo ";
    std::vector<MpiLibrary> found;
    if (there("mpicc.mpich"))
        found.push_back(
            {"mpich", build("mpicc.mpich", "mpich"), ucx + "MPIR_CVAR_NOLOCAL=1 mpiexec.mpich"});
    if (there("mpicc.openmpi")) {
        const std::string program = build("mpicc.openmpi", "openmpi");
        const std::string plain = open_mpi;
        found.push_back({"openmpi", program,
                         plain + " --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include lo"});
        found.push_back({"openmpi-ucx", program,
                         ucx + plain +
                             " --mca pml ucx --mca pml_ucx_tls any --mca pml_ucx_devices any "
                             "-x UCX_TLS -x UCX_NET_DEVICES"});
        found.push_back({"openmpi-ofi", program,
                         plain + " --mca pml cm --mca mtl ofi "
                                 "--mca mtl_ofi_provider_include tcp"});
    }
    return those_that_work(std::move(found));
}

}  // namespace railyard::bench
