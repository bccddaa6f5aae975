#include "mpi/programs/world.hpp"

#include "mpi/real_fabric.hpp"

namespace railyard::mpi::programs {

std::string name_of(const Ground& ground) {
    std::string name = ground.fabric + "_" + std::to_string(ground.ranks);
    if (ground.kind == job::Kind::processes) name += "_processes";
    return test_name(name);
}

std::vector<Ground> grounds(std::initializer_list<int> ranks) {
    std::vector<Ground> all;
    for (const int n : ranks)
        all.push_back({real_fabric(), n, job::Kind::threads});
    for (const char* fabric : {"ideal", "infiniband-pcie", "berkeley-via", "quadrics"})
        for (const int n : ranks)
            all.push_back({fabric, n, job::Kind::fibers});
    return all;
}

std::vector<Ground> processes(std::initializer_list<int> ranks) {
    std::vector<Ground> all;
    for (const int n : ranks)
        all.push_back({real_fabric(), n, job::Kind::processes});
    return all;
}

job::Result run(const Ground& ground, const Program& program) {
    job::Options options;
    options.ranks = ground.ranks;
    options.fabric = ground.fabric;
    options.kind = ground.kind;
    options.nodes = nodes_for(ground.fabric, ground.ranks);
    options.pin = false;
    return job::run(options, [&](job::Rank& place) {
        MPI_Init(nullptr, nullptr);
        int rank = -1;
        int size = -1;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        require_equal(rank, place.id(), "rank");
        require_equal(size, ground.ranks, "size");
        program(rank, size);
        MPI_Finalize();
    });
}

void expect_to_run(const Ground& ground, const Program& program) {
    const job::Result result = run(ground, program);
    EXPECT_TRUE(result.ok) << result.failure;
}

}  // namespace railyard::mpi::programs
