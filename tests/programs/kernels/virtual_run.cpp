#include "programs/kernels/virtual_run.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>

#include "kernels/kernels.hpp"
#include "launch/job/job.hpp"
#include "mpi/calls/call.hpp"

namespace railyard::kernels {

namespace {

/// The run that is noted: ranks in virtual time are fibers of this thread.
VirtualRun* noted = nullptr;

void note(int partner, MPI_Comm comm, bool is_send) {
    if (noted == nullptr) return;
    int rank = -1;
    PMPI_Comm_rank(comm, &rank);
    const auto own = static_cast<std::size_t>(rank);
    if (is_send) ++noted->sends[own];
    if (partner == MPI_ANY_SOURCE) ++noted->wildcards;
    if (partner >= 0 && partner != rank) noted->partners[own].insert(partner);
}

/// Learns at a rank's end what its library has done.
class Ending : public mpi::calls::CallWatch {
  public:
    void entered(mpi::calls::Function, std::span<const mpi::calls::Word>) override {}
    void left(mpi::calls::Function) override {}
    void finalised(const mpi::Counters& counters) override {
        connections = static_cast<double>(counters.connections);
    }

    double connections = 0;
};

int call(const Kernel& kernel, std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return kernel.main(static_cast<int>(words.size()), arguments.data());
}

}  // namespace

bool VirtualRun::verified() const {
    return ended_well && std::ranges::all_of(exit_codes, [](int code) { return code == 0; }) &&
           output.find(" SUCCESSFUL") != std::string::npos;
}

void expect_refused(const std::vector<std::string>& words, int ranks, const std::string& why) {
    const VirtualRun refused = run(words, ranks, "ideal");
    EXPECT_TRUE(refused.ended_well) << refused.failure;
    EXPECT_EQ(refused.exit_codes, std::vector<int>(static_cast<std::size_t>(ranks), 2));
    EXPECT_EQ(refused.output, "");
    EXPECT_NE(refused.errors.find(why), std::string::npos) << refused.errors;
    EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
}

std::string name_of(const testing::TestParamInfo<FabricAndRanks>& test) {
    const auto& [fabric, ranks] = test.param;
    std::string name = std::string(fabric) + "_" + std::to_string(ranks);
    std::ranges::replace(name, '-', '_');
    return name;
}

double VirtualRun::mean_connections() const {
    return std::accumulate(connections.begin(), connections.end(), 0.0) /
           static_cast<double>(connections.size());
}

VirtualRun run(const std::vector<std::string>& words, int ranks, const std::string& fabric,
               const MpiSettings& settings) {
    const auto size = static_cast<std::size_t>(ranks);
    VirtualRun result;
    result.exit_codes.resize(size, -1);
    result.partners.resize(size);
    result.sends.resize(size);
    const Kernel* kernel = find(words.front());
    if (kernel == nullptr) {
        result.failure = "no such kernel";
        return result;
    }
    job::Options options;
    options.ranks = ranks;
    options.fabric = fabric;
    options.kind = job::Kind::fibers;
    options.settings["mpi"] = settings;
    std::vector<Ending> endings(size);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    noted = &result;
    const job::Result ended = job::run(options, [&](job::Rank& rank) {
        const auto own = static_cast<std::size_t>(rank.id());
        mpi::calls::watch_calls(&endings[own]);
        result.exit_codes[own] = call(*kernel, words);
    });
    noted = nullptr;
    for (const Ending& ending : endings)
        result.connections.push_back(ending.connections);
    result.output = testing::internal::GetCapturedStdout();
    result.errors = testing::internal::GetCapturedStderr();
    result.ended_well = ended.ok;
    result.failure = ended.failure;
    return result;
}

VirtualRun run_as_on_clan(const std::string& kernel, const std::string& problem_class, int ranks) {
    return run(
        {kernel, "--class", problem_class, "--iterations", "1"}, ranks, "clan-via",
        {{"connections", "on-demand"},
         {"algorithms", "barrier=pairwise,bcast=binomial,reduce=binomial,allreduce=reduce-bcast"}});
}

}  // namespace railyard::kernels

// The library's names without P are weak, for profilers. This is one.
extern "C" {

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    railyard::kernels::note(to, comm, true);
    return PMPI_Send(buffer, count, type, to, tag, comm);
}
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    railyard::kernels::note(to, comm, true);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
    railyard::kernels::note(from, comm, false);
    return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
    railyard::kernels::note(from, comm, false);
    return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}
}
