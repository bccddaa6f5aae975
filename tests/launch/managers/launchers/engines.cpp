#include "launch/managers/launchers/engines.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace railyard::managers::testing {

namespace {

namespace fs = std::filesystem;

std::string path_to(const std::string& command) {
    std::istringstream folders(std::string(::getenv("PATH")) + ":/usr/sbin:/sbin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/" + command).c_str(), X_OK) == 0) return folder + "/" + command;
    return {};
}

/// Two nodes of Slurm, for as long as the test program runs, with an allocation of both.
class Slurm : public ::testing::Environment {
  public:
    /// One for all tests; started when it is first asked for.
    static Slurm& instance() {
        static auto* const slurm = new Slurm;
        static const bool known = (::testing::AddGlobalTestEnvironment(slurm), true);
        static_cast<void>(known);
        return *slurm;
    }

    const std::string& missing() const { return missing_; }
    const std::string& job() const { return job_; }
    /// A file of what the shell in the allocation has of it.
    std::string environment() const { return folder_ / "environment"; }

    void TearDown() override {
        if (!cluster_) return;
        // It ends by itself, and takes all with it, when this file is there.
        std::ofstream(folder_ / "stop");
        cluster_->end();
        cluster_.reset();
        fs::remove_all(folder_);
    }

  private:
    Slurm() {
        std::string name = (fs::temp_directory_path() / "railyard-slurm-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            missing_ = "mkdtemp failed";
            return;
        }
        folder_ = name;
        const std::string in_it =
            "salloc -Q -N2 -n32 --ntasks-per-node=16 sh -c 'export -p | grep \" SLURM_\" > " +
            name + "/environment; echo $SLURM_JOB_ID $SLURM_CONF > " + name + "/new && mv " + name +
            "/new " + name + "/up; until [ -e " + name + "/stop ]; do sleep 0.1; done'";
        cluster_ = std::make_unique<Started>(RAILYARD_SLURM_SCRIPT, Words{"sh", "-c", in_it});
        for (int tries = 0; tries < 600 && !fs::exists(folder_ / "up"); ++tries) {
            ::usleep(50'000);
            if (::kill(cluster_->pid(), 0) != 0 || ended()) break;
        }
        if (!fs::exists(folder_ / "up")) {
            missing_ = "no Slurm: " + cluster_->end().err;
            cluster_.reset();
            return;
        }
        std::string conf;
        std::ifstream(folder_ / "up") >> job_ >> conf;
        ::setenv("SLURM_CONF", conf.c_str(), 1);
    }
    bool ended() const {
        std::ifstream status("/proc/" + std::to_string(cluster_->pid()) + "/stat");
        std::string word;
        status >> word >> word >> word;
        return word == "Z";
    }

    fs::path folder_;
    std::unique_ptr<Started> cluster_;
    std::string job_;
    std::string missing_;
};

}  // namespace

std::string name_of(Engine engine) {
    switch (engine) {
        case Engine::hydra:
            return "hydra";
        case Engine::openmpi:
            return "openmpi";
        case Engine::slurm_pmi2:
            return "srun_pmi2";
        case Engine::slurm_pmix:
            return "srun_pmix";
        case Engine::slurm_none:
            return "srun_none";
        case Engine::hydra_in_slurm:
            return "hydra_in_slurm";
        case Engine::openmpi_in_slurm:
            return "openmpi_in_slurm";
    }
    return {};
}

std::string missing(Engine engine) {
    const bool of_hydra = engine == Engine::hydra || engine == Engine::hydra_in_slurm;
    if (of_hydra && path_to("mpiexec.hydra").empty()) return "no mpiexec.hydra (Debian: mpich)";
    const bool of_openmpi = engine == Engine::openmpi || engine == Engine::openmpi_in_slurm;
    if (of_openmpi && path_to("mpirun.openmpi").empty())
        return "no mpirun.openmpi (Debian: openmpi-bin)";
    if (engine == Engine::hydra || engine == Engine::openmpi) return "";
    return Slurm::instance().missing();
}

Words call(Engine engine, int ranks, const Words& program) {
    const std::string n = std::to_string(ranks);
    const std::string half = std::to_string((ranks + 1) / 2);
    const auto in_allocation = [] {
        return ". " + Slurm::instance().environment() + "; export SLURM_OVERLAP=1; exec \"$@\"";
    };
    Words words;
    if (engine == Engine::hydra_in_slurm) {
        words = {"/bin/sh", "-c", in_allocation(), "sh", path_to("mpiexec.hydra"), "-ppn", half,
                 "-n",      n};
    } else if (engine == Engine::openmpi_in_slurm) {
        words = {"/bin/sh",
                 "-c",
                 in_allocation(),
                 "sh",
                 path_to("mpirun.openmpi"),
                 "--allow-run-as-root",
                 "--map-by",
                 "ppr:" + half + ":node",
                 "-n",
                 n};
    } else if (engine == Engine::hydra) {
        words = {path_to("mpiexec.hydra"),   "-launcher", "fork", "-hosts",
                 "a:" + half + ",b:" + half, "-n",        n};
    } else if (engine == Engine::openmpi) {
        words = {path_to("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "-n", n};
    } else {
        words = {path_to("srun"),
                 "--jobid=" + Slurm::instance().job(),
                 "--overlap",
                 "-Q",
                 "--mpi=" + name_of(engine).substr(5),
                 "-N2",
                 "-n",
                 n,
                 "--ntasks-per-node=" + half};
    }
    words.insert(words.end(), program.begin(), program.end());
    return words;
}

Ended run(Engine engine, int ranks, const Words& program, const std::string& input) {
    // Whatever hangs is a failure, and not the end of the tests.
    Words words = call(engine, ranks, program);
    words.insert(words.begin(), {"-k", "5", "60"});
    return Started(path_to("timeout"), words, input).end();
}

std::string allocation() {
    return Slurm::instance().job();
}

std::string program() {
    return RAILYARD_LAUNCHED_PROGRAM;
}

}  // namespace railyard::managers::testing
