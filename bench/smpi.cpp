#include "bench/smpi.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "bench/programs.hpp"

namespace railyard::bench {

namespace fs = std::filesystem;

namespace {

std::string compiled(const fs::path& folder, const std::string& compiler, const char* name) {
    const fs::path path = folder / name;
    output_of(fmt::format("{} -O2 '{}/bench/mpi/exchanges.c' -o '{}' 2>&1", compiler,
                          RAILYARD_SOURCE_DIR, path.string()));
    return path.string();
}

}  // namespace

Exchanges::Exchanges(int most) : folder_(own_folder() / "../bench/executables") {
    fs::create_directories(folder_);
    ours_ = compiled(folder_, "'" + (own_folder() / "mpicc").string() + "'", "exchanges");
    if (std::system("command -v smpicc > /dev/null 2>&1") == 0)
        theirs_ = compiled(folder_, "smpicc", "exchanges.smpi");
    std::ofstream(folder_ / "cluster.xml") << fmt::format(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
        "\"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" "
        "radical=\"0-{}\" speed=\"1Gf\" bw=\"1GBps\" lat=\"2us\"/></platform>\n",
        most - 1);
    std::ofstream hosts(folder_ / "hosts");
    for (int i = 0; i < most; ++i)
        hosts << "n" << i << "\n";
}

std::string Exchanges::ours(int ranks, const std::string& what) const {
    return fmt::format(
        "'{}/railyard' run --summary none --compute none --on infiniband-pcie -n {} '{}' {}",
        own_folder().string(), ranks, ours_, what);
}

std::string Exchanges::smpi(int ranks, const std::string& what) const {
    return fmt::format(
        "smpirun -platform '{0}/cluster.xml' -hostfile '{0}/hosts' "
        "--cfg=smpi/simulate-computation:no --log=root.thres:critical -np {1} '{2}' {3} 2>&1",
        folder_.string(), ranks, theirs_, what);
}

}  // namespace railyard::bench
