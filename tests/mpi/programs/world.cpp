#include "mpi/programs/world.hpp"

#include "mpi/real_fabric.hpp"

namespace railyard::mpi::programs {

std::string name_of(const JobSpec& spec) {
    std::string name = spec.fabric + "_" + std::to_string(spec.ranks);
    if (spec.kind == job::Kind::processes) name += "_processes";
    return test_name(name);
}

std::vector<JobSpec> job_specs(std::initializer_list<int> ranks) {
    std::vector<JobSpec> all;
    for (const int n : ranks)
        all.push_back({real_fabric(), n, job::Kind::threads});
    for (const char* fabric : {"ideal", "infiniband-pcie", "berkeley-via", "quadrics"})
        for (const int n : ranks)
            all.push_back({fabric, n, job::Kind::fibers});
    return all;
}

std::vector<JobSpec> processes(std::initializer_list<int> ranks) {
    std::vector<JobSpec> all;
    for (const int n : ranks)
        all.push_back({real_fabric(), n, job::Kind::processes});
    return all;
}

job::Result run(const JobSpec& spec, const Program& program) {
    job::Options options;
    options.ranks = spec.ranks;
    options.fabric = spec.fabric;
    options.kind = spec.kind;
    options.nodes = nodes_for(spec.fabric, spec.ranks);
    options.pin = false;
    return job::run(options, [&](job::Rank& place) {
        MPI_Init(nullptr, nullptr);
        int rank = -1;
        int size = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        require_equal(rank, place.id(), "rank");
        require_equal(size, spec.ranks, "size");
        program(rank, size);
        MPI_Finalize();
    });
}

void expect_to_run(const JobSpec& spec, const Program& program) {
    const job::Result result = run(spec, program);
    EXPECT_TRUE(result.ok) << result.failure;
}

}  // namespace railyard::mpi::programs
